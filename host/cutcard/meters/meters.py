"""`Meters`: everything that is asked of the prize meters, each thing once however often asked.

A table's wager, outcome and pick carry their own keys (table, round, box). What has no such key
(a deposit, a cash-out, a sign) is given one by whoever asks, and may be asked for again with it
after a crash, when nobody knows whether it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

from cutcard.meters import groups, settling, systems, wagering
from cutcard.meters.checking import Check, check
from cutcard.meters.database import Database
from cutcard.meters.errors import NameTaken, OtherRequest
from cutcard.meters.groups import Change
from cutcard.meters.ledger import Clock, Entry, Receipt, Turn, entries, once
from cutcard.meters.systems import Standing, System
from cutcard.meters.terms import SystemTerms


class Meters:
    """A database of meters, open. `clock` says what time it is; without one, the database does."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or database.now

    @classmethod
    def open(cls, where: str, clock: Clock | None = None, create: bool = False) -> Self:
        """`postgresql://…` or the path of a file; `create` makes it where there is none."""
        return cls(Database.open(where, create), clock)

    # Systems and their tables

    def create(self, name: str, terms: SystemTerms) -> Receipt:
        """A new prize meter system, its meters at their seeds, and no table yet."""
        request = asdict(terms) | {
            "meters": {
                meter: {"seed": its.seed, "rate": str(its.rate)}
                for meter, its in terms.meters.items()
            }
        }
        try:
            return self._once(
                f"create {name}", request, lambda turn: systems.create(turn, name, terms)
            )
        except OtherRequest as other:
            raise NameTaken(
                f"there has been a prize meter system {name!r}, on other terms",
                "Choose another name.",
            ) from other

    def notice(self, change: Change, sign: str) -> Receipt:
        """A sign announces that a table joins, leaves or moves, or that a system closes."""
        return self._once(
            f"notice {sign}",
            asdict(change),
            lambda turn: groups.display_notice(turn, change, sign),
        )

    def sign_for(self, change: Change) -> str:
        """The sign that has announced a change."""
        with self.database.look():
            return groups.sign_for(self.database, change)

    def carry_out(self, sign: str, into: Mapping[str, Fraction] | None = None) -> Receipt:
        """What a sign has announced, once a sign.

        `into`, for a closure: which systems get what stands above the seeds, and what share of it.
        """
        shares = dict(into or {})
        return self._once(
            f"carry out {sign}",
            {"into": {heir: str(share) for heir, share in shares.items()}},
            lambda turn: groups.carry_out(turn, sign, shares),
        )

    # Personal Bet Managers

    def deposit(self, manager: str, cents: int, reference: str) -> Receipt:
        return self._once(
            f"deposit {reference}",
            {"manager": manager, "cents": cents},
            lambda turn: wagering.deposit(turn, manager, cents),
        )

    def cash_out(self, manager: str, reference: str, cents: int | None = None) -> Receipt:
        """Pay chips out of a balance: all of it, where no amount is named."""
        return self._once(
            f"cash-out {reference}",
            {"manager": manager, "cents": cents},
            lambda turn: wagering.cash_out(turn, manager, cents),
        )

    # Rounds

    def wager(
        self,
        table: str,
        round: int,
        box: int,
        manager: str | None = None,
        cents: int | None = None,
    ) -> Receipt:
        return self._once(
            f"wager {table}/{round}/{box}",
            {"manager": manager, "cents": cents},
            lambda turn: wagering.wager(turn, table, round, box, manager, cents),
        )

    def retract(self, table: str, round: int, box: int) -> Receipt:
        return self._once(
            f"retract {table}/{round}/{box}",
            {},
            lambda turn: wagering.retract(turn, table, round, box),
        )

    def pick(self, table: str, round: int, box: int) -> Receipt:
        """Lucky Player or Mystery Jackpot: one a round."""
        return self._once(
            f"pick {table}/{round}",
            {"box": box},
            lambda turn: settling.pick(turn, table, round, box),
        )

    def settle(self, table: str, round: int, hands: Mapping[int, str]) -> Receipt:
        """The outcome of a round: box and hand of whoever won. Empty where nobody did."""
        return self._once(
            f"outcome {table}/{round}",
            {"hands": {str(box): hand for box, hand in hands.items()}},
            lambda turn: settling.settle(turn, table, round, hands),
        )

    def void(self, table: str, round: int) -> Receipt:
        return self._once(
            f"void {table}/{round}", {}, lambda turn: settling.void(turn, table, round)
        )

    # Looking

    def system_of(self, table: str) -> tuple[System, dict[str, Standing]]:
        """The system that a table plays for, and its meters as they stand."""
        with self.database.look():
            system = systems.of_table(self.database, table)
            names = system.meter_names
            return system, {
                name: systems.standing(self.database, system.name, name) for name in names
            }

    def waiting(self, table: str, round: int) -> dict[int, int]:
        """The boxes that have wagers without an outcome, by the records, and what they staked."""
        with self.database.look():
            found = wagering.waiting(self.database, table, round)
            return {box: placed.cents for box, placed in found.items()}

    def last_round(self, table: str) -> int:
        """The last round in which a table had jackpot wagers; 0 where it never had."""
        with self.database.look():
            return wagering.last_round(self.database, table)

    def history(self, first: int = 1) -> list[Entry]:
        """The ledger in its order."""
        with self.database.look():
            return list(entries(self.database, first))

    def check(self, holds: str = "") -> Check:
        """Recompute everything from the ledger, and compare; `holds` is NUMBER:HASH of an entry."""
        with self.database.look():
            return check(self.database, holds)

    def close(self) -> None:
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _once(
        self, reference: str, request: dict[str, Any], change: Callable[[Turn], None]
    ) -> Receipt:
        return once(self.database, self.clock, reference, request, change)
