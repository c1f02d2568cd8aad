"""Reading a case from a TOML file; every mistake is reported with its key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cutcard import untrusted
from cutcard.cases.case import Case, Expected, MalformedCaseError, Step
from cutcard.cases.codec import HEAD, SIGN, TABLE, WAGER
from cutcard.cases.reading import Fields
from cutcard.cases.steps import Setting, meters_of, read_steps
from cutcard.engine.events import Irregularity
from cutcard.engine.ledger import Key
from cutcard.engine.state import DEALER, Placed, Table
from cutcard.engine.tables import may_force_draws, refusals
from cutcard.rulebooks.book import (
    RULEBOOKS,
    Rulebook,
    Source,
    UnknownRulebookError,
    contents,
    has_dated_texts,
    open_rulebook,
)
from cutcard.rulebooks.folder import RulebookFolder, names_a_folder, read_folder
from cutcard.rulebooks.text import MalformedRulebookError
from cutcard.untrusted import BadContentError, file_beside

_WITH_A_MAXIMUM = ("blackpot",)  # the notice limits their payments (Crown 23)
RESULTS = ("win", "lose", "stand-off", "void", "surrendered", "carried")


def load_case(path: Path) -> Case:
    """Read one file. Raises MalformedCaseError."""
    try:
        data = untrusted.read_toml(path, exact=True)
    except OSError as error:
        raise MalformedCaseError(
            "file", f"cannot be read: {untrusted.why_unreadable(error)}"
        ) from error
    except untrusted.BadContentError as error:
        raise MalformedCaseError("file", str(error)) from error
    return read_case(path, data)


def read_case(path: Path, data: dict[str, Any]) -> Case:
    fields = Fields(data, "")
    title = fields.text("title", path.stem)
    table = read_table(path, fields)
    placed = read_wagers(fields, table)
    if "invalid" in fields:
        invalid = fields.text("invalid")
        fields.done()
        return Case(path, title, table, placed, invalid=invalid)
    steps = tuple(read_steps(fields, Setting(table, placed)))
    case = Case(
        path,
        title,
        table,
        placed,
        steps=steps,
        deal_order=_deal_order(placed, steps),
        round=fields.text("round", among=("complete", "void")),
        cites=fields.texts("cites"),
        expect=_expected(fields, bool(placed)),
    )
    fields.done()
    return case


def read_table(path: Path, fields: Fields) -> Table:
    """Return the table that a case file or a table file describes."""
    book = _rulebook(path, fields)
    sign = Fields(fields.raw("table", {}), "table")
    table = Table(book, **TABLE.read(fields, HEAD), **TABLE.read(sign, SIGN))
    sign.done()
    _check_sign(sign, table)
    return table


def _rulebook(path: Path, fields: Fields) -> Rulebook:
    """Return an included rulebook by its name, or `./my-rules`: a folder next to the case file."""
    name = fields.text("rulebook")
    if not names_a_folder(name):
        name = fields.text("rulebook", among=RULEBOOKS)
    as_of = fields.day("as_of")
    try:
        source = _folder_beside(path, name) if names_a_folder(name) else name
        if as_of is not None and not has_dated_texts(source):
            dated = ", ".join(book for book in RULEBOOKS if has_dated_texts(book))
            raise MalformedCaseError("as_of", f"{name} has only one text; {dated} has dated texts")
        open_rulebook(source)
        return open_rulebook(source, _variants(fields, source), as_of)
    except (UnknownRulebookError, MalformedRulebookError, BadContentError) as error:
        raise MalformedCaseError("rulebook", str(error)) from error


def _folder_beside(path: Path, name: str) -> RulebookFolder:
    """Read a custom rulebook next to the case file or below it.

    A case may come from a stranger, so it cannot name any other folder.
    """
    inside = name.removeprefix("./").removesuffix("/")
    return read_folder(file_beside(path.parent, f"{inside}/base.toml").parent, name)


def _check_sign(sign: Fields, table: Table) -> None:
    """Refuse keys on the sign that do not apply to the table's game or side bets."""
    jackpots = meters_of(table)
    for name, amounts, known in (
        ("stakes", table.stakes, tuple(table.offers)),
        ("side_min", table.side_minimum, tuple(table.offers)),
        ("side_max", table.side_maximum, tuple(table.offers)),
        ("meters", table.meters, jackpots),
        ("seeds", table.seeds, jackpots),
        ("max_payout", table.max_payout, [bet for bet in _WITH_A_MAXIMUM if bet in table.offers]),
    ):
        for key in amounts:
            if key not in known:
                why = f"is not used at this table; valid keys: {', '.join(known) or 'no keys'}"
                raise MalformedCaseError(sign.key(f"{name}.{key}"), why)
    for meter, cents in table.meters.items():
        if cents == 0:
            raise sign.wrong(f"meters.{meter}", "the amount on the meter, more than 0", 0)
    if table.maximum is not None and table.maximum < (table.minimum or 0):
        raise MalformedCaseError(sign.key("max"), "is less than the minimum")
    for bet, most in table.side_maximum.items():
        if most < table.side_minimum.get(bet, 0):
            raise MalformedCaseError(sign.key(f"side_max.{bet}"), "is less than the minimum")
    for key in ("ante", "ante_waived_from"):
        if key in sign and not table.book.flag("ante.placed"):
            raise MalformedCaseError(sign.key(key), "is only for Ante Up; this game has no ante")
    if table.forced_draw and not may_force_draws(table.book):
        why = f"is only for a sign that forces draws, which {table.book.name} does not have"
        raise MalformedCaseError(sign.key("forced_draw"), why)


