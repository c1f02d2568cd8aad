"""The steps of a case file, each read into the events that it stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cutcard.cards import Card
from cutcard.cases.case import MalformedCaseError, Step
from cutcard.cases.reading import Fields
from cutcard.engine.events import (
    DEALERS_PLACE,
    Act,
    Deal,
    Event,
    Fault,
    Metered,
    Press,
    Ruling,
    Settled,
)
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import RULEBOOKS, contents

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
}
FAULTS: dict[str, tuple[str, ...]] = {
    "malfunction": ("device", "hands"),
    "simultaneous-draw": ("cards", "disclosed"),
    "face-up": ("card",),
    "drawn-in-error": ("card", "exposed", "to"),
    "wrong-cards": ("found",),
    "misdeal": ("boxes",),
    "box-missed": ("box",),
    "one-card": ("box",),
    "no-wager": ("box",),
    "dealer-missed": (),
    "not-offered": ("box", "option", "cards", "boxes"),
    "wager-not-entered": ("box", "bet"),
    "suspect-shuffle": (),
    "exposed-cards": (),
    "fraud": ("players",),
    "no-burn": ("card",),
    "no-cut-card": ("card",),
    "cut-card-missed": ("card",),
    "damaged-card": ("card",),
    "cut-card": (),
    "shoe-empty": (),
    "power-failure": (),
    "disruption": ("cause",),
    "jackpot-failure": ("bet", "device"),
    "meter-mismatch": ("bet", "meter", "panel"),
    "button-misfire": ("bet", "box", "player", "prize", "offered"),
    "absent": ("box",),
}
NEEDED: dict[str, tuple[str, str]] = {
    "simultaneous-draw": ("cards", "names its cards"),
    "face-up": ("card", "names its card"),
    "drawn-in-error": ("card", "names its card"),
    "wager-not-entered": ("bet", "names the wager"),
    "jackpot-failure": ("bet", "names the wager"),
    "meter-mismatch": ("bet", "names the wager"),
    "button-misfire": ("bet", "names the wager"),
}
DEVICES = {"malfunction": ("shuffler", "shoe"), "jackpot-failure": ("controller",)}
# A player's ruling may say whose it is, and which box or wager it concerns.
_OF_A_PLAYER = ("player", "box", "bet")
# What each ruling may say beside `by`.
RULINGS: dict[str, tuple[str, ...]] = {
    "void-round": (),
    "void-hands": ("hands",),
    "void-wagers": ("player",),
    "reconstruct": ("cards",),
    "continue": _OF_A_PLAYER,
    "choose": ("card", *_OF_A_PLAYER),
    "refuse-card": _OF_A_PLAYER,
    "withdraw": _OF_A_PLAYER,
    "stay": _OF_A_PLAYER,
    "burn": (),
    "accept": _OF_A_PLAYER,
    "press-again": _OF_A_PLAYER,
    "act-on-hand": _OF_A_PLAYER,
    "take-first-card": _OF_A_PLAYER,
    "declare-malfunction": (),
}
KINDS = ("deal", "act", "press", "fault", "ruling", "settled", "metered")


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
            _check_who(step, setting)


def _check_who(step: Fields, setting: Setting) -> None:
    """A press is for a wager of this table, and who rules is somebody here.

    What the engine must refuse may be tried by anybody, for anything.
    """
    if "press" in step:
        _bet(step, setting, "press")
    for key in ("by", "player") if "ruling" in step else ():
        name = step.text(key, None) if key in step else None
        if name is not None and name not in setting.people:
            raise MalformedCaseError(
                step.key(key), f"{name!r} is no role, and nobody of that name has a wager here"
            )


def _events(step: Fields, setting: Setting) -> tuple[Event, ...]:
    kinds = [kind for kind in KINDS if kind in step]
    if len(kinds) != 1:
        wanted = f"must have one of {', '.join(KINDS)}"
        raise MalformedCaseError(step.key("").rstrip("."), wanted)
    if kinds == ["deal"]:
        to = step.place("to")
        return tuple(Deal(card, to) for card in step.cards("deal", least=1))
    if kinds == ["act"]:
        return (_act(step),)
    if kinds == ["press"]:
        return (
            Press(step.text("press"), step.box(), step.text("player", None), step.prize("prize")),
        )
    if kinds == ["fault"]:
        return (_fault(step, setting),)
    if kinds == ["ruling"]:
        return (_ruling(step, setting),)
    if kinds == ["metered"]:
        read = Metered(_meter(step, setting), step.cents("records"))
        if read.cents == 0:
            raise step.wrong("records", "what the meter records, more than nothing", 0)
        return (read,)
    return (Settled(step.text("settled", among=("interim", "round"))),)


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
    keys = ACTS[kind]
    return Act(
        kind=kind,
        box=step.box(default=None),
        player=step.text("player", None),
        amount=step.cents("amount", None) if "amount" in keys else None,
        free=step.flag("free", default=True) if "free" in keys else True,
        bet=step.text("bet", None) if "bet" in keys else None,
        hand=step.box("hand", None) if "hand" in keys else None,
        for_player=step.text("for", None) if "for" in keys else None,
    )


def _fault(step: Fields, setting: Setting) -> Fault:
    kind = step.text("fault", among=FAULTS)
    keys = FAULTS[kind]
    needed, why = NEEDED.get(kind, ("fault", ""))
    if needed not in step:
        raise MalformedCaseError(step.key(needed), f"is missing: {kind} {why}")
    fault = Fault(
        kind=kind,
        device=step.text("device", "", among=DEVICES[kind]) if "device" in keys else "",
        hands=step.places("hands") if "hands" in keys else (),
        cards=_cards(step, kind, keys),
        disclosed=step.boxes("disclosed") if "disclosed" in keys else (),
        exposed=step.flag("exposed") if "exposed" in keys else False,
        to=step.place("to") if "to" in keys else None,
        found=step.text("found", "", among=("extra", "missing", "foreign", "unshuffled"))
        if "found" in keys
        else "",
        boxes=_boxes(step) if "boxes" in keys else (),
        box=_box(step, kind, setting) if "box" in keys else None,
        option=step.text("option", "draw", among=("draw", "decision", "insurance"))
        if "option" in keys
        else "",
        bet=_bet(step, setting) if "bet" in keys else "",
        player=step.text("player", None) if "player" in keys else None,
        players=step.texts("players") if "players" in keys else (),
        cause=step.text("cause", "") if "cause" in keys else "",
        meter=step.prize("meter", 0) if "meter" in keys else 0,
        panel=step.prize("panel", 0) if "panel" in keys else 0,
        prize=step.prize("prize", 0) if "prize" in keys else 0,
        offered=step.flag("offered") if "offered" in keys else False,
    )
    _check_cards(step, fault)
    if kind == "meter-mismatch":
        _check_displays(step, setting)
    return fault


def _cards(step: Fields, kind: str, keys: tuple[str, ...]) -> tuple[Card, ...]:
    if "cards" in keys:
        return step.cards("cards", "", least=2 if kind == "simultaneous-draw" else 0)
    if "card" not in keys:
        return ()
    return step.cards("card", "", least=1 if "card" in step else 0, most=1)


def _check_cards(step: Fields, fault: Fault) -> None:
    """Each card that was seen is one of those drawn; each dealt since went to one place."""
    for index in fault.disclosed:
        if not 0 < index <= len(fault.cards) or fault.disclosed.count(index) > 1:
            wanted = f"indexes from 1 to {len(fault.cards)}, each once"
            raise step.wrong("disclosed", wanted, list(fault.disclosed))
    if fault.kind == "not-offered" and len(fault.cards) != len(fault.boxes):
        raise MalformedCaseError(
            step.key("boxes"),
            f"{len(fault.cards)} cards were dealt since, and {len(fault.boxes)} places are named",
        )
    if fault.kind == "not-offered" and fault.option == "insurance" and fault.cards:
        raise MalformedCaseError(step.key("cards"), "is for the options draw and decision")


def _check_displays(step: Fields, setting: Setting) -> None:
    """A display that is left out was dark; Crown pays what the panel shows (11.6.3(a))."""
    crown = setting.table.book.name == "crown-melbourne-26"
    if "panel" not in step and (crown or "meter" not in step):
        raise MalformedCaseError(step.key("panel"), "is missing: it says which prize was won")


def _box(step: Fields, kind: str, setting: Setting) -> int:
    """The box that a fault is about: one with a main wager, or one that should have had none."""
    box: int = step.box()
    if kind == "no-wager" and box in setting.wagered:
        raise MalformedCaseError(step.key("box"), f"there is a wager on box {box}")
    if kind in _ABOUT_A_HAND and box not in setting.wagered:
        raise MalformedCaseError(step.key("box"), f"there is no main wager on box {box}")
    return box


_ABOUT_A_HAND = ("box-missed", "one-card", "not-offered", "absent")


def _bet(step: Fields, setting: Setting, key: str = "bet") -> str:
    bet: str = step.text(key)
    if bet not in setting.table.offers:
        known = ", ".join(setting.table.offers) or "none"
        raise MalformedCaseError(
            step.key(key), f"{bet!r} is not offered at this table; its side bets: {known}"
        )
    return bet


def _ruling(step: Fields, setting: Setting) -> Ruling:
    kind = step.text("ruling", among=RULINGS)
    keys = RULINGS[kind]
    return Ruling(
        kind=kind,
        by=step.text("by", None),
        hands=step.places("hands") if "hands" in keys else (),
        cards=step.cards("cards", "") if "cards" in keys else (),
        chosen=_chosen(step) if "card" in keys else (),
        player=step.text("player", None) if "player" in keys else None,
        box=step.box(default=None) if "box" in keys else None,
        bet=_wager(step, setting) if "bet" in keys and "bet" in step else None,
    )


def _wager(step: Fields, setting: Setting) -> str:
    bet: str = step.text("bet")
    return bet if bet in ("main", "insurance", "ante") else _bet(step, setting)


def _boxes(step: Fields) -> tuple[int, ...]:
    """Boxes, or the dealer's place, that cards went to."""
    places = step.places("boxes")
    return tuple(
        DEALERS_PLACE if place == "dealer" else int(place.partition(".")[0]) for place in places
    )


def _chosen(step: Fields) -> tuple[int, ...]:
    value = step.raw("card", ())
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return step.boxes("card")
