"""Groups of tables: tables join, leave and move, and a system closes (21.5.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction

from cutcard.meters import systems
from cutcard.meters.database import Database
from cutcard.meters.errors import (
    BadTermsError,
    NoNoticeError,
    NoticeStandsError,
    NoticeTooShortError,
    RoundOpenError,
    Rules,
    TableTakenError,
    UnknownTableError,
)
from cutcard.meters.ledger import HOUSE, Turn, last_entry, meter_account
from cutcard.meters.systems import System
from cutcard.meters.terms import check_name, check_share

KINDS = ("join", "leave", "move", "close")
NOTICE = timedelta(minutes=20)
CLOCK = "clock"  # the kind of entries that set the ledger's clock


@dataclass(frozen=True, slots=True)
class SignChange:
    """A change that a sign announces: join, leave, move or close.

    `table` is empty for a closure, `target` for every change except a move.
    """

    kind: str
    system: str
    table: str = ""
    target: str = ""

    def __str__(self) -> str:
        words = {
            "join": f"table {self.table} joining {self.system}",
            "leave": f"table {self.table} leaving {self.system}",
            "move": f"table {self.table} moving from {self.system} to {self.target}",
            "close": f"the closure of {self.system}",
        }
        return words[self.kind]

    def rules(self, system: System) -> Rules:
        return system.rules("closing" if self.kind == "close" else "notice")


@dataclass(frozen=True, slots=True)
class Notice:
    """A sign: its announcement, the time of its display, and whether the change was made.

    If the ledger's clock was set after the sign was displayed, the duration is unknown: it counts
    from that setting.
    """

    sign: str
    change: SignChange
    since: str
    done: bool

    @property
    def over(self) -> str:
        """Return the earliest time for the change."""
        until = datetime.fromisoformat(self.since) + NOTICE
        return until.isoformat(timespec="milliseconds")


def display_notice(turn: Turn, change: SignChange, sign: str) -> None:
    """Display a sign from now on. The announced change must be possible today."""
    _check_worded(change)
    system = systems.find(turn.database, change.system)
    _check_possible(turn.database, change, system)
    standing = _latest(turn.database, change)
    if standing is not None and not standing.done:
        raise NoticeStandsError(
            f"the sign for {change} has been displayed since {standing.since}",
            f"It may be carried out from {standing.over}.",
            change.rules(system),
        )
    entry = turn.post(
        "notice",
        change.system,
        change.table,
        Fraction(0),
        change.rules(system),
        change=change.kind,
        to=change.target,
        sign=sign,
    )
    turn.database.do(
        "INSERT INTO notices (sign, number, kind, table_name, system, target, at, done)"
        " VALUES (:sign, :number, :kind, :t, :system, :target, :at, 0)",
        sign=sign,
        number=entry.number,
        kind=change.kind,
        t=change.table,
        system=change.system,
        target=change.target,
        at=turn.at,
    )


def sign_for(database: Database, change: SignChange) -> str:
    """Return the sign that announced a change. Raises NoNoticeError without one.

    For a change that was carried out and still holds, return its old sign, so that a repeated
    request reports that it is done.
    """
    notice = _latest(database, change)
    if notice is None or (notice.done and not _holds(database, change)):
        system = systems.find(database, change.system)
        _check_possible(database, change, system)
        raise NoNoticeError(
            f"no sign gives notice of {change}",
            f"Display it with `cutcard meter notice {change.kind}` and wait for twenty minutes.",
            change.rules(system),
        )
    return notice.sign


def carry_out(turn: Turn, sign: str, into: Mapping[str, Fraction]) -> None:
    """Make an announced change, at least twenty minutes after its sign (21.5.1(e), (f))."""
    notice = _notice(turn.database, sign)
    change = notice.change
    system = systems.find(turn.database, change.system)
    _check_possible(turn.database, change, system)
    if turn.at < notice.over:
        raise NoticeTooShortError(
            f"the sign for {change} has been displayed since {notice.since}",
            f"It may be carried out from {notice.over}.",
            change.rules(system),
        )
    turn.database.do("UPDATE notices SET done = 1 WHERE sign = :sign", sign=sign)
    if change.kind == "close":
        _close(turn, notice, system, into)
    else:
        _regroup(turn, change, system)


def _regroup(turn: Turn, change: SignChange, system: System) -> None:
    """Let a table join, leave or move."""
    _check_rounds(turn.database, change.table, change)
    if change.kind != "join":
        _leave(turn, change, system, change.table)
    if change.kind != "leave":
        goes_to = change.target or change.system
        turn.database.do(
            "INSERT INTO members (table_name, system, since) VALUES (:t, :system, :at)",
            t=change.table,
            system=goes_to,
            at=turn.at,
        )
        turn.post("joined", change.table, goes_to, Fraction(0), change.rules(system))


def _close(turn: Turn, notice: Notice, system: System, into: Mapping[str, Fraction]) -> None:
    """Close a system; the value above its seeds is moved to others (21.5.1(f), (g)).

    `into` has the receiving systems and the share of each. Every table must have had the sign for
    twenty minutes, also a table that joined after the sign was first displayed.
    """
    change = notice.change
    heirs = [(systems.find(turn.database, heir), share) for heir, share in into.items()]
    _check_heirs(system, heirs)
    for table, since in systems.tables_of(turn.database, system.name).items():
        _check_rounds(turn.database, table, change)
        if since > notice.since:
            raise NoticeTooShortError(
                f"table {table} joined {system.name} at {since}, after the sign for {change}",
                "Let it leave first: the sign must be displayed at every table for twenty minutes.",
                change.rules(system),
            )
        _leave(turn, change, system, table)
    for meter in system.meter_names:
        _hand_on(turn, system, meter, heirs)
    turn.database.do("UPDATE systems SET closed = 1 WHERE name = :name", name=system.name)


def _leave(turn: Turn, change: SignChange, system: System, table: str) -> None:
    turn.database.do("DELETE FROM members WHERE table_name = :t", t=table)
    turn.post("left", table, system.name, Fraction(0), change.rules(system))


def _hand_on(turn: Turn, system: System, meter: str, heirs: list[tuple[System, Fraction]]) -> None:
    """Move the value above the seed to other systems, and the seed back to the house."""
    now = systems.standing(turn.database, system.name, meter)
    account = meter_account(system.name, meter)
    above = now.value - now.seed
    for heir, share in heirs:
        if above:
            target = meter_account(heir.name, meter)
            turn.post("moved", account, target, above * share, system.rules("moved"))
    turn.post("closed", account, HOUSE, now.seed, system.rules("moved"))
    systems.require(turn, system.name, meter, Fraction(0))


def _notice(database: Database, sign: str) -> Notice:
    row = database.row(
        "SELECT sign, kind, system, table_name, target, number, at, done FROM notices"
        " WHERE sign = :sign",
        sign=sign,
    )
    if row is None:
        raise NoNoticeError(
            f"sign {sign!r} does not exist", "Display it with `cutcard meter notice` first."
        )
    sign, kind, system, table, target, number, at, done = row
    change = SignChange(kind, system, table, target)
    return Notice(sign, change, _counts_from(database, number, at), bool(done))


def _latest(database: Database, change: SignChange) -> Notice | None:
    row = database.row(
        "SELECT sign, number, at, done FROM notices WHERE kind = :kind AND table_name = :t"
        " AND system = :system AND target = :target ORDER BY number DESC",
        kind=change.kind,
        t=change.table,
        system=change.system,
        target=change.target,
    )
    if row is None:
        return None
    sign, number, at, done = row
    return Notice(sign, change, _counts_from(database, number, at), bool(done))


def _counts_from(database: Database, number: int, at: str) -> str:
    """Return the time from which a sign is proven to be displayed.

    Entry `number` recorded its display at `at`.
    """
    row = database.row(
        "SELECT at FROM ledger WHERE kind = :kind AND number > :number ORDER BY number DESC",
        kind=CLOCK,
        number=number,
    )
    return str(row[0]) if row else at


def set_clock(turn: Turn, reason: str) -> None:
    """Set the ledger's clock to now, for a reason that a person has given."""
    before = last_entry(turn.database)
    turn.post(CLOCK, "", "", Fraction(0), (), before=before.at if before else "", reason=reason)


