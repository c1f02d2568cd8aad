"""`Requests`: everything that changes the prize meters, each request once however often it is made.

A table's wager, outcome and pick carry their own keys (table, round, box). What has no such key
(a deposit, a cash-out, a sign) is given one by whoever asks, and may be asked for again with it
after a crash, when nobody knows whether it was recorded.

What was asked for is recorded with it, whole: `again` asks for it once more, by what a ledger
says of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from typing import Any, Self

from cutcard.meters import groups, settling, systems, wagering
from cutcard.meters.database import Database
from cutcard.meters.errors import BadTermsError, NameTakenError, OtherRequestError
from cutcard.meters.groups import SignChange
from cutcard.meters.ledger import Clock, Receipt, Turn, once, time_of_entry, time_set_anew
from cutcard.meters.terms import MeterTerms, SystemTerms, check_key, check_name, parse_rate, quoted

MOST_REASON = 200


class Requests:
    """An open database of meters. `clock` gives the time; without one, the database does."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or database.now

    @classmethod
    def open(cls, where: str, clock: Clock | None = None, create: bool = False) -> Self:
        """Open `postgresql://…` or a file; `create` makes it if it is missing."""
        return cls(Database.open(where, create), clock)

    # Systems and their tables

    def create(self, name: str, terms: SystemTerms) -> Receipt:
        """Set up a new prize meter system, with its meters at their seeds and no table yet."""
        check_name(name, "prize meter system")
        request = asdict(terms) | {
            "name": name,
            "meters": {
                meter: {"seed": its.seed, "rate": str(its.rate)}
                for meter, its in terms.meters.items()
            },
        }
        try:
            return self._once(
                "create", name, request, lambda turn: systems.create(turn, name, terms)
            )
        except OtherRequestError as other:
            raise NameTakenError(
                f"there has been a prize meter system {name!r}, on other terms",
                "Choose another name.",
            ) from other

    def notice(self, change: SignChange, sign: str) -> Receipt:
        """Display a sign: a table joins, leaves or moves, or a system closes."""
        check_key(sign)
        return self._once(
            "notice",
            sign,
            asdict(change) | {"sign": sign},
            lambda turn: groups.display_notice(turn, change, sign),
        )

    def carry_out(self, sign: str, into: Mapping[str, Fraction] | None = None) -> Receipt:
        """Make the change that a sign has announced, once for each sign.

        `into`, for a closure: which systems get what stands above the seeds, and what share of it.
        """
        shares = dict(into or {})
        return self._once(
            "carry out",
            sign,
            {"sign": sign, "into": {heir: str(share) for heir, share in shares.items()}},
            lambda turn: groups.carry_out(turn, sign, shares),
        )

    # Personal Bet Managers

    def deposit(self, manager: str, cents: int, reference: str) -> Receipt:
        check_key(reference)
        return self._once(
            "deposit",
            reference,
            {"manager": manager, "cents": cents, "reference": reference},
            lambda turn: wagering.deposit(turn, manager, cents),
        )

    def cash_out(self, manager: str, reference: str, cents: int | None = None) -> Receipt:
        """Pay a balance out in chips: all of it, unless an amount is named."""
        check_key(reference)
        return self._once(
            "cash-out",
            reference,
            {"manager": manager, "cents": cents, "reference": reference},
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
        journal: str | None = None,
    ) -> Receipt:
        """Place a jackpot wager. `journal` is the name of the record that the round is in: all
        wagers of a round come from one, and another program under the same name is refused."""
        place = {"table": table, "round": round, "box": box, "manager": manager, "cents": cents}
        if journal is not None:
            check_name(journal, "journal")
            place["journal"] = journal
        return self._once(
            "wager",
            _place(table, round, box),
            place,
            lambda turn: wagering.wager(
                turn, table, round, box, manager=manager, cents=cents, journal=journal
            ),
        )

    def retract(self, table: str, round: int, box: int) -> Receipt:
        return self._once(
            "retract",
            _place(table, round, box),
            {"table": table, "round": round, "box": box},
            lambda turn: wagering.retract(turn, table, round, box),
        )

    def pick(self, table: str, round: int, box: int) -> Receipt:
        """Pay Lucky Player or the Mystery Jackpot: one for each round."""
        wagering.check_place(round, box)
        return self._once(
            "pick",
            _place(table, round),
            {"table": table, "round": round, "box": box},
            lambda turn: settling.pick(turn, table, round, box),
        )

    def settle(self, table: str, round: int, hands: Mapping[int, str]) -> Receipt:
        """Record the outcome of a round: box and hand of each winner, or none."""
        return self._once(
            "outcome",
            _place(table, round),
            {
                "table": table,
                "round": round,
                "hands": {str(box): hand for box, hand in hands.items()},
            },
            lambda turn: settling.settle(turn, table, round, hands),
        )

    def void(self, table: str, round: int) -> Receipt:
        return self._once(
            "void",
            _place(table, round),
            {"table": table, "round": round},
            lambda turn: settling.void(turn, table, round),
        )

    # The ledger's clock

    def set_clock(self, reason: str, reference: str) -> Receipt:
        """Confirm that the clock is right, although the last entry's time is far from it.

        The reason is recorded, and `check` repeats it to whoever asks.
        """
        check_key(reference)
        if not (0 < len(reason.strip()) <= MOST_REASON and reason.isprintable()):
            raise BadTermsError(
                f"{quoted(reason)} does not say why the clock was wrong",
                f"Give the reason in 1 to {MOST_REASON} characters: --because 'battery was flat'.",
            )
        return self._once(
            "clock",
            reference,
            {"reason": reason, "reference": reference},
            lambda turn: groups.set_clock(turn, reason),
            sets_clock=True,
        )

    def again(self, asked: Mapping[str, Any]) -> Receipt:
        """Repeat a request that a ledger records. Any exception where it records no valid one."""
        said = dict(asked)
        return _AGAIN[said.pop("do")](self, said)

    def close(self) -> None:
        self.database.close()

    def _once(
        self,
        do: str,
        key: str,
        request: dict[str, Any],
        change: Callable[[Turn], None],
        sets_clock: bool = False,
    ) -> Receipt:
        time = time_set_anew if sets_clock else time_of_entry
        asked = {"do": do, **request}
        return once(
            self.database,
            clock=self.clock,
            reference=f"{do} {key}",
            request=asked,
            change=change,
            time=time,
        )


