"""Reconstruction of a misdealt round."""

from __future__ import annotations

import pytest

from cutcard.cards import Card, parse_cards
from cutcard.engine.events import Act, Deal, Event, Irregularity, Ruling, Settled
from cutcard.engine.irregularities.reconstruction import difference, fallen, layout
from cutcard.engine.ledger import LAYOUT, Key, balance, player_account
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import start, step
from cutcard.engine.state import DEALER, Placed, Round, Table
from cutcard.engine.turn import next_card_goes_to
from cutcard.rulebooks.book import open_rulebook
from tests.engine.table import dealt


def misdealt() -> Round:
    """Return a round with the second cards of boxes 1 and 2 exchanged."""
    table = Table(open_rulebook("nz-division-2"), 6)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for card, to in (("Th", None), ("5c", None), ("9d", None), ("8d", "2"), ("6c", "1")):
        round = step(round, Deal(parse_cards(card)[0], to))
    return step(round, Irregularity("misdeal", boxes=(1, 2)))


def cards(text: str) -> Ruling:
    return Ruling("reconstruct", by="casino-operator", cards=tuple(parse_cards(text)))


def test_reconstruction_puts_cards_in_the_order_of_the_shoe() -> None:
    round = step(misdealt(), cards("Th 5c 9d 8d 6c"))
    assert layout(round) == {
        "1": tuple(parse_cards("Th 8d")),
        "2": tuple(parse_cards("5c 6c")),
        DEALER: tuple(parse_cards("9d")),
    }


def test_difference_is_listed_hand_by_hand() -> None:
    before = misdealt()
    after = step(before, cards("Th 5c 9d 8d 6c"))
    moved = difference(layout(before), layout(after))
    assert moved == [
        "Hand 1: had Th 6c, now has Th 8d.",
        "Hand 2: had 5c 8d, now has 5c 6c.",
    ]
    assert [note.text for note in after.story if note.rules == ("16.5",)][-2:] == moved


def test_without_a_list_cards_are_used_in_the_order_they_left() -> None:
    round = step(misdealt(), Ruling("reconstruct", by="casino-operator"))
    assert layout(round)["1"] == tuple(parse_cards("Th 8d"))
    assert fallen(round) == tuple(parse_cards("Th 5c 9d 8d 6c"))


def test_card_that_was_not_dealt_is_refused() -> None:
    with pytest.raises(RefusedError, match="Kd was not dealt in this round") as refused:
        step(misdealt(), cards("Th 5c 9d 8d Kd"))
    assert refused.value.rules == ("16.5",)


def test_earlier_decisions_stand_if_the_new_cards_allow_them() -> None:
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


def test_in_new_zealand_exposed_left_over_cards_leave_play() -> None:
    round = step(misdealt(), cards("Th 5c 9d 8d 6c 2s"))
    assert round.ahead == []
    assert [ruled.rules for ruled in round.rulings] == [("16.3",), ("16.5",)]


def test_elsewhere_left_over_cards_are_dealt_next() -> None:
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


def hand_one_hit() -> Round:
    round = dealt("nz-division-2", "Th 9c 6d 2h 8d", (1, "A", 20), (2, "B", 10))
    return step(round, Act("hit"))


def with_a_stray_card() -> Round:
    round = step(hand_one_hit(), Deal(Card.parse("9h"), to=DEALER))
    return step(round, Irregularity("misdeal", boxes=(1, 0)))


def test_void_hands_removes_a_card_that_was_due_to_a_box_from_the_dealers_hand() -> None:
    round = step(with_a_stray_card(), Ruling("void-hands", hands=("1",)))
    assert round.dealer == parse_cards("6d")
    assert [ruled.rules for ruled in round.rulings][1:] == [("16.3",), ("16.5(a)", "16.5(b)")]


def test_void_hands_of_all_players_leaves_the_dealers_hand_unchanged() -> None:
    round = step(hand_one_hit(), Deal(Card.parse("9h"), to=DEALER))
    round = step(step(round, Irregularity("misdeal", boxes=(1, 2))), Ruling("void-hands"))
    assert round.dealer == parse_cards("6d 9h")
    assert not any(hand.has_open_stake for box in round.boxes.values() for hand in box.hands)


def test_void_hands_of_all_players_rejects_dealers_cards() -> None:
    round = step(hand_one_hit(), Irregularity("misdeal", boxes=(1, 2)))
    with pytest.raises(RefusedError, match="all players' hands are void") as refused:
        step(round, Ruling("void-hands", dealer=tuple(parse_cards("6d"))))
    assert refused.value.rules == ("16.5(b)",)


@pytest.mark.parametrize("cards", ["6d 9c", "6d 6d", "Qs"])
def test_void_hands_rejects_cards_that_are_not_the_dealers(cards: str) -> None:
    with pytest.raises(RefusedError, match="is not one of the dealer's cards"):
        step(
            with_a_stray_card(),
            Ruling("void-hands", hands=("1",), dealer=tuple(parse_cards(cards))),
        )


