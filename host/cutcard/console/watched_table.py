"""A watched table: its journal is followed, and every moment of it can be displayed."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cutcard.console.gaming_day import GamingDay
from cutcard.console.table_view import TableView
from cutcard.journal import JournalDamagedError, JournalNewerError, Record
from cutcard.journal.file import understood
from cutcard.journal.following import Follower, RecordPosition, records_from
from cutcard.table.reports.journal_text import StoryLine

AT_ONCE = 400  # records of one table before the others have their turn
# Errors from records that our tables do not write.
MISMADE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
LATEST = 60  # lines shown when the page opens


class NoSuchMomentError(Exception):
    """Raised for a record or a round that a journal does not have."""


@dataclass(slots=True)
class RoundMark:
    """The place of a round in the journal, and the table before it."""

    first: int
    place: RecordPosition
    before: TableView
    round: int | None
    time: str
    day: str  # the gaming day
    faults: int = 0
    house: int = 0
    came_to: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "n": self.first,
            "round": self.round,
            "time": self.time,
            "faults": self.faults,
            "house": self.house,
            "came_to": self.came_to,
        }


class WatchedTable:
    """One table. `damage` is the reason why its journal cannot be read further, in a sentence."""

    def __init__(self, key: str, journal: Path, gaming_day: GamingDay) -> None:
        self.key = key
        self.gaming_day = gaming_day
        self.path = journal
        self.damage = ""
        self.follower = Follower(journal)
        self._begin()

    def _begin(self) -> None:
        self.view = TableView.of(self.path)
        self._drawn = self.view.picture()
        self.marks: list[RoundMark] = []
        self.latest: deque[StoryLine] = deque(maxlen=LATEST)
        self.requests: dict[str, int] = {}
        self.days: dict[str, dict[str, int]] = {}  # figures by the gaming day of the round's start

    def more(self) -> tuple[int, list[StoryLine]]:
        """Read the new records; return their number and their lines."""
        if self.damage:
            return 0, []
        if self.follower.renewed():
            self._begin()
        count, lines = 0, []
        try:
            for record, place in self.follower.more(AT_ONCE):
                count += 1
                with understood(self.path, record):
                    lines += self._take(record, place)
        except (JournalDamagedError, JournalNewerError) as damage:
            self.damage = str(damage)
        self.latest.extend(lines)
        return count, lines

    def _take(self, record: Record, place: RecordPosition) -> list[StoryLine]:
        if record.kind == "round" or not self.marks:
            number = record.data.get("number") if record.kind == "round" else None
            before = self.view.copy()
            day = self.gaming_day.date_of(record.time)
            self.marks.append(
                RoundMark(record.number, place, before, round=number, time=record.time, day=day)
            )
        faults, house = self.view.faults, -sum(self.view.cents.values())
        lines = self.view.take(record)
        mark = self.marks[-1]
        more = {
            "faults": self.view.faults - faults,
            "house": -sum(self.view.cents.values()) - house,
            "played": int(record.kind == "settled"),
        }
        mark.faults += more["faults"]
        mark.house += more["house"]
        figures = self.days.setdefault(mark.day, dict.fromkeys(more, 0))
        for name, number in more.items():
            figures[name] += number
        if record.kind == "settled":
            mark.came_to = record.data["round"]
        elif record.kind == "request":
            self.requests[record.data["id"]] = record.number
        return lines

    def picture(self) -> dict[str, Any]:
        """Return the current table; if it cannot be displayed, mark it damaged and return the last
        state."""
        try:
            self._drawn = self.view.picture()
        except MISMADE as error:
            self.damage = f"{self.path}: record {self.view.number} cannot be shown: {error!r}"
        return self._drawn

    def picture_at(self, number: int) -> dict[str, Any]:
        """Return the table after a record. Raises NoSuchMomentError."""
        try:
            return self.at(number).picture()
        except MISMADE as error:
            raise NoSuchMomentError(f"Record {number} cannot be shown: {error!r}") from error

    def at(self, number: int) -> TableView:
        """Return the table after a record. Raises NoSuchMomentError."""
        if not 1 <= number <= self.view.number:
            raise NoSuchMomentError(
                f"{self.key} has the records 1 to {self.view.number}, and no {number}."
            )
        mark = self.marks[bisect_right([mark.first for mark in self.marks], number) - 1]
        view = mark.before.copy()
        for record in records_from(mark.place, mark.first, number):
            view.take(record)
        return view

    def round(self, number: int) -> dict[str, Any]:
        """Return a round for printing: all its lines, and the layout at its end."""
        mark = next((mark for mark in self.marks if mark.round == number), None)
        if mark is None:
            raise NoSuchMomentError(f"{self.key} has no round {number}.")
        view = mark.before.copy()
        try:
            lines = [line.as_json() for line in self._lines(mark, view)]
            picture = view.picture()
        except MISMADE as error:
            raise NoSuchMomentError(f"Round {number} cannot be shown: {error!r}") from error
        return mark.as_json() | {
            "last": view.number,
            "lines": lines,
            "picture": picture,
            "hash": self._hash(mark, view.number),
        }

    def _lines(self, mark: RoundMark, view: TableView) -> Iterator[StoryLine]:
        place = self.marks.index(mark) + 1
        end = self.marks[place].first - 1 if place < len(self.marks) else self.view.number
        for record in records_from(mark.place, mark.first, end):
            yield from view.take(record)

    def _hash(self, mark: RoundMark, last: int) -> str:
        *_, record = records_from(mark.place, mark.first, last)
        return record.hash

    def timeline(self) -> dict[str, Any]:
        """Return the rounds of the evening, to select one."""
        return {"n": self.view.number, "rounds": [mark.as_json() for mark in self.marks]}
