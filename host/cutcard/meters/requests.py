"""`Requests`: every change of the prize meters; a repeated request is made only once.

A table's wager, outcome and pick have natural keys (table, round, box). For other requests (a
deposit, a cash-out, a sign) the caller gives a key, and may repeat the request with it after a
crash, when it is unknown whether it was recorded.

The complete request is recorded: `again` repeats it from the ledger.
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
    """An open database of meters. `clock` returns the time; the default is the database's."""

    def __init__(self, database: Database, clock: Clock | None = None) -> None:
        self.database = database
        self.clock = clock or database.now

    @classmethod
    def open(cls, where: str, clock: Clock | None = None, create: bool = False) -> Self:
        """Open `postgresql://…` or a file; `create` makes it if it is missing."""
        return cls(Database.open(where, create), clock)

    # Systems and their tables

    def create(self, name: str, terms: SystemTerms) -> Receipt:
        """Create a prize meter system, with its meters at their seeds and no table yet."""
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
                f"a prize meter system {name!r} was created before with other terms",
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

        `into`, for a closure: the systems that get the value above the seeds, and their shares.
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
        """Pay a balance out in chips: all of it, unless an amount is given."""
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
        """Place a jackpot wager.

        `journal` is the name of the journal of the round: all wagers of a round must have the same
        one, so another program under the same table name is refused.
        """
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
        """Record the outcome of a round: box and hand of each winner; empty without winners."""
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

        The reason is recorded, and `check` reports it.
        """
        check_key(reference)
        if not (0 < len(reason.strip()) <= MOST_REASON and reason.isprintable()):
            raise BadTermsError(
                f"{quoted(reason)} is not a valid reason",
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
        """Repeat a request that a ledger records. Raises any exception if it is not valid."""
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
    """Return the key of an event at a table. Raises BadTermsError for an invalid place."""
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
