"""After any actions, each card is in exactly one place, and a seed gives one history."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from cutcard.bench.person.words import WordError
from cutcard.bench.plant import Plant
from cutcard.bench.plant.machine import MOTORS
from cutcard.bench.plant.record import record, restore
from cutcard.machines import find
from cutcard_firmware.core.devices.sensors import (
    ACTUATORS,
    EJECT,
    FEED,
    GATE,
    LEVELS,
    SENSORS,
    TURN,
)
from tests.bench.plants import plant, run, say

PLACES = ("tray", "chute", "bin", "outside", "pocket", "entry")

# Mostly actions of a firmware, so that cards are moving when faults happen.
driven = st.one_of(
    st.sampled_from([(FEED, 1), (FEED, 1), (FEED, 0), (EJECT, 1), (EJECT, 0), (GATE, 1)]),
    st.tuples(st.just(TURN), st.integers(0, 40)),
    st.tuples(st.integers(0, ACTUATORS - 1), st.integers(-3, 40)),
)
drives = st.tuples(
    st.just("drive"), driven.map(lambda pair: {"actuator": pair[0], "value": pair[1]})
)
waits = st.tuples(
    st.just("wait"),
    st.one_of(st.integers(1, 200), st.integers(1, 3000)).map(lambda ms: {"milliseconds": ms}),
)


def words(name: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.just(name), st.fixed_dictionaries(arguments))


small = st.integers(0, 8)
said = st.one_of(
    words("put", cards=st.sampled_from(["As", "Kd foreign", "unreadable"])),
    words("return", count=st.sampled_from(["all", "1", "3"])),
    words("take", count=small, where=st.sampled_from(PLACES), bin=small),
    words("draw", count=st.integers(1, 3), force=st.booleans(), order=st.just("unknown")),
    words("hand", on=st.booleans()),
    words("flip", where=st.sampled_from(PLACES), bin=small, index=small),
    words("steal", bin=small, index=small),
    words("add", bin=small),
    words("jam", where=st.sampled_from(["entry", "exit", "tray"]), after=small),
    words("clear", to=st.sampled_from(["", "tray", "chute", "outside", "pocket"])),
    words("double", where=st.sampled_from(["feed", "exit"]), hidden=st.booleans()),
    words("misfeed", rate=st.sampled_from([0, 0.5, 1]), where=st.just("entry")),
    words("stick", sensor=st.sampled_from(SENSORS), level=st.integers(0, 1)),
    words("release", sensor=st.sampled_from(SENSORS)),
    words("stall", motor=st.sampled_from(tuple(MOTORS))),
    words("bin", how=st.sampled_from(["stuck", "short", "slip"])),
    words("place", depth=small),
    words("cut", depth=small),
)
scenes = st.tuples(drives, waits, said).map(list)
histories = st.lists(scenes, max_size=25).map(
    lambda played: [deed for scene in played for deed in scene]
)
machines = st.sampled_from(["carousel-38", "shelves-10", "drum-60", "shoe-8"])


def live_through(made: Plant, history: list[tuple[str, dict[str, Any]]]) -> None:
    for name, arguments in history:
        if name == "drive":
            made.drive(**arguments)
        elif name == "wait":
            run(made, **arguments)
        else:
            with suppress(WordError):  # impossible actions are refused
                say(made, name, **arguments)


def everywhere(made: Plant) -> list[int]:
    return sorted(card.number for row in made.places().values() for card in row)


@given(machines, histories)
def test_every_card_is_in_exactly_one_place(machine: str, history: list[Any]) -> None:
    made = plant(machine)
    made.sensors.bouncing = True
    live_through(made, history)
    assert everywhere(made) == list(range(len(made.printer.cards)))


@given(machines, histories)
def test_same_seed_and_the_same_actions_give_the_same_edges(
    machine: str, history: list[Any]
) -> None:
    first, second = plant(machine), plant(machine)
    for made in (first, second):
        made.sensors.bouncing = True
        live_through(made, history)
    assert first.sensors.edges == second.sensors.edges
    assert record(first) == record(second)


@given(machines, histories)
def test_bounces_end_at_the_true_level(machine: str, history: list[Any]) -> None:
    made = plant(machine)
    made.sensors.bouncing = True
    live_through(made, history)
    made.power_off()
    for sensor in range(LEVELS):
        made.sensors.release(sensor)
    run(made)
    assert made.sensors.lines == made.sensors.levels


@given(machines, histories)
def test_recorded_plant_is_restored_unchanged(machine: str, history: list[Any]) -> None:
    made = plant(machine)
    live_through(made, history)
    made.power_off()
    run(made)
    again = Plant(find(machine), "another")
    restore(again, record(made))
    run(again)
    assert record(again) == record(made)
