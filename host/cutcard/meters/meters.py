"""`Meters`: the interface of the prize meters: changes, questions, and the full check."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from cutcard.meters import groups, systems, wagering
from cutcard.meters.checking import LedgerCheck, check
from cutcard.meters.groups import SignChange
from cutcard.meters.ledger import LedgerEntry, entries
from cutcard.meters.requests import Requests
from cutcard.meters.systems import Standing, System


class Meters(Requests):
    """Prize meters: the questions. `Requests` has the changes."""

    def sign_for(self, change: SignChange) -> str:
        """Return the sign that announced a change."""
        with self.database.look():
            return groups.sign_for(self.database, change)

    def system_of(self, table: str) -> tuple[System, dict[str, Standing]]:
        """Return the system that a table plays for, and the present values of its meters."""
        with self.database.look():
            system = systems.of_table(self.database, table)
            names = system.meter_names
            return system, {
                name: systems.standing(self.database, system.name, name) for name in names
            }

    def waiting(self, table: str, round: int) -> dict[int, int]:
        """Return the boxes with wagers without an outcome, and their stakes in cents."""
        with self.database.look():
            found = wagering.waiting(self.database, table, round)
            return {box: placed.cents for box, placed in found.items()}

    def last_round(self, table: str) -> int:
        """Return the last round in which a table had jackpot wagers; 0 without any."""
        with self.database.look():
            return wagering.last_round(self.database, table)

    def history(self, first: int = 1) -> list[LedgerEntry]:
        """Return the entries of the ledger in order, from `first`."""
        with self.database.look():
            return list(entries(self.database, first))

    def check(
        self, holds: str = "", on_progress: Callable[[int, int], None] = lambda done, all: None
    ) -> LedgerCheck:
        """Recompute everything from the ledger, and compare; `holds` is NUMBER:HASH of an entry."""
        with self.database.look():
            return check(self.database, holds, on_progress)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
