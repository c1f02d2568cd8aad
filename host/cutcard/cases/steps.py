"""The steps of a case file, each read into the events that it stands for."""

from __future__ import annotations

from collections.abc import Iterator

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

ACTS = (
    "hit",
    "stand",
    "double",
    "split",
    "designate",
    "surrender",
    "insure",
    "even-money",
    "keep-riding",
    "withdraw-double",
)
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
NEEDED = {"simultaneous-draw": "cards", "face-up": "card", "drawn-in-error": "card"}
RULINGS = (
    "void-round",
    "void-hands",
    "void-wagers",
    "reconstruct",
    "continue",
    "choose",
    "refuse-card",
    "withdraw",
    "stay",
    "burn",
    "accept",
    "press-again",
    "act-on-hand",
    "take-first-card",
    "declare-malfunction",
)
KINDS = ("deal", "act", "press", "fault", "ruling", "settled", "metered", "refused")


def read_steps(fields: Fields) -> Iterator[Step]:
    for number, entry in enumerate(fields.sequence("steps")):
        where = f"steps[{number}]"
        step = Fields(entry, where)
        if "refused" in step:
            inner = Fields(step.raw("refused"), f"{where}.refused")
            events = _events(inner)
            inner.done()
            yield Step(where, events, step.text("rule"))
        else:
            yield Step(where, _events(step))
        step.done()


def _events(step: Fields) -> tuple[Event, ...]:
    kinds = [kind for kind in KINDS if kind in step]
    if len(kinds) != 1:
        raise MalformedCaseError(step.key("").rstrip("."), f"must be one of {', '.join(KINDS)}")
    if kinds == ["deal"]:
        to = step.place("to")
        return tuple(Deal(card, to) for card in step.cards("deal"))
    if kinds == ["act"]:
        return (_act(step),)
    if kinds == ["press"]:
        return (
            Press(step.text("press"), step.box(), step.text("player", None), step.number("prize")),
        )
    if kinds == ["fault"]:
        return (_fault(step),)
    if kinds == ["ruling"]:
        return (_ruling(step),)
    if kinds == ["metered"]:
        return (Metered(step.text("metered"), step.cents("records")),)
    return (Settled(step.text("settled", among=("interim", "round"))),)


def _act(step: Fields) -> Act:
    return Act(
        kind=step.text("act", among=ACTS),
        box=step.box(default=None),
        player=step.text("player", None),
        amount=step.cents("amount", None),
        free=step.flag("free", default=True),
        bet=step.text("bet", None),
        hand=step.number("hand", None),
        for_player=step.text("for", None),
    )


def _fault(step: Fields) -> Fault:
    kind = step.text("fault", among=FAULTS)
    keys = FAULTS[kind]
    if NEEDED.get(kind, "fault") not in step:
        raise MalformedCaseError(step.key(NEEDED[kind]), f"is missing: {kind} names its cards")
    if "box" in keys and kind not in ("malfunction",):
        step.box()
    cards = step.cards("card", "") if "card" in keys else ()
    return Fault(
        kind=kind,
        device=step.text("device", "") if "device" in keys else "",
        hands=step.places("hands") if "hands" in keys else (),
        cards=step.cards("cards", "") if "cards" in keys else cards,
        disclosed=step.boxes("disclosed") if "disclosed" in keys else (),
        exposed=step.flag("exposed") if "exposed" in keys else False,
        to=step.place("to") if "to" in keys else None,
        found=step.text("found", "", among=("extra", "missing", "foreign", "unshuffled"))
        if "found" in keys
        else "",
        boxes=_boxes(step) if "boxes" in keys else (),
        box=step.box(default=None) if "box" in keys else None,
        option=step.text("option", "draw", among=("draw", "decision", "insurance"))
        if "option" in keys
        else "",
        bet=step.text("bet", "") if "bet" in keys else "",
        player=step.text("player", None) if "player" in keys else None,
        players=step.texts("players") if "players" in keys else (),
        cause=step.text("cause", "") if "cause" in keys else "",
        meter=step.number("meter", 0) if "meter" in keys else 0,
        panel=step.number("panel", 0) if "panel" in keys else 0,
        prize=step.number("prize", 0) if "prize" in keys else 0,
        offered=step.flag("offered") if "offered" in keys else False,
    )


def _ruling(step: Fields) -> Ruling:
    return Ruling(
        kind=step.text("ruling", among=RULINGS),
        by=step.text("by", None),
        hands=step.places("hands"),
        cards=step.cards("cards", ""),
        chosen=_chosen(step),
        player=step.text("player", None),
        box=step.box(default=None),
        bet=step.text("bet", None),
    )


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
