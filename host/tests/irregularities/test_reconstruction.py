"""A misdealt round beside the round as it should have fallen."""

from __future__ import annotations

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.events import Act, Deal, Irregularity, Ruling
from cutcard.engine.irregularities.reconstruction import difference, fallen, layout
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import start, step
from cutcard.engine.state import DEALER, Placed, Round, Table
from cutcard.rulebooks.book import open_rulebook


def misdealt() -> Round:
    """The second cards of boxes 1 and 2 lie on each other's box."""
    table = Table(open_rulebook("nz-division-2"), 6)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for card, to in (("Th", None), ("5c", None), ("9d", None), ("8d", "2"), ("6c", "1")):
        round = step(round, Deal(parse_cards(card)[0], to))
    return step(round, Irregularity("misdeal", boxes=(1, 2)))


def cards(text: str) -> Ruling:
    return Ruling("reconstruct", by="casino-operator", cards=tuple(parse_cards(text)))


def test_the_cards_come_to_lie_in_the_order_of_the_shoe() -> None:
    round = step(misdealt(), cards("Th 5c 9d 8d 6c"))
    assert layout(round) == {
        "1": tuple(parse_cards("Th 8d")),
        "2": tuple(parse_cards("5c 6c")),
        DEALER: tuple(parse_cards("9d")),
    }


def test_the_difference_is_told_hand_by_hand() -> None:
    before = misdealt()
    after = step(before, cards("Th 5c 9d 8d 6c"))
    told = difference(layout(before), layout(after))
    assert told == [
        "Hand 1: fell Th 6c, should have had Th 8d.",
        "Hand 2: fell 5c 8d, should have had 5c 6c.",
    ]
    assert [note.text for note in after.story if note.rules == ("16.5",)][-2:] == told


def test_without_a_list_the_cards_fall_in_the_order_they_left() -> None:
    round = step(misdealt(), Ruling("reconstruct", by="casino-operator"))
    assert layout(round)["1"] == tuple(parse_cards("Th 8d"))
    assert fallen(round) == tuple(parse_cards("Th 5c 9d 8d 6c"))


def test_a_card_that_never_fell_is_refused() -> None:
    with pytest.raises(RefusedError, match="Kd did not fall") as refused:
        step(misdealt(), cards("Th 5c 9d 8d Kd"))
    assert refused.value.rules == ("16.5",)


def test_decisions_made_before_stand_where_the_new_cards_allow_them() -> None:
    table = Table(open_rulebook("nz-division-2"), 6)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for card in parse_cards("Th 9c 6d 8h 7d"):
        round = step(round, Deal(card))
    round = step(step(round, Act("stand")), Act("hit"))
    round = step(round, Deal(parse_cards("5s")[0], "1"))
    round = step(round, Irregularity("misdeal", boxes=(1, 2)))
    round = step(round, cards("Th 9c 6d 8h 7d 5s"))
    assert layout(round)["2"] == tuple(parse_cards("9c 7d 5s"))
    assert round.boxes[1].hands[0].stood


def test_in_new_zealand_cards_left_exposed_leave_play() -> None:
    round = step(misdealt(), cards("Th 5c 9d 8d 6c 2s"))
    assert round.ahead == []
    assert [ruled.rules for ruled in round.rulings] == [("16.3",), ("16.5",)]


def test_elsewhere_cards_that_no_hand_calls_for_are_the_next() -> None:
    table = Table(open_rulebook("crown-melbourne-26"), 6)
    order = ("1", "2", DEALER, "1", "2")
    round = start(table, [Placed(1, "A", "main", 2000)], order)
    for card in parse_cards("Th 5c 9d 8d 6c"):
        round = step(round, Deal(card))
    round = step(round, Irregularity("no-wager", box=2))
    by = "tg-higher-duties-dealer"
    round = step(round, Ruling("reconstruct", by=by, cards=fallen(round)))
    assert layout(round)["1"] == tuple(parse_cards("Th 9d"))
    assert round.ahead == parse_cards("8d 6c")