def test_reconstruct_with_dealers_cards_leaves_the_other_hands_as_dealt() -> None:
    before = layout(with_a_stray_card())
    round = step(with_a_stray_card(), Ruling("reconstruct", dealer=tuple(parse_cards("6d"))))
    assert layout(round) == before | {DEALER: tuple(parse_cards("6d"))}


@pytest.mark.parametrize(
    ("rulebook", "role"), [("uk-blackjack", "manager"), ("mbs-free-bet-3", "gaming-shift-manager")]
)
def test_management_may_name_the_dealers_cards_without_a_rule(rulebook: str, role: str) -> None:
    round = dealt(rulebook, "Th 9c 6d 2h 8d", (1, "A", 20), (2, "B", 10))
    round = step(round, Act("hit"))
    round = step(round, Deal(Card.parse("9h"), to=DEALER))
    round = step(round, Irregularity("malfunction"))
    dealer = tuple(parse_cards("6d"))
    voided = step(round, Ruling("void-hands", by=role, hands=("1",), dealer=dealer))
    assert voided.dealer == list(dealer)
    put_right = step(round, Ruling("reconstruct", by=role, dealer=dealer))
    assert put_right.dealer == list(dealer)
    with pytest.raises(RefusedError, match="cannot be both void and corrected"):
        step(round, Ruling("void-hands", by=role, hands=(DEALER,), dealer=dealer))
    with pytest.raises(RefusedError, match="not both"):
        step(round, Ruling("reconstruct", by=role, cards=fallen(round), dealer=dealer))


def test_dealer_without_a_card_takes_one_first() -> None:
    round = dealt("nz-division-2", "", (1, "A", 20), (2, "B", 10))
    for card, to in (("Th", "1"), ("9c", "2"), ("2h", "1"), ("8d", DEALER), ("5d", "2")):
        round = step(round, Deal(Card.parse(card), to=to))
    round = step(round, Irregularity("misdeal", boxes=(1, 0)))
    round = step(round, Ruling("void-hands", hands=("1",)))
    round = step(round, Settled("interim"))
    assert round.dealer == []
    assert next_card_goes_to(round) == DEALER


@pytest.mark.parametrize(
    ("rulebook", "by"),
    [
        ("nz-division-2", "casino-operator"),
        ("crown-melbourne-26", "tg-higher-duties-dealer"),
        ("mbs-free-bet-3", "dealer"),
        ("uk-blackjack", "manager"),
    ],
)
def test_a_list_that_omits_a_card_in_play_is_refused(rulebook: str, by: str) -> None:
    table = Table(open_rulebook(rulebook), 6)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for card in parse_cards("Th 5c 9d 8d 6c"):
        round = step(round, Deal(card))
    round = step(round, Irregularity("misdeal", boxes=(1, 2)))
    with pytest.raises(RefusedError, match="the list lacks 6c, dealt in this round"):
        step(round, Ruling("reconstruct", by=by, cards=tuple(parse_cards("Th 5c 9d 8d"))))


def test_discarded_card_is_not_dealt_again() -> None:
    """Singapore 5.7: 3s went to the discard holder; the dealer's 7d Kh stays 17."""
    table = Table(open_rulebook("mbs-free-bet-3"), 6)
    round = start(table, [Placed(1, "A", "main", 2000)])
    for card in parse_cards("Th 7d 9c"):
        round = step(round, Deal(card))
    round = step(step(round, Act("stand")), Deal(parse_cards("Kh")[0]))
    error = Irregularity("drawn-in-error", cards=tuple(parse_cards("3s")), exposed=True, to=DEALER)
    round = step(round, error)
    assert fallen(round) == tuple(parse_cards("Th 7d 9c Kh"))


def test_played_face_up_card_keeps_its_order() -> None:
    """Singapore 5.5: 5s is played, so it is one of the cards of a reconstruction."""
    table = Table(open_rulebook("mbs-free-bet-3"), 6)
    round = step(start(table, [Placed(1, "A", "main", 2000)]), Deal(parse_cards("Th")[0]))
    round = step(round, Irregularity("face-up", cards=tuple(parse_cards("5s"))))
    assert fallen(round) == tuple(parse_cards("Th 5s"))


def test_one_reconstruction_is_recorded_for_each_irregularity_it_answers() -> None:
    round = start(
        Table(open_rulebook("mbs-free-bet-3"), 6),
        [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)],
        ("1", "2", "1", "2"),
    )
    for card in parse_cards("Th 5c 9d 8d"):
        round = step(round, Deal(card))
    for irregularity in (Irregularity("misdeal", boxes=(1, 2)), Irregularity("dealer-missed")):
        round = step(round, irregularity)
    round = step(round, Ruling("reconstruct", by="dealer"))
    assert {(r.irregularity, r.ruling, r.by, r.rules) for r in round.rulings} == {
        ("misdeal", "reconstruct", "dealer", ("5.6.1",)),
        ("dealer-missed", "reconstruct", "dealer", ("5.11",)),
    }


def test_reconstruction_keeps_an_absence() -> None:
    round = step(step(misdealt(), Irregularity("absent", box=1)), Ruling("continue"))
    round = step(round, cards("Th 5c 9d 8d 6c"))
    assert round.boxes[1].absent