def _holds(database: Database, change: SignChange) -> bool:
    """Return whether the announced state holds now."""
    if change.kind == "close":
        row = database.row("SELECT closed FROM systems WHERE name = :n", n=change.system)
        return bool(row and row[0])
    plays_for = _plays_for(database, change.table)
    return plays_for == {"join": change.system, "leave": "", "move": change.target}[change.kind]


def _plays_for(database: Database, table: str) -> str:
    row = database.row("SELECT system FROM members WHERE table_name = :t", t=table)
    return str(row[0]) if row else ""


def _check_worded(change: SignChange) -> None:
    """Raise BadTermsError for a sign that does not describe a change."""
    has_table, has_target = change.kind != "close", change.kind == "move"
    if (
        change.kind not in KINDS
        or bool(change.table) != has_table
        or bool(change.target) != has_target
    ):
        raise BadTermsError(
            f"{change.kind!r} of table {change.table!r} to {change.target!r} is not a valid change",
            f"A sign announces {', '.join(KINDS)}; only a move has a target, and a closure has no "
            "table.",
        )
    if has_table:
        check_name(change.table, "table")


def _check_possible(database: Database, change: SignChange, system: System) -> None:
    if change.kind == "close":
        return
    plays_for = _plays_for(database, change.table)
    if change.kind == "join":
        if plays_for:
            raise TableTakenError(
                f"table {change.table} already plays for {plays_for}",
                "Move it instead, or let it leave first.",
                system.rules("group"),
            )
        return
    if plays_for != system.name:
        raise UnknownTableError(
            f"table {change.table} plays for {plays_for or 'no prize meter'}, "
            f"not for {change.system}",
            "`cutcard meter show` lists the tables of each group.",
        )
    if change.kind == "move" and systems.find(database, change.target).name == system.name:
        raise BadTermsError(
            f"table {change.table} already plays for {system.name}", "Name another system."
        )


def _check_rounds(database: Database, table: str, change: SignChange) -> None:
    rounds = systems.open_rounds(database, table)
    if rounds:
        raise RoundOpenError(
            f"round {rounds[0]} at table {table} has jackpot wagers and no outcome yet",
            f"Record its outcome with `cutcard meter settle`, then continue with {change}.",
        )


def _check_heirs(system: System, heirs: list[tuple[System, Fraction]]) -> None:
    shares = [share for _, share in heirs]
    for heir, share in heirs:
        check_share(share, f"the share of {heir.name}")
    if sum(shares) != 1 or min(shares) <= 0:
        raise BadTermsError(
            f"the value of {system.name} above its seed must go completely to other systems",
            "Name one with --into east, or several with shares that sum to 1: --into east=1/2.",
            system.rules("moved"),
        )
    for heir, _ in heirs:
        if heir.name == system.name or heir.bet != system.bet:
            raise BadTermsError(
                f"{heir.name} cannot take over from {system.name}",
                f"Name another system that is played for with {system.bet}.",
                system.rules("moved"),
            )
