"""`Meters`: the interface of the prize meters: changes, questions, and the check of everything."""

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
    """Prize meters. Changes are in `Requests`; here are the questions."""

    def sign_for(self, change: SignChange) -> str:
        """The sign that announced a change."""
        with self.database.look():
            return groups.sign_for(self.database, change)

    def system_of(self, table: str) -> tuple[System, dict[str, Standing]]:
        """The system that a table plays for, with its meters' present values."""
        with self.database.look():
            system = systems.of_table(self.database, table)
            names = system.meter_names
            return system, {
                name: systems.standing(self.database, system.name, name) for name in names
            }

    def waiting(self, table: str, round: int) -> dict[int, int]:
        """The boxes whose wagers have no outcome yet, and what they staked."""
        with self.database.look():
            found = wagering.waiting(self.database, table, round)
            return {box: placed.cents for box, placed in found.items()}

    def last_round(self, table: str) -> int:
        """The last round in which a table had jackpot wagers; 0 if it never had."""
        with self.database.look():
            return wagering.last_round(self.database, table)

    def history(self, first: int = 1) -> list[LedgerEntry]:
        """The ledger in its order."""
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
