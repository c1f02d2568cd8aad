"""The errors of prize meters: one family. Nothing is paid, and nothing is lost.

`problem` says what was wrong and where, `hint` what to do next, `rules` why. A change that is
refused has left no trace in the database.
"""

from __future__ import annotations

from cutcard.coded_error import CodedError

Rules = tuple[str, ...]


class MeterError(CodedError):
    """Never raised itself. `exit_code` ends a command: 1 for "the answer is no"."""

    code = "MeterError"
    exit_code = 1

    def __init__(self, problem: str, hint: str, rules: Rules = ()) -> None:
        cited = f" [{', '.join(rules)}]" if rules else ""
        super().__init__(f"{problem}{cited}. {hint}")
        self.problem = problem
        self.hint = hint
        self.rules = rules


class CalledWronglyError(MeterError):
    """Never raised itself: the base of requests that make no sense, whenever they are made."""

    exit_code = 2


class BadTermsError(CalledWronglyError):
    """Raised when a meter's terms do not parse: an amount, a rate, a meter the bet has not got."""


class UnknownSystemError(CalledWronglyError):
    """Raised when there is no prize meter system of that name, or it has been closed."""


class UnknownTableError(CalledWronglyError):
    """Raised when a table plays for no meter, or not for the one that was named."""


class UnknownManagerError(CalledWronglyError):
    """Raised when no Personal Bet Manager has that number, or a wager must name one."""


class UnknownHandError(CalledWronglyError):
    """Raised when an outcome is recorded that the pay table has not got."""


class NameTakenError(MeterError):
    """Raised when a system of that name exists with other terms."""


class OtherRequestError(MeterError):
    """Raised when a key that has been used comes again with another request."""


class TableTakenError(MeterError):
    """Raised when a table would play for two meters: it may be in one group only."""


class NoNoticeError(MeterError):
    """Raised when a table joins, leaves or moves, or a system closes, and no sign says so."""


class NoticeTooShortError(MeterError):
    """Raised when the sign has not been displayed for twenty minutes yet."""


class NoticeStandsError(MeterError):
    """Raised when a notice is given a second time; the first one counts."""


class RoundOpenError(MeterError):
    """Raised when a table's wagers wait for an outcome, and something else would come first."""


class RoundOverError(MeterError):
    """Raised when a wager or an outcome comes for a round whose outcome is recorded."""


class NoWagerError(MeterError):
    """Raised when a box wins, or takes back, what it has not wagered."""


class WrongCostError(MeterError):
    """Raised when a jackpot wager is not of the amount that every table of the group takes."""


class BalanceTooSmallError(MeterError):
    """Raised when a wager or a cash-out is larger than the balance of a Personal Bet Manager."""


class ClockWentBackwardsError(MeterError):
    """Raised when the time is earlier than that of the last entry in the ledger."""


class ClockRanAheadError(MeterError):
    """Raised when the time is so long after the last entry that somebody must confirm it."""


class ClockImplausibleError(MeterError):
    """Raised when the time is of a year in which no meter runs: a battery is flat."""


class ClockAgreesError(MeterError):
    """Raised when the ledger's clock would be set, and it is right already."""


class LedgerDamagedError(MeterError):
    """Raised when a line of the ledger is not one that this program wrote."""


class NoDatabaseError(CalledWronglyError):
    """Raised when there is no database of meters where one was named."""


class DatabaseUnreachableError(MeterError):
    """Raised when the database cannot be opened or does not answer. The same key asks again."""


class DatabaseBusyError(MeterError):
    """Raised when other tables have kept the database locked for longer than anybody waits."""
