"""Open choices after their owner has left: they pass on, or lapse."""

from __future__ import annotations

import pytest

from cutcard.cards import Card, parse_cards
from cutcard.engine.choice_owners import is_present
from cutcard.engine.events import Act, Deal, Event, Irregularity, Ruling, Settled
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import finish, owed, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.rulebooks.book import open_rulebook

UNSEEN = Irregularity("simultaneous-draw", cards=tuple(parse_cards("Ts 9d")))
JAM = Irregularity("malfunction", device="shuffler")
A_LEAVES = Ruling("withdraw", player="A")


def played(rulebook: str, cards: str, *events: Event, order: tuple[str, ...] = ()) -> Round:
    """Return boxes 1 and 2 of A and B, after the initial deal in this order and the events."""
    table = Table(open_rulebook(rulebook), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, order)
    for event in (*map(Deal, parse_cards(cards)), *events):
        round = step(round, event)
    return round


def owners(round: Round, ruling: str) -> list[tuple[str, ...]]:
    return [
        option.players
        for choice in round.choices
        for option in choice.options
        if option.ruling == ruling
    ]


@pytest.mark.parametrize("gone", [A_LEAVES, Act("stand")])
def test_a_selection_passes_to_the_next_player_when_its_owner_leaves_or_stands(gone: Event) -> None:
    round = played("mbs-free-bet-3", "9c 9s 6d 7d 3d", UNSEEN)
    assert owners(round, "choose") == [("A",)]
    round = step(round, gone)
    assert owners(round, "choose") == [("B",)]
    with pytest.raises(RefusedError):
        step(round, Ruling("choose", player="A", chosen=(1,)))


def test_selection_stays_with_a_player_that_has_asked_for_a_card() -> None:
    round = played("mbs-free-bet-3", "9c 9s 6d 7d 3d", UNSEEN, Act("hit"))
    assert owners(round, "choose") == [("A",)]


def test_selection_goes_to_the_pit_manager_after_the_last_hand() -> None:
    round = played("mbs-free-bet-3", "Th 9s 6d 7d 9h", UNSEEN, Act("stand"), Act("stand"))
    (choice,) = [choice for choice in round.choices if choice.must_be_made]
    assert [option.by for option in choice.options] == ["pit-manager"]
    assert choice.rules == ("5.23.4.1", "5.23.4.2")


def test_crowns_choice_of_the_dealers_first_card_passes_to_the_next_player() -> None:
    """9.7: A takes the wager back (9.5) before ruling; B's hand is then being decided."""
    order = ("1", "2", "1", "2")
    round = played("crown-melbourne-26", "Th 9c 6c 8h", Irregularity("dealer-missed"), order=order)
    assert owners(round, "act-on-hand") == [("A",)]
    assert owners(step(round, A_LEAVES), "act-on-hand") == [("B",)]


def test_choice_of_the_dealers_first_card_does_not_pass_on_after_a_stand() -> None:
    order = ("1", "2", "1", "2")
    missed = Irregularity("dealer-missed")
    round = played(
        "mbs-free-bet-3", "Th 9c 6c 8h", Act("hit"), Deal(Card.parse("2h")), missed, order=order
    )
    assert owners(step(round, Act("stand")), "act-on-hand") == []


def test_required_ruling_becomes_optional_after_all_wagers_are_returned() -> None:
    round = played("mbs-free-bet-3", "9c 9s 6d 7d 3d", UNSEEN, JAM)
    round = step(step(round, A_LEAVES), Ruling("withdraw", player="B"))
    assert owed(round) is None
    assert finish(round).phase is Phase.SETTLED
    assert step(round, Ruling("void-round", by="gaming-shift-manager")).phase is Phase.VOID


def test_required_ruling_stays_required_while_a_lost_wager_may_be_returned() -> None:
    round = played("mbs-free-bet-3", "Th 9s 6d 6c 3d", Act("hit"), Deal(Card.parse("Ks")))
    round = step(step(step(round, UNSEEN), JAM), Ruling("withdraw", player="B"))
    assert "malfunction" in (owed(round) or "")


def test_an_absent_player_is_not_present_on_any_box() -> None:
    round = played("mbs-free-bet-3", "9c 9s 6d 7d 3d", Irregularity("absent", box=1))
    round = step(round, Ruling("continue"))
    assert not is_present(round, "A")
    assert is_present(round, "B")


def test_an_absent_player_gets_an_offered_card_that_only_a_player_could_refuse() -> None:
    """New Zealand 16.4 with 16.6: A's 9c 2d gets the exposed card without a request for it."""
    seen = Irregularity("drawn-in-error", cards=tuple(parse_cards("5s")), exposed=True)
    round = played(
        "nz-division-2", "9c 9s 6d 2d Td", Settled("interim"), Irregularity("absent", box=1)
    )
    round = step(step(round, Ruling("continue")), seen)
    assert round.boxes[1].hands[0].cards == parse_cards("9c 2d 5s")


def test_a_selection_between_earlier_cards_leaves_later_cards_in_their_place() -> None:
    round = played("mbs-free-bet-3", "9c 9s 6d 7d 3d", UNSEEN)
    later = Irregularity("simultaneous-draw", cards=tuple(parse_cards("2h 3c")))
    round = step(step(round, later), Ruling("choose", player="A", chosen=(2,)))
    round = step(round, Ruling("choose", player="A", chosen=(2,)))
    assert round.ahead == parse_cards("9d Ts 3c 2h")
