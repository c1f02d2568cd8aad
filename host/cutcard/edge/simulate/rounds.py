"""Simulated rounds as numpy arrays: their boxes, cards, decisions, payments and results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from cutcard.edge.simulate import kernel
from cutcard.edge.simulate import log as entries
from cutcard.edge.simulate.job import ShardPlay

if TYPE_CHECKING:
    from pandas import DataFrame

Rows = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]

AT_A_TIME = 32  # rounds of one call of the kernel, which cannot extend its log
ENTRIES_A_ROUND = 2_600  # more than a round with nine boxes and every card of eight decks has

DEALER = 0  # in the column `box`; boxes have numbers from 1
# The names of the numbers in the column `what` of decisions, and in `why` of payments.
DECISIONS = ("play", "insure", "even-money", "surrender-first", "withdraw-double")
ACTIONS = ("no", "stand", "hit", "double", "split", "surrender")
PAYMENTS = ("hand", "21", "super-bonus", "five-and-under", "insurance")
_DECIDED = (
    entries.DECISION,
    entries.INSURE,
    entries.EVEN_MONEY,
    entries.GIVE_UP,
    entries.RESCUE,
)
_BOX = np.dtype([("round", "i8"), ("box", "i2"), ("net", "i8"), ("sides", "i8")])
_CARD = np.dtype([("round", "i8"), ("box", "i2"), ("hand", "i2"), ("card", "u1")])
_DECISION = np.dtype(
    [("round", "i8"), ("box", "i2"), ("hand", "i2"), ("what", "i1"), ("action", "i1")]
)
_PAYMENT = np.dtype(
    [("round", "i8"), ("box", "i2"), ("hand", "i2"), ("why", "i1"), ("cents", "i8")]
)
TABLES = {"boxes": _BOX, "cards": _CARD, "decisions": _DECISION, "payments": _PAYMENT}


@dataclass(frozen=True)
class PlayedRounds:
    """Simulated rounds as structured arrays, in the order of play; amounts are cents.

    `boxes` has a row for each box of each round: `net` is the result of its main wager with
    insurance and ante, `sides` that of its side wagers. `cards` has each card in the order of the
    deal (box 0 is the dealer; `card` is `Card.code`), `decisions` each decision (`what` is an index
    of DECISIONS, `action` of ACTIONS), `payments` each payment (`why` is an index of PAYMENTS).
    `hand` counts the hands of a split box from 1; 0 is the box. Rounds for which the cards ran out
    are left out.
    """

    rounds: int
    boxes: Rows
    cards: Rows
    decisions: Rows
    payments: Rows

    def frames(self) -> dict[str, DataFrame]:
        """Return each array as a pandas DataFrame. Needs pandas."""
        from pandas import DataFrame  # not a part of cutcard

        return {name: DataFrame(getattr(self, name)) for name in TABLES}


def record_shard(data: Mapping[str, Any], shard: int, rounds: int) -> list[Any]:
    """Play one shard and return its tally and its arrays; their rounds count from 0."""
    shard_play = ShardPlay(data, shard)
    job = shard_play.job
    log = np.zeros(1 + AT_A_TIME * ENTRIES_A_ROUND * entries.ENTRY, dtype=np.int64)
    parts: list[dict[str, Rows]] = []
    counted = 0
    for begun in range(0, rounds, AT_A_TIME):
        log[0] = 1
        shard_play.play(min(AT_A_TIME, rounds - begun), log)
        table = log[1 : log[0]].reshape(-1, entries.ENTRY)
        part, number = _arrays(table, counted, job.boxes, -shard_play.made.game.ante)
        parts.append(part)
        counted += number
    arrays = {name: np.concatenate([part[name] for part in parts]) for name in TABLES}
    return [[int(shard_play.tally[kernel.ROUNDS])], arrays]


def joined(shards: Sequence[Sequence[Any]]) -> PlayedRounds:
    """Return the arrays of all shards as one, with rounds numbered through."""
    before, parts = 0, []
    for (rounds,), arrays in shards:
        for array in arrays.values():
            array["round"] += before
        parts.append(arrays)
        before += rounds
    whole = {name: np.concatenate([part[name] for part in parts]) for name in TABLES}
    return PlayedRounds(before, **whole)


def _arrays(table: Ints, first: int, boxes: int, ante: int) -> tuple[dict[str, Rows], int]:
    """Return the arrays of a kernel's log, and the number of its rounds that count."""
    what = table[:, 0]
    place = np.cumsum(what == entries.BEGUN) - 1
    rounds = int(place[-1]) + 1
    counts = np.ones(rounds, dtype=bool)
    counts[place[what == entries.LEFT_OUT]] = False
    number = np.cumsum(counts) - 1 + first
    kept = counts[place]
    table, what, of_round = table[kept], what[kept], number[place[kept]]
    total = int(counts.sum())
    arrays = {
        "boxes": _nets(table, of_round - first, total, boxes, ante),
        "cards": _select(_CARD, table, of_round, what == entries.CARD),
        "decisions": _select(_DECISION, table, of_round, np.isin(what, _DECIDED)),
        "payments": _select(_PAYMENT, table, of_round, what == entries.PAID),
    }
    arrays["boxes"]["round"] += first
    cards, decisions, payments = arrays["cards"], arrays["decisions"], arrays["payments"]
    cards["card"] = table[what == entries.CARD, 3]
    decided = table[np.isin(what, _DECIDED)]
    decisions["what"] = np.searchsorted(_DECIDED, decided[:, 0])
    decisions["action"] = decided[:, 3]
    payments["cents"], payments["why"] = table[what == entries.PAID, 3:].T
    return arrays, total


def _select(kind: np.dtype[Any], table: Ints, of_round: Ints, which: npt.NDArray[np.bool_]) -> Rows:
    rows = np.zeros(int(which.sum()), dtype=kind)
    rows["round"] = of_round[which]
    rows["box"], rows["hand"] = table[which, 1] + 1, table[which, 2] + 1
    return rows


def _nets(table: Ints, of_round: Ints, rounds: int, boxes: int, ante: int) -> Rows:
    """Return a row for each box of each round with the sums of its payments."""
    rows = np.zeros(rounds * boxes, dtype=_BOX)
    rows["round"] = np.repeat(np.arange(rounds), boxes)
    rows["box"] = np.tile(np.arange(1, boxes + 1), rounds)
    rows["net"] = ante
    for what, column in ((entries.PAID, "net"), (entries.SIDE_PAID, "sides")):
        paid = table[:, 0] == what
        np.add.at(rows[column], of_round[paid] * boxes + table[paid, 1], table[paid, 3])
    return rows
