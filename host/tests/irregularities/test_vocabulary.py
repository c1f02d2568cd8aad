"""The fields of each irregularity: the vocabulary's table, and the checks against it."""

from __future__ import annotations

from typing import Any

import pytest

from cutcard.cards import parse_cards
from cutcard.cases.reading import Fields
from cutcard.cases.steps import Setting, read_steps
from cutcard.cases.writing import step_of
from cutcard.engine.device_faults import irregularity_of
from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.irregularities.procedure import handles
from cutcard.engine.round import start
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import open_rulebook
from cutcard.rulebooks.vocabulary import (
    IRREGULARITIES,
    IrregularityKind,
    words_of,
)

TWO = tuple(parse_cards("5s 9h"))
METERED = "supernova"
VALUES: dict[str, Any] = {
    "hands": ("1",),
    "card": TWO[:1],
    "cards": TWO,
    "disclosed": (2,),
    "exposed": True,
    "to": "dealer",
    "boxes": (1, 2),
    "box": 1,
    "bet": "madness-21",
    "player": "A",
    "players": ("A",),
    "cause": "fire",
    "meter": 50,
    "panel": 100,
    "prize": 50,
    "offered": True,
}


def everything_said(kind: IrregularityKind) -> Irregularity:
    """Return an irregularity with every field of its kind."""
    values = VALUES | {"bet": METERED} if kind == "wager-not-entered" else VALUES
    said: dict[str, Any] = {}
    for key in IRREGULARITIES[kind].keys:
        words = words_of(kind, key)
        said["cards" if key == "card" else key] = words[0] if words else values[key]
    return Irregularity(kind, **said)


@pytest.mark.parametrize("kind", [kind for kind in IRREGULARITIES if kind != "no-wager"])
def test_case_file_and_journal_keep_every_field_of_an_irregularity(
    kind: IrregularityKind,
) -> None:
    table = Table(open_rulebook("nz-division-2"), 6, offers={"madness-21": ""})
    if kind == "wager-not-entered":  # only a bet with a meter can be entered too late
        table = Table(open_rulebook("crown-melbourne-26"), 6, offers={METERED: ""})
    setting = Setting(table, (Placed(1, "A", "main", 2000),))
    noticed = everything_said(kind)
    journaled = step_of(noticed)
    in_case_file = {"irregularity": journaled["fault"]} | journaled
    del in_case_file["fault"]
    for written in (in_case_file, journaled):
        (step,) = read_steps(Fields({"steps": [written]}, ""), setting)
        assert step.events == (noticed,)


@pytest.mark.parametrize(
    ("kind", "said", "why"),
    [
        ("malfuncton", {}, "unknown irregularity 'malfuncton'; use one of malfunction, "),
        ("misdeal", {"box": 1}, "misdeal has no field box; it has boxes"),
        ("cut-card", {"cards": TWO[:1]}, "cut-card has no field cards; it has no fields"),
        ("face-up", {}, "face-up needs cards"),
        ("face-up", {"cards": TWO}, "face-up takes one card, not 2"),
        ("absent", {}, "absent needs box"),
        (
            "wrong-cards",
            {"found": "sticky"},
            "invalid found 'sticky'; use one of extra, missing, foreign, ",
        ),
        (
            "malfunction",
            {"device": "controller"},
            "invalid device 'controller'; use one of shuffler, shoe",
        ),
    ],
)
def test_irregularity_rejects_fields_that_its_kind_does_not_have(
    kind: Any, said: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        Irregularity(kind, **said)


@pytest.mark.parametrize(
    ("kind", "said", "why"),
    [
        ("void", {}, "unknown ruling 'void'; use one of void-round, "),
        ("void-round", {"hands": ("1",)}, "void-round has no field hands; it has by"),
        (
            "choose",
            {"cards": TWO},
            "choose has no field cards; it has by, chosen, player, box, bet",
        ),
    ],
)
def test_ruling_rejects_fields_that_its_kind_does_not_have(
    kind: Any, said: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        Ruling(kind, **said)


@pytest.mark.parametrize(
    ("rulebook", "kind", "why"),
    [
        ("nz-division-2", "malfuncton", "unknown irregularity 'malfuncton'"),
        ("nz-division-3", "malfunction", "unknown rulebook 'nz-division-3'"),
        ("nz-division-2", "malfunction", "already has a handler for 'malfunction': device_fails"),
    ],
)
def test_registering_a_handler_for_an_unknown_name_fails(
    rulebook: str, kind: Any, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        handles(rulebook, kind)(lambda _round, _irregularity: None)


def test_unread_cards_that_left_together_are_a_malfunction() -> None:
    round = start(Table(open_rulebook("nz-division-2"), 6), [Placed(1, "A", "main", 2000)])
    assert irregularity_of("simultaneous-draw", round, "shoe", TWO).cards == TWO
    unread = irregularity_of("simultaneous-draw", round, "shoe")
    assert unread == Irregularity("malfunction", device="shoe", hands=("1",))
