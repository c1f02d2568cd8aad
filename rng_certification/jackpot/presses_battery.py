"""Tests of one controller at up to four tables: prizes must not depend on the place of the press.

Each press has a table, a box, a time and a prize. The prizes at each table and each box must follow
the law of the prize table, must not predict the next prize elsewhere, and must not depend on the
time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import Any

import numpy as np

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Counts, Draws, Floats
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, chi_square, extreme_cell
from rng_certification.base.repeats import Repeats
from rng_certification.draws.cells import Cells
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.jackpot.pauses import SHARES, Pauses
from rng_certification.jackpot.press_columns import BOXES, MOST_TABLES, PressColumns
from rng_certification.jackpot.prizes import Prizes
from rng_certification.jackpot.prizes_battery import PrizeLevels, prize_figures_of
from rng_certification.twin.source import TwinSource

PAIR_CELLS = SHARES


def press(source: TwinSource, prizes: Sequence[Prizes], tables: Counts) -> Draws:
    """Return one draw per press, in order, from the prizes of the table of the press."""
    spans = {each.total for each in prizes}
    if len(spans) == 1:
        return source.draws(spans.pop(), len(tables))
    drawn = (source.below(prizes[table].total) for table in tables)
    return np.fromiter(drawn, dtype=np.uint32, count=len(tables))


class PressesBattery:
    """`prizes`: the prize table of each table, by its number on the controller."""

    def __init__(self, prizes: Sequence[Prizes]) -> None:
        if not 1 <= len(prizes) <= MOST_TABLES:
            raise ValueError(f"a controller serves 1 to {MOST_TABLES} tables")
        self.prizes = tuple(prizes)
        self.presses = 0
        self.at_table = [PrizeLevels(each) for each in prizes]
        self.at_box = np.zeros((BOXES, len(prizes), PAIR_CELLS), dtype=np.int64)
        self.pairs = {
            about: np.zeros((PAIR_CELLS, PAIR_CELLS), dtype=np.int64)
            for about in ("tables", "players")
        }
        self.met = {about: np.zeros((len(prizes),) * 2, dtype=np.int64) for about in self.pairs}
        self.equal = {about: np.zeros(3) for about in self.pairs}  # seen, expected, compared
        # tables with the same range share one memory of repeated stretches
        self.memory = {each.total: Repeats() for each in prizes}
        self.tails = [np.empty(0, dtype=np.uint32) for _ in prizes]
        self.pauses = Pauses(self.prizes)
        # all tests of draws, on the numbers of all tables with the same range
        self.numbers = {
            span: DrawsBattery(span, f"range-{place}/") for place, span in enumerate(self.memory, 1)
        }
        self._chunks = {span: Rechunked(CHUNK) for span in self.memory}

    def feed(self, pressed: PressColumns) -> None:
        tables, boxes, draws = pressed.tables, pressed.boxes, pressed.draws
        self.presses += len(draws)
        cells = np.zeros(len(draws), dtype=np.int64)
        levels = np.zeros(len(draws), dtype=np.int64)
        for table, prizes in enumerate(self.prizes):
            here = tables == table
            mine = draws[here]
            self.at_table[table].feed(mine)
            cells[here] = Cells(prizes.total, PAIR_CELLS).of(mine)
            levels[here] = prizes.levels(mine)
            self._remember(table, prizes.total, mine)
        self.pauses.feed(pressed, cells, levels)
        np.add.at(self.at_box, (boxes, tables, cells), 1)
        totals = np.array([each.total for each in self.prizes])[tables]
        for span, chunks in self._chunks.items():
            for chunk in chunks.feed(draws[totals == span]):
                self.numbers[span].feed(chunk)
        elsewhere = tables[1:] != tables[:-1]
        another = (boxes[1:] != boxes[:-1]) & ~elsewhere
        for about, which in (("tables", elsewhere), ("players", another)):
            # every other pair, so that no press belongs to two pairs
            chosen = np.flatnonzero(which)
            chosen = chosen[chosen % 2 == 0]
            np.add.at(self.pairs[about], (cells[chosen], cells[chosen + 1]), 1)
            np.add.at(self.met[about], (tables[chosen], tables[chosen + 1]), 1)
            alike = chosen[totals[chosen] == totals[chosen + 1]]
            equal = np.count_nonzero(draws[alike] == draws[alike + 1])
            self.equal[about] += np.array([equal, np.sum(1 / totals[alike]), len(alike)])

    def _remember(self, table: int, span: int, draws: Draws) -> None:
        length = max(2, ceil(96 / log2(span)))
        joined = np.concatenate((self.tails[table], draws))
        self.memory[span].feed(joined, length)
        self.tails[table] = joined[max(0, len(joined) - length + 1) :]

    def findings(self) -> list[Finding]:
        found = []
        for table, levels in enumerate(self.at_table):
            found += [
                each.named(f"tables/{table + 1}/{each.name.replace('/', '-')}")
                for each in levels.findings()
            ]
        for box in range(BOXES):
            found.append(self._at_box(box))
        for about in self.pairs:
            found += self._next_to_each_other(about)
        for span, memory in self.memory.items():
            found.append(memory.finding(f"tables/repeated-stretches-of-{span}", "stretches"))
        found += self.pauses.findings()
        for span, battery in self.numbers.items():
            rest = self._chunks[span].rest()
            if len(rest):
                battery.feed(rest)
            found += battery.findings()
        return found

    def _laws(self) -> Floats:
        """Return the chances of the cells, one row per table."""
        return np.array([Cells(each.total, PAIR_CELLS).chances for each in self.prizes])

    def _at_box(self, box: int) -> Finding:
        counts = self.at_box[box]
        presses = counts.sum(axis=1)
        law = presses @ self._laws() / max(int(presses.sum()), 1)
        return chi_square(f"players/box-{box + 1}", "presses", counts.sum(axis=0), law)

    def _next_to_each_other(self, about: str) -> list[Finding]:
        """Two successive presses at different places."""
        pairs, laws = self.pairs[about], self._laws()
        number = int(pairs.sum())
        chances = laws.T @ self.met[about] @ laws / max(number, 1)
        seen, expected, compared = self.equal[about]
        name = f"{about}/equal-draws"
        return [
            chi_square(f"{about}/pairs", "pairs", pairs, chances),
            extreme_cell(f"{about}/extreme-pair", "pairs", pairs, chances, number),
            binomial(name, "pairs", int(seen), int(compared), expected / compared)
            if compared
            else Finding.skip(name, 0, "pairs", "no two successive presses from one range"),
        ]

    def figures(self) -> list[dict[str, Any]]:
        return [
            prize_figures_of(prizes, levels.counts)
            for prizes, levels in zip(self.prizes, self.at_table, strict=True)
        ]
