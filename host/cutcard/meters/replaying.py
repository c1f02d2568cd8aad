"""Replaying a ledger's requests in an empty database, to check its entries against the rules.

The rules decide again, at the times in the ledger: entries of refused requests are problems, and so
are entries that differ from the recomputed ones. No other table is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction

from cutcard.meters.database import Database
from cutcard.meters.errors import MeterError
from cutcard.meters.ledger import ASKED, GENESIS, LedgerEntry, chained, move, note_operation, write
from cutcard.meters.requests import Requests

# The compared fields, in the order of the report. The cited rules are not compared: a later edition
# of the rulebook's data may cite others, and the chain has the original ones.
FIELDS = ("number", "at", "reference", "kind", "source", "target", "cents", "detail")


class Replay:
    """A second database, in which the ledger is replayed."""

    def __init__(self) -> None:
        self.database = Database.in_memory()
        self._requests = Requests(self.database, lambda: self._now)
        self._now: datetime
        self._previous = GENESIS
        self.cites_otherwise: list[int] = []  # entries with other rules than today's

    def take(self, operation: list[LedgerEntry]) -> Iterator[str]:
        """Repeat the request of these entries, and yield the differences from the rules.

        Then take over the recorded entries, so that later entries are checked independently.
        """
        first = operation[0]
        made: tuple[LedgerEntry, ...] = ()
        try:
            self._now = datetime.fromisoformat(first.at)
            receipt = self._requests.again(first.detail[ASKED])
        except MeterError as refused:
            yield f"entry {first.number} ({first.kind}) is against the rules: {refused}"
        except Exception:  # any error: this program did not write this request
            yield f"entry {first.number} ({first.kind}) does not contain a valid request"
        else:
            if receipt.repeated:
                yield f"entry {first.number} counts {first.reference!r} a second time"
            else:
                made = receipt.entries
                yield from _differences(operation, made)
        yield from self._unchained(operation)
        self.cites_otherwise += [
            entry.number
            for entry, ruled in zip(operation, made, strict=False)
            if entry.rules != ruled.rules
        ]
        if list(made) != operation:
            self._believe(operation, made)

    def _unchained(self, operation: list[LedgerEntry]) -> Iterator[str]:
        for entry in operation:
            if entry.hash != chained(entry, self._previous):
                yield f"entry {entry.number} does not follow from the one before it"
            self._previous = entry.hash

    def _believe(self, recorded: list[LedgerEntry], made: tuple[LedgerEntry, ...]) -> None:
        """Replace the recomputed entries by the recorded ones."""
        with self.database.change():
            for entry in made:
                self.database.do("DELETE FROM ledger WHERE number = :number", number=entry.number)
                self._move(entry, -entry.cents)
            for entry in recorded:
                self.database.do("DELETE FROM ledger WHERE number = :number", number=entry.number)
                write(self.database, entry)
                self._move(entry, entry.cents)
            note_operation(self.database, recorded[0], recorded[-1])

    def _move(self, entry: LedgerEntry, cents: Fraction) -> None:
        if cents:
            move(self.database, entry.source, -cents)
            move(self.database, entry.target, cents)

    def close(self) -> None:
        self.database.close()


def _differences(recorded: list[LedgerEntry], made: tuple[LedgerEntry, ...]) -> Iterator[str]:
    """Yield the first difference between a recorded entry and the recomputed one."""
    for entry, ruled in zip(recorded, made, strict=False):
        for field in FIELDS:
            here, there = getattr(entry, field), getattr(ruled, field)
            if here != there:
                yield (
                    f"entry {entry.number} ({entry.kind}) has the {field} {here}; "
                    f"by the rules it is {there}"
                )
                return
    if len(recorded) != len(made):
        yield (
            f"{recorded[0].reference!r} has {len(recorded)} entries from {recorded[0].number} on, "
            f"and by the rules {len(made)}"
        )
