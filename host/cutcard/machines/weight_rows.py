"""The weights by which a carousel chooses its bins: a row for each pack that it admits.

The bin for a card, and the bin to eject, are drawn with probabilities that depend on the number of
cards in each bin. docs/explanation/certification.md describes how the numbers were found.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from cutcard.machines.schema import CARD_KINDS

MOST_WEIGHT = 255


class Row(NamedTuple):
    """Weights for one pack: a number for each number of cards in a bin."""

    into: tuple[int, ...]  # for the next card, of a bin with 0, 1 ... capacity - 1 cards
    out: tuple[int, ...]  # for the next push, of a bin with 1, 2 ... capacity cards


def alike(capacity: int) -> Row:
    """Return equal weights for every bin."""
    return Row((1,) * capacity, (1,) * capacity)


def read_rows(values: dict[str, Any], tables: object) -> tuple[dict[int, Row], list[str]]:
    """Return the rows of the tables `[weights.PACK]`, and their mistakes."""
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
            problems.append(
                f"weights.{name}: not a pack of decks.most and decks.packs; use {known}"
            )
        elif not isinstance(table, dict) or set(table) != {"in", "out"}:
            problems.append(f"weights.{name}: must have exactly the keys `in` and `out`")
        else:
            wrong = [key for key in ("in", "out") if not _is_row(table[key], capacity)]
            problems += [
                f"weights.{name}.{key} = {table[key]!r}: must be {capacity} integers from 1 "
                f"to {MOST_WEIGHT}, one for each number of cards in a bin"
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
