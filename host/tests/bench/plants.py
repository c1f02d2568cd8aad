"""A plant without firmware: the test drives it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from cutcard.bench.noise import BenchNoise
from cutcard.bench.person.words import WORDS, Answer, DelayedAnswer, obey
from cutcard.bench.plant import Plant
from cutcard.bench.plant.sensors import Edge
from cutcard.bench.process import BenchProcess
from cutcard.machines import find


def plant(machine: str = "carousel-38", seed: str = "1", decks: int = 1) -> Plant:
    made = Plant(find(machine), seed)
    made.sensors.bouncing = False
    made.put([card for _ in range(decks) for card in made.printer.deck(52)])
    run(made)
    made.sensors.edges.clear()
    return made


def run(plant: Plant, milliseconds: int | None = None) -> None:
    """Run for this time, or until the machine is at rest."""
    end = None if milliseconds is None else plant.timeline.now + milliseconds
    while True:
        event = plant.timeline.next_time()
        if event is None or (end is not None and event > end):
            break
        plant.timeline.run_next()
    if end is not None:
        plant.timeline.now = end


def edges(plant: Plant, sensor: int) -> list[Edge]:
    return [edge for edge in plant.sensors.edges if edge[1] == sensor]


def values(plant: Plant, sensor: int) -> list[int]:
    return [value for _, _, value in edges(plant, sensor)]


def say(plant: Plant, word: str, **arguments: Any) -> Answer | DelayedAnswer:
    """Run a command of the person's port that needs only the plant of a bench."""
    kit = SimpleNamespace(plant=plant, noise=BenchNoise("1"))
    device = SimpleNamespace(powered=True)
    bench = SimpleNamespace(plant=plant, kit=kit, device=device, mishaps=[], words=WORDS)
    return obey(cast(BenchProcess, bench), {"do": word, **arguments})
