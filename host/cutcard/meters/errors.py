"""The errors of prize meters. A refused change is not recorded and moves no money.

`problem` is the reason and the place, `hint` the next step, `rules` the rules cited.
"""

from __future__ import annotations

from cutcard.coded_error import CodedError

Rules = tuple[str, ...]


class MeterError(CodedError):
    """The base class, never raised itself. `exit_code` ends a command: 1 for "the answer is no"."""

    code = "MeterError"
    exit_code = 1

    def __init__(self, problem: str, hint: str, rules: Rules = ()) -> None:
        cited = f" [{', '.join(rules)}]" if rules else ""
        super().__init__(f"{problem}{cited}. {hint}")
        self.problem = problem
        self.hint = hint
        self.rules = rules


class CalledWronglyError(MeterError):
    """The base class of invalid requests, which fail at any time; never raised itself."""

    exit_code = 2


class BadTermsError(CalledWronglyError):
    """Raised if a meter's terms are invalid: an amount, a rate, or a meter of another bet."""


class UnknownSystemError(CalledWronglyError):
    """Raised if a prize meter system does not exist, or has been closed."""


class UnknownTableError(CalledWronglyError):
    """Raised if a table plays for no meter, or not for the given one."""


class UnknownManagerError(CalledWronglyError):
    """Raised if a Personal Bet Manager does not exist, or is missing for a wager."""


class UnknownHandError(CalledWronglyError):
    """Raised if a recorded outcome is not in the pay table."""


class NameTakenError(MeterError):
    """Raised if a system of that name exists with other terms."""


class OtherRequestError(MeterError):
    """Raised if a used key comes again with another request."""


class TableTakenError(MeterError):
    """Raised if a table would play for two meters: it may be in only one group."""


class NoNoticeError(MeterError):
    """Raised if a table joins, leaves or moves, or a system closes, without a sign."""


class NoticeTooShortError(MeterError):
    """Raised if the sign has not been displayed for twenty minutes."""


class NoticeStandsError(MeterError):
    """Raised if a notice is given a second time; the first one counts."""


class RoundOpenError(MeterError):
    """Raised if a table's wagers still wait for an outcome that must come first."""


class RoundOverError(MeterError):
    """Raised for a wager or an outcome of a round with a recorded outcome."""


class NoWagerError(MeterError):
    """Raised if a box wins or takes back a wager that it does not have."""


class WrongCostError(MeterError):
    """Raised if a jackpot wager is not the fixed amount of the group."""


class BalanceTooSmallError(MeterError):
    """Raised if a wager or a cash-out exceeds the balance of a Personal Bet Manager."""


class ClockWentBackwardsError(MeterError):
    """Raised if the time is earlier than the last entry's in the ledger."""


class ClockRanAheadError(MeterError):
    """Raised if the time is so long after the last entry that a person must confirm it."""


class ClockImplausibleError(MeterError):
    """Raised if the year is implausible, for example because of an empty clock battery."""


class ClockAgreesError(MeterError):
    """Raised if the ledger's clock would be set, but is already right."""


class LedgerDamagedError(MeterError):
    """Raised if a line of the ledger was not written by this program."""


class NoDatabaseError(CalledWronglyError):
    """Raised if the named database of meters does not exist."""


class DatabaseUnreachableError(MeterError):
    """Raised if the database cannot be opened or does not answer. Repeat with the same key."""


class DatabaseBusyError(MeterError):
    """Raised if other tables have locked the database for longer than the maximum wait."""
