"""The round as a function: copies, refusals, and obligations."""

from __future__ import annotations

import pytest

from cutcard.engine.events import Act, Deal, Settled
from cutcard.engine.refusal import IncompleteError, OutOfTurnError, RefusedError
from cutcard.engine.results import results
from cutcard.engine.round import finish, owed, step
from cutcard.engine.state import Phase
from tests.engine.table import deal, dealt


def test_step_leaves_the_old_round_unchanged() -> None:
    before = dealt("nz-division-2", "Th 6d 8h", (1, "A", 10))
    after = step(before, Act("stand"))
    assert not before.boxes[1].hands[0].stood
    assert after.boxes[1].hands[0].stood


def test_refusal_cites_its_rule() -> None:
    round = dealt("nz-division-2", "As 6d 6c", (1, "A", 10))
    with pytest.raises(RefusedError) as refused:
        step(round, Act("double"))
    assert refused.value.rules == ("11.1",)


def test_card_without_a_call_is_out_of_turn() -> None:
    round = dealt("nz-division-2", "Th 6d 8h", (1, "A", 10))
    with pytest.raises(OutOfTurnError, match="waits for a decision for hand 1"):
        deal(round, "2c")


def test_finish_rejects_a_round_that_waits_for_a_card() -> None:
    round = step(dealt("nz-division-2", "Th 6d 8h", (1, "A", 10)), Act("stand"))
    assert owed(round) == "a card for the dealer"
    with pytest.raises(IncompleteError, match="a card for the dealer"):
        finish(round)


def test_settled_round_rejects_events() -> None:
    round = finish(deal(step(dealt("uk-blackjack", "Th 9d 8h", (1, "A", 10)), Act("stand")), "8c"))
    assert round.phase is Phase.SETTLED
    with pytest.raises(OutOfTurnError, match="settled"):
        step(round, Act("hit"))


def test_interim_settlement_is_made_at_the_next_event() -> None:
    round = dealt("crown-melbourne-26", "Ah 9d Kh", (1, "A", 10))
    assert round.boxes[1].hands[0].has_open_stake
    assert not step(round, Settled("interim")).boxes[1].hands[0].has_open_stake


def test_player_may_follow_until_the_next_card() -> None:
    round = dealt("nz-division-2", "6h 6d 5h", (1, "A", 10), (1, "B", 10))
    round = deal(step(round, Act("double")), "9c")
    with pytest.raises(RefusedError):
        step(round, Act("double", player="B"))


def test_hands_of_a_resplit_box_are_numbered_in_layout_order() -> None:
    round = step(dealt("nz-division-2", "8h 6d 8s", (2, "A", 10)), Act("split"))
    round = step(deal(round, "8c"), Act("split"))
    box = round.boxes[2]
    assert [box.place_of(hand) for hand in box.hands] == ["2.1", "2.2", "2.3"]
    assert [str(hand.cards[0]) for hand in box.hands] == ["8h", "8c", "8s"]


def test_every_result_cites_a_rule() -> None:
    round = finish(deal(step(dealt("uk-blackjack", "Th 9d 8h", (1, "A", 10)), Act("stand")), "8c"))
    assert [(result.result, result.net) for result in results(round)] == [("win", 1000)]
    assert results(round)[0].rules == ("blackjack-rules",)


def test_card_with_a_named_place_goes_there() -> None:
    round = dealt("nz-division-2", "Th 5c 9d", (1, "A", 10), (2, "B", 10))
    round = step(round, Deal(round.dealer[0]._replace(rank="8"), to="2"))
    assert [str(card) for card in round.boxes[2].dealt] == ["5c", "8d"]
