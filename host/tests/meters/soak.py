"""One table of a soak in a separate process: it plays rounds until it ends or is killed.

A round depends only on the table's name and the round's number. A killed table therefore repeats
the same requests, and a test knows the expected totals.
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
    """A round: its boxes, the winners with their hands, and the picked box."""

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
    """Play the rounds of a table from the last recorded one, which may be incomplete."""
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