def _variants(fields: Fields, rulebook: Source) -> tuple[str, ...]:
    known = contents(rulebook).variants
    value = fields.raw("variant", ())
    chosen = (value,) if isinstance(value, str) else value
    twice = isinstance(chosen, list | tuple) and any(chosen.count(v) > 1 for v in chosen)
    if not isinstance(chosen, list | tuple) or twice or value == []:
        raise fields.wrong("variant", "a variant, or a list of different variants", value)
    for variant in chosen:
        if variant not in known:
            raise fields.wrong("variant", f"one of {', '.join(known)}", variant)
    return tuple(chosen) or known[:1]


def read_wagers(fields: Fields, table: Table) -> tuple[Placed, ...]:
    """Read the wagers of a round at this table."""
    wagers: list[Placed] = []
    listed = fields.sequence("wagers", ()) if "invalid" in fields else fields.sequence("wagers")
    for number, entry in enumerate(listed):
        wager = Fields(entry, f"wagers[{number}]")
        placed = Placed(**WAGER.read(wager))
        wager.done()
        if placed.amount == 0:
            raise wager.wrong("amount", "more than 0", 0)
        _check_wager(wager, placed, table)
        wagers.append(placed)
    ante = table.book.flag("ante.placed") and table.ante is None
    if ante and "invalid" not in fields and any(wager.bet == "main" for wager in wagers):
        raise MalformedCaseError("table.ante", "is missing; add the ante on the sign of Ante Up")
    _each_once(table, wagers)
    return tuple(wagers)


def _check_wager(wager: Fields, placed: Placed, table: Table) -> None:
    """Refuse keys that do not apply to this kind of wager, and a missing player's name."""
    if not placed.player.strip() or placed.player in table.book.roles:
        raise wager.wrong("player", "a player's name that is not the name of a role", placed.player)
    side = table.book.side_wagers.get(placed.bet)
    for key, there, kind in (
        ("carried", placed.carried and placed.bet != "blackpot", "a Blackpot wager"),
        ("picked", placed.picked and not (side and side.meter_share), "a jackpot wager"),
        ("limit", placed.limit is not None and placed.bet != "main", "a main wager"),
        ("ante", not placed.ante and placed.bet != "main", "a main wager"),
    ):
        if there:
            raise MalformedCaseError(
                wager.key(key), f"is only for {kind}; this wager is {placed.bet}"
            )
    if not placed.ante and not table.book.flag("ante.placed"):
        raise MalformedCaseError(wager.key("ante"), "is only for Ante Up; this game has no ante")


def _each_once(table: Table, wagers: list[Placed]) -> None:
    """Refuse two wagers with the same result key, unless a rule refuses the second."""
    keys = [wager.key for wager in wagers]
    for number, key in enumerate(keys):
        if key in keys[:number] and not refusals(table, wagers):
            raise MalformedCaseError(
                f"wagers[{number}]", f"{key.player} already has {key.bet} on this box"
            )


def _expected(fields: Fields, required: bool) -> tuple[Expected, ...]:
    expected: list[Expected] = []
    entries = fields.sequence("expect") if required else fields.sequence("expect", ())
    for number, entry in enumerate(entries):
        line = Fields(entry, f"expect[{number}]")
        entered = Expected(
            Key(line.box(), line.text("player"), line.text("bet")),
            line.text("result", among=RESULTS),
            line.cents("net", signed=True),
            line.texts("rules"),
        )
        line.done()
        if any(other.key == entered.key for other in expected):
            raise MalformedCaseError(f"expect[{number}]", "this wager already has an entry")
        expected.append(entered)
    return tuple(expected)


def _deal_order(placed: tuple[Placed, ...], steps: tuple[Step, ...]) -> tuple[str, ...]:
    """Return the actual order of the initial deal, from the irregularities noticed later."""
    events = [event for step in steps for event in step.events]
    noticed = [event for event in events if isinstance(event, Irregularity)]
    missed = {each.box for each in noticed if each.kind == "box-missed"}
    one_card = {each.box for each in noticed if each.kind == "one-card"}
    unwagered = {each.box for each in noticed if each.kind == "no-wager"}
    dealer = [] if any(each.kind == "dealer-missed" for each in noticed) else [DEALER]
    boxes = {wager.box for wager in placed if wager.bet == "main"}
    dealt = sorted((boxes | {box for box in unwagered if box is not None}) - missed)
    if not dealt:
        return ()
    second = [str(box) for box in dealt if box not in one_card]
    return (*map(str, dealt), *dealer, *second)
