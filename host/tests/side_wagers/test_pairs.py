"""Pairs of one rank, colour or suit, and the third card of a Lucky Match."""

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.side_wagers.pairs import any_pair, lucky_match, perfect_pair
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers
from cutcard.rulebooks.side_wagers.pay_table import PayTable
from tests.side_wagers.settled import odds_and_rules, settled

NZ = side_wagers("nz-division-2")
CROWN = side_wagers("crown-melbourne-26")
UK = side_wagers("uk-blackjack")
MBS = side_wagers("mbs-free-bet-3")


@pytest.mark.parametrize(
    ("wager", "choice", "decks", "pack", "mixed", "coloured", "perfect"),
    [
        (NZ["perfect-pair"], "1", 6, 52, 5, 10, 30),
        (NZ["perfect-pair"], "2", 6, 52, 6, 12, 25),
        (NZ["perfect-pair"], "3", 6, 52, 5, 12, 25),
        (CROWN["perfect-pairs"], "a", 4, 52, 6, 15, 25),
        (CROWN["perfect-pairs"], "b", 4, 52, 5, 12, 30),
        (CROWN["perfect-pairs"], "", 5, 52, 6, 14, 25),
        (CROWN["perfect-pairs"], "a", 6, 52, 6, 13, 25),
        (CROWN["perfect-pairs"], "b", 6, 52, 5, 10, 30),
        (CROWN["perfect-pairs"], "", 7, 52, 6, 12, 25),
        (CROWN["perfect-pairs"], "", 8, 52, 6, 12, 25),
        (CROWN["perfect-pairs"], "", 6, 48, 5, 10, 25),
        (CROWN["perfect-pairs"], "", 8, 48, 5, 10, 25),
        (UK["perfect-pairs"], "", 4, 52, 5, 12, 30),
    ],
)
def test_perfect_pair_pays_by_suit_colour_or_rank(
    wager: SideWager, choice: str, decks: int, pack: int, mixed: int, coloured: int, perfect: int
) -> None:
    table = wager.pay_table(choice, decks, pack)
    assert perfect_pair(parse_cards("8h 8s"), table).odds == mixed
    assert perfect_pair(parse_cards("8h 8d"), table).odds == coloured
    assert perfect_pair(parse_cards("8c 8s"), table).odds == coloured
    assert perfect_pair(parse_cards("8h 8h"), table).odds == perfect
    assert not perfect_pair(parse_cards("8h 9h"), table).wins


def test_two_different_court_cards_are_not_a_pair() -> None:
    assert not perfect_pair(parse_cards("Kh Qh"), NZ["perfect-pair"].pay_table("1", 6)).wins
    assert not any_pair(parse_cards("Td Kd"), MBS["pair"].pay_table("", 8)).wins


@pytest.mark.parametrize(
    ("wager", "choice", "odds"),
    [(NZ["any-pair"], "1", 11), (NZ["any-pair"], "2", 10), (MBS["pair"], "", 11)],
)
def test_any_pair_pays_every_pair_the_same(wager: SideWager, choice: str, odds: int) -> None:
    table = wager.pay_table(choice, 6)
    assert any_pair(parse_cards("Kh Ks"), table).odds == odds
    assert any_pair(parse_cards("Kh Kh"), table).odds == odds


def test_loss_cites_its_rule() -> None:
    assert perfect_pair(parse_cards("8h 9h"), CROWN["perfect-pairs"].pay_table("a", 6)).rules == (
        "15.3.4(b)",
    )


class TestLuckyMatch:
    def table(self, scale: str = "1") -> PayTable:
        return NZ["lucky-match"].pay_table(scale, 6)

    @pytest.mark.parametrize(("cards", "odds"), [("5h 5s", 5), ("5h 5d", 10)])
    def test_a_pair_of_two_suits_needs_no_third_card(self, cards: str, odds: int) -> None:
        assert settled(lucky_match(parse_cards(cards), self.table())).odds == odds

    def test_a_suited_pair_waits_for_the_third_card(self) -> None:
        assert lucky_match(parse_cards("5h 5h"), self.table()) is None

    @pytest.mark.parametrize(("scale", "pair", "triple"), [("1", 25, 100), ("2", 20, 500)])
    def test_third_card_that_makes_a_triple_is_paid_instead(
        self, scale: str, pair: int, triple: int
    ) -> None:
        table = self.table(scale)
        assert settled(lucky_match(parse_cards("5h 5h 5d"), table)).odds == pair
        won = lucky_match(parse_cards("5h 5h 5h"), table)
        assert odds_and_rules(won) == (triple, ("15F.6", "15F.7", "15F.9"))

    def test_splitting_settles_it_as_a_lucky_match(self) -> None:
        outcome = lucky_match(parse_cards("5h 5h 5h"), self.table(), split=True)
        assert odds_and_rules(outcome) == (25, ("15F.6", "15F.9", "15F.10"))

    def test_standing_on_the_pair_settles_it(self) -> None:
        assert settled(lucky_match(parse_cards("9h 9h"), self.table(), complete=True)).odds == 25
