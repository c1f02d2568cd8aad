"""Information in the sounds of the firmware's own motors, and in the card law for a counter."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from cutcard.machines import find
from hil_tests.pace import Paced
from hil_tests.table import Table
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.logit_counter import LogitCounter

TableAt = Callable[..., Table[Any]]
Turn = tuple[tuple[float, int], ...]  # duration and number of steps of each leg
CARDS = 50_000
TIME_OF_CARDS = 40  # ms between cards at a sensor, with the bench's mechanics


def _turns_heard(at: Table[Any]) -> list[Turn]:
    """Return the sounds of turns between cards, while a deck is loaded and some cards are dealt."""
    at.do("listen", ear="on")
    at.fill(1)
    at.do("listen")  # the first turns follow a search for home
    for _ in range(12):
        at.device.deal()
    at.bench.return_cards()
    at.bench.settle()
    heard = [(time, steps) for time, what, steps in at.do("listen")["heard"] if what == "turn"]
    starts = [
        (stop[0] - start[0], start[1])
        for start, stop in pairwise(heard)
        if start[1] and not stop[1]
    ]
    legs = max(1, len(find(at.bench.status()["machine"]).legs))
    return [tuple(starts[i : i + legs]) for i in range(0, len(starts) - legs + 1, legs)]


def test_all_turns_sound_alike_to_a_listener_without_directions(
    table: TableAt,
) -> None:
    """The firmware runs in MicroPython: times and steps of every leg do not depend on the
    distance."""
    at = table("carousel-38")
    turns = _turns_heard(at)
    assert len(turns) >= 24
    assert len(turns[0]) == len(find("carousel-38").legs)
    assert set(turns) == {turns[0]}


def test_direct_turns_leak_their_distance_to_a_listener(table: TableAt) -> None:
    turns = _turns_heard(table("carousel-44"))
    lengths = {leg[1] for turn in turns for leg in turn}
    assert len(lengths) > 10


def _frames_after(folder: Path, machine: str) -> list[int]:
    """Return the times from the return of each single card to the frame that reports it.

    An attacker with a clock on the line measures these without opening a frame. Times are by the
    board's clock.
    """
    rig = Paced(folder, find(machine), 1)
    rig.run()
    times = []
    for _ in range(20):
        rig.deal_one(rig.now)
        rig.run()
        rig.return_cards()
        begun, before = rig.now, len(rig.events_of("returned"))
        while len(rig.events_of("returned")) == before:
            rig.pass_time(1)
            rig.step()
        times.append(rig.now - begun)
    return times


def test_times_of_frames_reveal_no_bins(tmp_path: Path) -> None:
    """All differ by no more than a card's own passage of a sensor."""
    times = _frames_after(tmp_path, "carousel-38")
    assert max(times) - min(times) < TIME_OF_CARDS


def test_times_of_frames_reveal_turns_that_go_straight_to_a_bin(
    tmp_path: Path,
) -> None:
    times = _frames_after(tmp_path, "carousel-44")
    assert max(times) - min(times) > 3 * TIME_OF_CARDS


def _bits(law: CarouselLaw) -> float:
    """Return the bits gained by a counter from waiting times and neighbours."""
    pupil = LogitCounter(law, CARDS)
    pupil.feed(SimulatedCarousel(law, 1).steps(CARDS))
    scored = SimulatedCarousel(law, 2).steps(CARDS // 2)
    return float(LogitCounter(law, weights=pupil.learned()).feed(scored).mean())


def test_weighted_single_cards_leak_little_to_a_counter() -> None:
    """Full bins reveal several times as much; certificates have the figures of real machines."""
    weights = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0)
    single = CarouselLaw(12, 6, 3, 48, "single", weights, weights)
    assert _bits(single) < _bits(CarouselLaw(12, 6, 3, 48)) / 2