def test_late_misdeal_in_singapore_cites_the_rule_that_orders_reconstruction() -> None:
    table = Table(open_rulebook("mbs-free-bet-3"), 6)
    round = start(table, [Placed(1, "A", "main", 2000)])
    for card in parse_cards("Th 7d 9c"):
        round = step(round, Deal(card))
    round = step(step(round, Settled("interim")), Irregularity("misdeal", boxes=(1,)))
    assert ("The cards are to be reconstructed.", ("5.6.2",)) in [
        (note.text, note.rules) for note in round.story
    ]
    round = step(round, Ruling("reconstruct", by="dealer"))
    assert not any("6.1" in note.rules for note in round.story)


def test_reconstruction_keeps_a_side_wager_returned_with_the_dealers_hand() -> None:
    """New Zealand 16.13 returns it; in the later reconstruction by 16.5 it would win."""
    book = open_rulebook("nz-division-2")
    table = Table(book, 6, shuffler="continuous", offers={"perfect-pair": "1"})
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, [*mains, Placed(1, "A", "perfect-pair", 500)])
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("8c 9d 6h")),
        Irregularity("simultaneous-draw", cards=tuple(parse_cards("8d Td"))),
        Ruling("void-hands", by="casino-operator", hands=(DEALER,)),
        Settled("interim"),
        Irregularity("misdeal", boxes=(1, 2)),
        Ruling("reconstruct", by="casino-operator", cards=tuple(parse_cards("8c 9d 6h 8d Td"))),
    )
    for event in events:
        round = step(round, event)
    pair = Key(1, "A", "perfect-pair")
    assert round.parts[pair] == ("void",)
    assert "16.13" in round.cited[pair]
    assert balance(round.postings, player_account("A")) == 0


def test_reconstruction_keeps_a_box_that_the_manager_returned() -> None:
    table = Table(open_rulebook("uk-blackjack"), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, ("1", DEALER, "1"))
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("8c 6h 9d")),
        Irregularity("box-missed", box=2),
        Ruling("continue", by="manager"),
        Irregularity("misdeal", boxes=(1,)),
        Ruling("reconstruct", by="manager"),
    )
    for event in events:
        round = step(round, event)
    assert round.parts[Key(2, "B", "main")] == ("void",)
    assert balance(round.postings, player_account("B")) == 0


def test_a_reconstruction_leaves_the_ruling_on_insurance_open() -> None:
    table = Table(open_rulebook("crown-melbourne-26"), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, ("1", "2", "1", "2"))
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("Th 9c 6c 8h")),
        Irregularity("dealer-missed"),
        Irregularity("not-offered", box=1, option="insurance"),
        Ruling("reconstruct", by="tg-higher-duties-dealer"),
    )
    for event in events:
        round = step(round, event)
    assert "insurance" in [choice.irregularity.option for choice in round.choices]


@pytest.mark.parametrize("ruling", [(), (Ruling("withdraw", player="A"),)])
def test_reconstruction_returns_insurance_against_another_card_than_an_ace(
    ruling: tuple[Ruling, ...],
) -> None:
    """Crown 9.5: with box 3's cards in their places, the dealer's first card is Kd."""
    table = Table(open_rulebook("crown-melbourne-26"), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, ("1", "2", "3", DEALER, "1", "2", "3"))
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("8c 9d Kd Ah 7d 5c 4c")),
        Act("insure", box=1, player="A", amount=500),
        Irregularity("no-wager", box=3),
        *ruling,
        Ruling("reconstruct", by="tg-higher-duties-dealer"),
    )
    for event in events:
        round = step(round, event)
    insurance = Key(1, "A", "insurance")
    assert round.dealer == parse_cards("Kd")
    assert round.parts[insurance] == ("void",)
    assert "9.5" in round.cited[insurance]
    assert sum(p.cents for p in round.postings if p.key == insurance and p.target == LAYOUT) == 500
    assert sum(p.cents for p in round.postings if p.key == insurance and p.source == LAYOUT) == 500


def test_reconstruction_for_a_missed_burn_answers_a_box_with_one_card() -> None:
    """Perfect Pairs is settled, so the single card of box 2 gives no reconstruction (9.5)."""
    book = open_rulebook("crown-melbourne-26")
    table = Table(book, 6, shuffler="continuous", offers={"perfect-pairs": "a"})
    placed = [
        Placed(1, "A", "main", 2000),
        Placed(1, "A", "perfect-pairs", 500),
        Placed(2, "B", "main", 1000),
    ]
    round = start(table, placed, deal_order=("1", "2", DEALER, "1"))
    for card in parse_cards("As As Kd As"):
        round = step(round, Deal(card))
    round = step(round, Settled("interim"))
    round = step(round, Irregularity("one-card", box=2))
    round = step(round, Irregularity("no-burn"))
    order = Ruling(
        "reconstruct", by="tg-higher-duties-dealer", cards=tuple(parse_cards("As As Kd As"))
    )
    ruled = {(each.irregularity, each.ruling) for each in step(round, order).rulings}
    assert ruled == {("no-burn", "reconstruct"), ("one-card", "reconstruct")}
