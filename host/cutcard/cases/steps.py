"""The steps of a case file, each read into the events that it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from cutcard.cases.case import MalformedCaseError, Step
from cutcard.cases.codec import EVENTS, IN_CASES, IN_JOURNALS, KINDS
from cutcard.cases.reading import Fields
from cutcard.engine.books.buttons import button_rules
from cutcard.engine.events import (
    LATE,
    Act,
    Deal,
    Event,
    Irregularity,
    Metered,
    Press,
    Ruling,
    Settled,
)
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import RULEBOOKS, contents
from cutcard.rulebooks.vocabulary import (
    IRREGULARITIES,
    RULINGS,
    IrregularityKind,
    RulingKind,
    words_of,
)

# The allowed keys of each act in addition to `box` and `player`.
ACTS: dict[str, tuple[str, ...]] = {
    "hit": (),
    "stand": (),
    "double": ("amount", "free"),
    "split": ("amount", "free"),
    "designate": ("hand",),
    "surrender": (),
    "insure": ("amount", "for"),
    "even-money": (),
    "keep-riding": ("bet", "amount"),
    "withdraw-double": ("hand",),
    LATE: ("bet", "amount"),
}
# The reason that a key of an irregularity is required.
_NEEDED = {
    "cards": "names its cards",
    "card": "names its card",
    "bet": "names the wager",
    "box": "names its box",
}


class Setting(NamedTuple):
    """The table and the wagers that the steps refer to."""

    table: Table
    placed: tuple[Placed, ...]

    @property
    def wagered(self) -> frozenset[int]:
        return frozenset(wager.box for wager in self.placed if wager.bet == "main")

    @property
    def people(self) -> frozenset[str]:
        """Return the players with a wager here, and the roles of all rulebooks."""
        roles = [role for name in RULEBOOKS for role in contents(name).roles]
        roles += self.table.book.roles
        return frozenset((*(wager.player for wager in self.placed), *roles))


def read_steps(fields: Fields, setting: Setting) -> Iterator[Step]:
    for number, entry in enumerate(fields.sequence("steps")):
        where = f"steps[{number}]"
        step = Fields(entry, where)
        if "refused" in step:
            inner = Fields(step.raw("refused"), f"{where}.refused")
            events = _events(inner, setting)
            inner.done()
            yield Step(where, events, step.text("rule"))
            step.done()
        else:
            yield Step(where, _events(step, setting))
            step.done()
            _check_names(step, setting)


def read_event(step: Mapping[str, Any], setting: Setting) -> Event:
    """Return the one event that a step of a journal describes."""
    [event] = _events(Fields(step, "step"), setting)
    return event


def _check_names(step: Fields, setting: Setting) -> None:
    """Check that an act or press is for a bet of this table, and that a ruling person exists.

    Steps that the engine must refuse are not checked.
    """
    if "press" in step:
        _equipped_bet(step, setting, "press", "press")
    if "act" in step and "bet" in step:
        _bet(step, setting)
    for key in ("by", "player") if "ruling" in step else ():
        name = step.text(key, None) if key in step else None
        if name is not None and name not in setting.people:
            raise MalformedCaseError(
                step.key(key), f"{name!r} is not a role and not a player with a wager"
            )


def _events(step: Fields, setting: Setting) -> tuple[Event, ...]:
    kinds = [kind for kind in (*KINDS, IN_CASES) if kind in step]
    if len(kinds) != 1:
        known = ", ".join(IN_CASES if kind == IN_JOURNALS else kind for kind in KINDS)
        wanted = f"must have exactly one of {known}"
        raise MalformedCaseError(step.key("").rstrip("."), wanted)
    if kinds == ["deal"]:
        to = step.place("to")
        return tuple(Deal(card, to) for card in step.cards("deal", least=1))
    if kinds == ["act"]:
        return (_act(step),)
    if kinds[0] in (IN_CASES, IN_JOURNALS):
        return (_irregularity(step, kinds[0], setting),)
    if kinds == ["ruling"]:
        return (_ruling(step, setting),)
    if kinds == ["metered"]:
        _meter(step, setting)
        read = Metered(**EVENTS[Metered].read(step))
        if read.cents == 0:
            raise step.wrong("records", "the amount on the meter, more than 0", 0)
        return (read,)
    if kinds == ["press"]:
        return (Press(**EVENTS[Press].read(step)),)
    return (Settled(**EVENTS[Settled].read(step)),)


def meters_of(table: Table) -> tuple[str, ...]:
    """Return the meters that wagers of this table are paid from."""
    sides = [side for bet, side in table.book.side_wagers.items() if bet in table.offers]
    shares = [share.meter for side in sides for share in side.meter_share.values()]
    return tuple(dict.fromkeys(shares))


def _meter(step: Fields, setting: Setting) -> str:
    meter: str = step.text("metered")
    known = meters_of(setting.table)
    if meter not in known:
        raise step.wrong(
            "metered", f"a meter of this table ({', '.join(known) or 'it has no meter'})", meter
        )
    return meter


def _act(step: Fields) -> Act:
    kind = step.text("act", among=ACTS)
    return Act(**EVENTS[Act].read(step, ("act", "box", "player", *ACTS[kind])))


def _irregularity(step: Fields, key: str, setting: Setting) -> Irregularity:
    kind: IrregularityKind = step.text(key, among=IRREGULARITIES)
    says = IRREGULARITIES[kind]
    for key in says.needs:
        if key not in step:
            raise MalformedCaseError(step.key(key), f"is missing: {kind} {_NEEDED[key]}")
    said = EVENTS[Irregularity].read(step, set(says.keys) - set(_KEYS))
    said |= {
        "cards" if key == "card" else key: read(step, kind, setting)
        for key, read in _KEYS.items()
        if key in says.keys
    }
    _check_cards(step, kind, said)
    if kind == "meter-mismatch":
        _check_displays(step, setting)
    return Irregularity(kind, **said)


def _word(key: str, default: str) -> _Read:
    return lambda step, kind, _: step.text(key, default, among=words_of(kind, key))


# Readers of keys for which an irregularity has further limits.
_Read = Callable[[Fields, IrregularityKind, Setting], Any]
_KEYS: dict[str, _Read] = {
    "device": _word("device", ""),
    "card": lambda step, *_: step.cards("card", "", least=1 if "card" in step else 0, most=1),
    "cards": lambda step, kind, _: step.cards(
        "cards", "", least=2 if kind == "simultaneous-draw" else 0
    ),
    "found": _word("found", ""),
    "box": lambda step, kind, setting: _box(step, kind, setting),
    "option": _word("option", "draw"),
    "bet": lambda step, kind, setting: _equipped_bet(step, setting, kind),
    "players": lambda step, _, setting: _players(step, setting),
}


def _check_cards(step: Fields, kind: IrregularityKind, said: Mapping[str, Any]) -> None:
    """Check that disclosed cards are among the drawn ones, and that each later card has a place."""
    cards, disclosed = said.get("cards", ()), said.get("disclosed", ())
    for index in disclosed:
        if not 0 < index <= len(cards) or disclosed.count(index) > 1:
            wanted = f"indexes from 1 to {len(cards)}, each once"
            raise step.wrong("disclosed", wanted, list(disclosed))
    if kind != "not-offered":
        return
    if len(cards) != len(said["boxes"]):
        raise MalformedCaseError(
            step.key("boxes"),
            f"must have one place for each of the {len(cards)} cards, not {len(said['boxes'])}",
        )
    if said["option"] == "insurance" and cards:
        raise MalformedCaseError(step.key("cards"), "is only for the options draw and decision")


def _check_displays(step: Fields, setting: Setting) -> None:
    """Require the display that decides the prize; a missing display was dark."""
    rules = button_rules(setting.table.book.name)
    by_panel = rules is not None and rules.panel_prevails
    if "panel" not in step and (by_panel or "meter" not in step):
        raise MalformedCaseError(step.key("panel"), "is missing; add the prize on this display")


def _box(step: Fields, kind: IrregularityKind, setting: Setting) -> int:
    """Return the box: one with a main wager, or for `no-wager` one without."""
    box: int = step.box()
    if kind == "no-wager" and box in setting.wagered:
        raise MalformedCaseError(
            step.key("box"), f"must be a box without a wager; box {box} has one"
        )
    if kind in _ABOUT_A_HAND and box not in setting.wagered:
        raise MalformedCaseError(
            step.key("box"), f"must be a box with a main wager; box {box} has none"
        )
    return box


_ABOUT_A_HAND = ("box-missed", "one-card", "not-offered", "absent")


# The equipment that an irregularity concerns: a button that draws a prize, a meter, or either.
_EQUIPMENT = {
    "jackpot-failure": ("button", "meter"),
    "meter-mismatch": ("button",),
    "button-misfire": ("button",),
    "wager-not-entered": ("meter",),
}


def _equipped_bet(step: Fields, setting: Setting, kind: str, key: str = "bet") -> str:
    """Return the bet of this table with the equipment of an irregularity or a press."""
    bet = _bet(step, setting, key)
    side = setting.table.book.side_wagers.get(bet)
    if side is None:
        return bet  # the table is refused for offering it
    button = any(column.prizes.chances for column in side.columns)
    has = {"button": button, "meter": bool(side.meter_share)}
    needed = _EQUIPMENT.get(kind, ("button",))
    if not any(has[equipment] for equipment in needed):
        raise MalformedCaseError(step.key(key), f"{bet!r} has no {' or '.join(needed)}")
    return bet


def _bet(step: Fields, setting: Setting, key: str = "bet") -> str:
    bet: str = step.text(key)
    if bet not in setting.table.offers:
        known = ", ".join(setting.table.offers) or "no side bets"
        raise MalformedCaseError(
            step.key(key), f"{bet!r} is not offered at this table; its side bets: {known}"
        )
    return bet


def _ruling(step: Fields, setting: Setting) -> Ruling:
    kind: RulingKind = step.text("ruling", among=RULINGS)
    ruling = Ruling(**EVENTS[Ruling].read(step, ("ruling", "by", *RULINGS[kind].keys)))
    if ruling.bet is not None:
        _wager(step, setting)
    return ruling


def _wager(step: Fields, setting: Setting) -> str:
    bet: str = step.text("bet")
    return bet if bet in ("main", "insurance", "ante") else _bet(step, setting)


def _players(step: Fields, setting: Setting) -> tuple[str, ...]:
    """Return the players in the step; each must have a wager here."""
    names = step.texts("players")
    for name in names:
        if name not in {wager.player for wager in setting.placed}:
            raise MalformedCaseError(step.key("players"), f"{name!r} has no wager here")
    return names
