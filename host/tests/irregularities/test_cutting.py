"""The person that cuts, the order of the offer, and the position of the cut."""

from __future__ import annotations

import pytest

from cutcard.engine.books.cutting import cut_bounds, cutting_card_bounds, order_of_offering
from cutcard.engine.cutting import Bounds, NoCutError, Occasion
from cutcard.rulebooks.readings import reading

NZ, CROWN, MBS, UK = "nz-division-2", "crown-melbourne-26", "mbs-free-bet-3", "uk-blackjack"


@pytest.mark.parametrize(
    ("rulebook", "occasion", "box", "offered", "rule"),
    [
        (NZ, Occasion.START_OF_PLAY, 4, (4, 6, 2), "7.3(a)"),
        (NZ, Occasion.CUTTING_CARD_ON_BOX, 6, (6, 2, 4), "7.3(b)"),
        (NZ, Occasion.CUTTING_CARD_AT_DEALER, None, (6, 2, 4), "7.3(c)"),
        (NZ, Occasion.CARDS_REPLACED, None, (2, 4, 6), "7.3(d)"),
        (CROWN, Occasion.START_OF_PLAY, 4, (4, 6, 2), "4.2.2(a)"),
        (CROWN, Occasion.CUTTING_CARD_ON_BOX, 2, (2, 4, 6), "4.2.2(b)"),
        (CROWN, Occasion.CUTTING_CARD_AT_DEALER, None, (6, 2, 4), "4.2.2(c)"),
        (CROWN, Occasion.CARDS_REPLACED, None, (6, 2, 4), "4.2.2(d)"),
    ],
)
def test_cut_is_offered_clockwise_from_the_designated_player(
    rulebook: str, occasion: Occasion, box: int | None, offered: tuple[int, ...], rule: str
) -> None:
    cut = order_of_offering(rulebook, occasion, [2, 4, 6], box)
    assert cut.offered == offered
    assert cut.rules[0] == rule


@pytest.mark.parametrize("rulebook", [NZ, CROWN])
@pytest.mark.parametrize(
    ("gone", "offered"), [(1, (2, 4, 6)), (3, (4, 6, 2)), (5, (6, 2, 4)), (7, (2, 4, 6))]
)
def test_cut_of_an_absent_player_is_offered_clockwise_from_the_box(
    rulebook: str, gone: int, offered: tuple[int, ...]
) -> None:
    cut = order_of_offering(rulebook, Occasion.CUTTING_CARD_ON_BOX, [2, 4, 6], gone)
    assert cut.offered == offered
    assert cut.rules[-1] == reading("cut-designated-player-gone")


def test_cut_of_a_seated_player_cites_no_reading() -> None:
    for occasion in (Occasion.CUTTING_CARD_ON_BOX, Occasion.CUTTING_CARD_AT_DEALER):
        assert order_of_offering(NZ, occasion, [2, 4, 6], 4).rules[-1] == "7.4"
    assert order_of_offering(NZ, Occasion.CARDS_REPLACED, [2], 5).rules[-1] == "7.4"


def test_house_cuts_if_no_player_will() -> None:
    assert order_of_offering(NZ, Occasion.START_OF_PLAY, []).otherwise == "casino employee"
    crown = order_of_offering(CROWN, Occasion.START_OF_PLAY, [])
    assert (crown.otherwise, crown.rules[-1]) == ("tg-higher-duties-dealer", "4.2.3")


def test_in_singapore_the_next_player_to_act_cuts_the_discards() -> None:
    cut = order_of_offering(MBS, Occasion.SHOE_EMPTY, [1, 3], 3)
    assert (cut.offered, cut.rules[0]) == ((3,), "5.19")


@pytest.mark.parametrize(
    ("rulebook", "occasion"), [(MBS, Occasion.START_OF_PLAY), (UK, Occasion.START_OF_PLAY)]
)
def test_rulebook_without_a_cut_raises_no_cut_error(rulebook: str, occasion: Occasion) -> None:
    with pytest.raises(NoCutError):
        order_of_offering(rulebook, occasion, [1])


def test_cut_is_at_least_a_deck_from_either_end() -> None:
    assert cut_bounds(NZ, 6) == Bounds(52, 260, ("7.5",))
    assert cut_bounds(CROWN, 8, 48) == Bounds(48, 336, ("4.2.4",))


def test_cutting_card_stays_in_the_back_half() -> None:
    assert cutting_card_bounds(NZ, 6) == Bounds(156, 312, ("7.6(a)",))
    assert cutting_card_bounds(CROWN, 6) == Bounds(156, 234, ("4.2.5(b)",))


def test_continuous_shuffler_has_no_cutting_card() -> None:
    with pytest.raises(NoCutError):
        cutting_card_bounds(NZ, 6, shuffler="continuous")
    with pytest.raises(NoCutError, match=r"3\.1\.1"):
        cut_bounds(CROWN, 6, shuffler="continuous")
