"""The steps of a case file, each read into the events that it stands for."""

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

# What each act may say beside `box` and `player`.
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
# Why a key of an irregularity cannot be left out.
_NEEDED = {
    "cards": "names its cards",
    "card": "names its card",
    "bet": "names the wager",
    "box": "names its box",
}


class Setting(NamedTuple):
    """The table and the wagers that the steps are about."""

    table: Table
    placed: tuple[Placed, ...]

    @property
    def wagered(self) -> frozenset[int]:
        return frozenset(wager.box for wager in self.placed if wager.bet == "main")

    @property
    def people(self) -> frozenset[str]:
        """Everybody with a wager here, and every role of any rulebook."""
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
    """The one event that a step of a journal stands for."""
    [event] = _events(Fields(step, "step"), setting)
    return event


def _check_names(step: Fields, setting: Setting) -> None:
    """A press or an act is about a bet of this table, and who rules is somebody here.

    What the engine must refuse may be tried by anybody, for anything.
    """
    if "press" in step:
        _equipped_bet(step, setting, "press", "press")
    if "act" in step and "bet" in step:
        _bet(step, setting)
    for key in ("by", "player") if "ruling" in step else ():
        name = step.text(key, None) if key in step else None
        if name is not None and name not in setting.people:
            raise MalformedCaseError(
                step.key(key), f"{name!r} is no role, and nobody of that name has a wager here"
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
            raise step.wrong("records", "what the meter records, more than nothing", 0)
        return (read,)
    if kinds == ["press"]:
        return (Press(**EVENTS[Press].read(step)),)
    return (Settled(**EVENTS[Settled].read(step)),)


def meters_of(table: Table) -> tuple[str, ...]:
    """The meters that wagers of this table are played for."""
    sides = [side for bet, side in table.book.side_wagers.items() if bet in table.offers]
    shares = [share.meter for side in sides for share in side.meter_share.values()]
    return tuple(dict.fromkeys(shares))


def _meter(step: Fields, setting: Setting) -> str:
    meter: str = step.text("metered")
    known = meters_of(setting.table)
    if meter not in known:
        raise step.wrong("metered", f"a meter of this table ({', '.join(known) or 'none'})", meter)
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


# How the keys are read of which an irregularity says more than their form.
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
    """Each card that was seen is one of those drawn; each dealt since went to one place."""
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
            f"{len(cards)} cards were dealt since, and {len(said['boxes'])} places are named",
        )
    if said["option"] == "insurance" and cards:
        raise MalformedCaseError(step.key("cards"), "is for the options draw and decision")


def _check_displays(step: Fields, setting: Setting) -> None:
    """A display that is left out was dark; the prize is what the one shows that prevails."""
    rules = button_rules(setting.table.book.name)
    by_panel = rules is not None and rules.panel_prevails
    if "panel" not in step and (by_panel or "meter" not in step):
        raise MalformedCaseError(step.key("panel"), "is missing: it says which prize was won")


def _box(step: Fields, kind: IrregularityKind, setting: Setting) -> int:
    """The box that it is about: one with a main wager, or one that should have had none."""
    box: int = step.box()
    if kind == "no-wager" and box in setting.wagered:
        raise MalformedCaseError(step.key("box"), f"there is a wager on box {box}")
    if kind in _ABOUT_A_HAND and box not in setting.wagered:
        raise MalformedCaseError(step.key("box"), f"there is no main wager on box {box}")
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
    """Return the bet of this table that has the equipment an irregularity or a press concerns."""
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
        known = ", ".join(setting.table.offers) or "none"
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
    """Whose wagers a ruling may void: players who have one here."""
    names = step.texts("players")
    for name in names:
        if name not in {wager.player for wager in setting.placed}:
            raise MalformedCaseError(step.key("players"), f"{name!r} has no wager here")
    return names
