"""The weights by which a carousel chooses its bins: a row for each pack that it admits.

Which bin a card goes to, and which one is pushed, is drawn with chances that go by how many cards
each bin holds. How the numbers are found: docs/certification.md.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutcard.machines.schema import CARD_KINDS

MOST_WEIGHT = 255


class Row(NamedTuple):
    """Weights for one pack, a number for each load that a bin can have."""

    into: tuple[int, ...]  # of a bin that holds 0, 1 ... capacity - 1 cards, for the next card
    out: tuple[int, ...]  # of a bin that holds 1, 2 ... capacity cards, for the next push


def alike(capacity: int) -> Row:
    """Every bin that fits is as likely as the others."""
    return Row((1,) * capacity, (1,) * capacity)


def read_rows(values: dict[str, Any], tables: object) -> tuple[dict[int, Row], list[str]]:
    """The rows of `[weights.52]` and its neighbours, and what is wrong with them."""
    if tables == {}:
        return {}, []
    if values["kind"] not in CARD_KINDS or values["mechanism"] != "carousel":
        return {}, ["weights: only a carousel chooses bins by weights"]
    if not isinstance(tables, dict):
        return {}, [f"weights = {tables!r}: must be tables, such as [weights.312]"]
    capacity = values["bins.capacity"]
    packs = {
        decks * deck
        for deck in values["decks.packs"]
        for decks in range(1, values["decks.most"] + 1)
    }
    rows: dict[int, Row] = {}
    problems = []
    for name, table in tables.items():
        if not (name.isdecimal() and len(name) <= 3 and int(name) in packs):
            known = ", ".join(map(str, sorted(packs)))
            problems.append(f"weights.{name}: no pack of decks.most and decks.packs; use {known}")
        elif not isinstance(table, dict) or set(table) != {"in", "out"}:
            problems.append(f"weights.{name}: must have `in` and `out`, and nothing else")
        else:
            wrong = [key for key in ("in", "out") if not _is_row(table[key], capacity)]
            problems += [
                f"weights.{name}.{key} = {table[key]!r}: must be {capacity} whole numbers from 1 "
                f"to {MOST_WEIGHT}, one for each load of a bin"
                for key in wrong
            ]
            if not wrong:
                rows[int(name)] = Row(tuple(table["in"]), tuple(table["out"]))
    return rows, problems


def _is_row(numbers: object, capacity: int) -> bool:
    return (
        isinstance(numbers, list)
        and len(numbers) == capacity
        and all(type(number) is int and 1 <= number <= MOST_WEIGHT for number in numbers)
    )