def _terms(said: Mapping[str, Any]) -> SystemTerms:
    meters = {
        name: MeterTerms(its["seed"], parse_rate(its["rate"]))
        for name, its in said["meters"].items()
    }
    return SystemTerms(said["bet"], said["cost"], meters, said["payable"])


def _place(table: str, round: int, box: int | None = None) -> str:
    """The key of what happens at a table. Raises BadTermsError where there can be no such place."""
    check_name(table, "table")
    wagering.check_place(round, box)
    return f"{table}/{round}" if box is None else f"{table}/{round}/{box}"


_AGAIN: dict[str, Callable[[Requests, dict[str, Any]], Receipt]] = {
    "create": lambda asks, said: asks.create(said["name"], _terms(said)),
    "notice": lambda asks, said: asks.notice(
        SignChange(said["kind"], said["system"], said["table"], said["target"]), said["sign"]
    ),
    "carry out": lambda asks, said: asks.carry_out(
        said["sign"], {heir: parse_rate(share) for heir, share in said["into"].items()}
    ),
    "deposit": lambda asks, said: asks.deposit(**said),
    "cash-out": lambda asks, said: asks.cash_out(**said),
    "wager": lambda asks, said: asks.wager(**said),
    "retract": lambda asks, said: asks.retract(**said),
    "pick": lambda asks, said: asks.pick(**said),
    "outcome": lambda asks, said: asks.settle(
        said["table"], said["round"], {int(box): hand for box, hand in said["hands"].items()}
    ),
    "void": lambda asks, said: asks.void(**said),
    "clock": lambda asks, said: asks.set_clock(**said),
}
