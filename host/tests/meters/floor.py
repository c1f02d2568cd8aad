"""Operating the meters in tests, with a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from cutcard.meters import Meters, MeterTerms, SystemTerms
from cutcard.meters.groups import NOTICE, SignChange
from cutcard.meters.ledger import Receipt, balance, manager_account
from cutcard.meters.systems import Standing, standing

JACKPOTS = SystemTerms(
    "blackjack-jackpots", 500, {"blackjack-jackpots": MeterTerms(1_000_000, Fraction(3, 200))}
)
SUPERNOVA = SystemTerms(
    "supernova",
    500,
    {
        "supernova-major": MeterTerms(2_000_000, Fraction(2, 100)),
        "supernova-minor": MeterTerms(50_000, Fraction(1, 300)),
        "supernova-mystery": MeterTerms(100_000, Fraction(1, 100)),
    },
    payable=500,
)


class Watch:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 16, 20, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, time: timedelta) -> None:
        self.now += time


class Hands:
    """Operations that take several steps, in one call each."""

    def __init__(self, meters: Meters, watch: Watch) -> None:
        self.meters = meters
        self.watch = watch
        self._signs = 0

    def sign(self, kind: str, system: str, table: str = "", target: str = "") -> None:
        """Display a sign, and wait until it has been displayed for twenty minutes."""
        self._signs += 1
        self.meters.notice(SignChange(kind, system, table, target), f"sign {self._signs}")
        self.watch.wait(NOTICE)

    def done(
        self,
        kind: str,
        system: str,
        table: str = "",
        target: str = "",
        into: Mapping[str, Fraction] | None = None,
    ) -> Receipt:
        """Make the change that a sign has announced."""
        sign = self.meters.sign_for(SignChange(kind, system, table, target))
        return self.meters.carry_out(sign, into)

    def open(self, name: str, *tables: str, terms: SystemTerms = JACKPOTS) -> None:
        """Create a system with these tables in its group."""
        self.meters.create(name, terms)
        for table in tables:
            self.sign("join", name, table)
            self.done("join", name, table)

    def bet(self, table: str, round: int, *boxes: int) -> None:
        """Place jackpot wagers on these boxes; a Personal Bet Manager has the number of its box."""
        for box in boxes:
            reference = f"{table}/{round}/{box}"
            self.meters.deposit(f"{table}.{box}", 500, reference)
            self.meters.wager(table, round, box, f"{table}.{box}")

    def meter(self, system: str, name: str = "blackjack-jackpots") -> Standing:
        return standing(self.meters.database, system, name)

    def balance(self, manager: str) -> Fraction:
        return balance(self.meters.database, manager_account(manager))
