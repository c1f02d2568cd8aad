"""Replays a ledger's requests in an empty database, to check that the rules give the same.

The rules decide anew, at the times that the ledger names: what they refuse should not be there,
and what they make of the rest is what should be. Nothing but the ledger is believed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction

from cutcard.meters.database import Database
from cutcard.meters.errors import MeterError
from cutcard.meters.ledger import ASKED, GENESIS, LedgerEntry, chained, move, note_operation, write
from cutcard.meters.requests import Requests

# What the rules make of a request, in the order in which it is told. Not which rules are cited:
# a later edition of the rulebook's data may cite otherwise, and the chain has what was cited.
FIELDS = ("number", "at", "reference", "kind", "source", "target", "cents", "detail")


class Replay:
    """A second database, in which the ledger is replayed."""

    def __init__(self) -> None:
        self.database = Database.in_memory()
        self._requests = Requests(self.database, lambda: self._now)
        self._now: datetime
        self._previous = GENESIS
        self.cites_otherwise: list[int] = []  # entries whose rules are not those of today

    def take(self, operation: list[LedgerEntry]) -> Iterator[str]:
        """Make these entries' request again; returns what does not fit the rules.

        Then the ledger is believed for once, so that what comes later is judged by itself.
        """
        first = operation[0]
        made: tuple[LedgerEntry, ...] = ()
        try:
            self._now = datetime.fromisoformat(first.at)
            receipt = self._requests.again(first.detail[ASKED])
        except MeterError as refused:
            yield f"entry {first.number} ({first.kind}) is against the rules: {refused}"
        except Exception:  # whatever somebody wrote there: it was not asked for by this program
            yield f"entry {first.number} ({first.kind}) does not say what was asked for"
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
        """Put what is recorded in the place of what the rules made."""
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
    """The first entry that is not what the rules make of what was asked for."""
    for entry, ruled in zip(recorded, made, strict=False):
        for field in FIELDS:
            here, there = getattr(entry, field), getattr(ruled, field)
            if here != there:
                yield (
                    f"entry {entry.number} ({entry.kind}) has the {field} {here}, "
                    f"and by the rules it is {there}"
                )
                return
    if len(recorded) != len(made):
        yield (
            f"{recorded[0].reference!r} has {len(recorded)} entries from {recorded[0].number} on, "
            f"and by the rules {len(made)}"
        )
