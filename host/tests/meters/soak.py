"""One table of a soak, as a process of its own: it plays rounds until it is done, or is killed.

What happens in a round follows from the table's name and the round's number, so that a table that
was killed asks for the same things again, and a test knows what all of it must come to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from cutcard.meters import Meters

TABLES = tuple(f"T{number}" for number in range(1, 9))
HANDS = ("suited-aces-spades", "suited-aces", "three-aces", "suited-blackjack")


@dataclass(frozen=True)
class SoakPlan:
    """A round: its boxes, who wins with what, and who is picked."""

    table: str
    number: int
    boxes: tuple[int, ...]
    hands: dict[int, str]
    picked: int | None


def plans(rounds: int) -> Iterator[SoakPlan]:
    return (plan(table, number) for table in TABLES for number in range(1, rounds + 1))


def plan(table: str, number: int) -> SoakPlan:
    chance = Random(f"{table}/{number}")
    boxes = tuple(sorted(chance.sample(range(1, 8), chance.randint(1, 4))))
    hands = {box: chance.choice(HANDS) for box in boxes if chance.random() < 0.3}
    return SoakPlan(table, number, boxes, hands, chance.choice((None, None, chance.choice(boxes))))


def manager(table: str, box: int) -> str:
    return f"{table}.{box}"


def play(where: str, table: str, rounds: int) -> None:
    """The rounds of a table from the last one that it finds recorded, which may be half done."""
    with Meters.open(where) as meters:
        row = meters.database.row("SELECT max(round) FROM wagers WHERE table_name = :t", t=table)
        last = row[0] if row and row[0] else 1
        for number in range(last, rounds + 1):
            _play(meters, plan(table, number))


def _play(meters: Meters, plan: SoakPlan) -> None:
    for box in plan.boxes:
        key = f"{plan.table}/{plan.number}/{box}"
        meters.deposit(manager(plan.table, box), 500, key)
        meters.wager(plan.table, plan.number, box, manager(plan.table, box))
    if plan.picked is not None:
        meters.pick(plan.table, plan.number, plan.picked)
    meters.settle(plan.table, plan.number, plan.hands)
