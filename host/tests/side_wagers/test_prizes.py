"""Presses, meters, Blackpot, Spread Bet and Pot of Gold."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutcard.cards import Card, parse_cards
from cutcard.engine.side_wagers import blackpot
from cutcard.engine.side_wagers.jackpots import (
    Meter,
    blackjack_jackpots,
    shared_prize,
    supernova,
)
from cutcard.engine.side_wagers.pot_of_gold import pot_of_gold
from cutcard.engine.side_wagers.prize_draws import press_won
from cutcard.engine.side_wagers.spread_bet import spread_bet
from cutcard.rulebooks.side_wagers.catalogue import SideWager, side_wagers
from tests.side_wagers.settled import odds_and_rules, settled

CROWN = side_wagers("crown-melbourne-26")
NZ = side_wagers("nz-division-2")
MBS = side_wagers("mbs-free-bet-3")


def test_only_a_blackjack_wins_the_press() -> None:
    table = NZ["madness-21"].pay_table("", 6)
    assert press_won(parse_cards("Kd Ac"), table).rules == ("15A.4(a)", "15A.6", "15A.7")
    assert press_won(parse_cards("Kd Qc"), table).rules == ("15A.4(b)",)


def test_a_press_pays_the_prize_for_each_dollar_and_cites_its_table() -> None:
    wager = CROWN["pontoon-pandemonium"]
    outcome = wager.column("4", 8, 48).prizes.won(100, wager.wins["pontoon"])
    assert outcome.net(200) == 20_000
    assert outcome.rules[-1] == "11.5.4(d)"


def test_a_prize_that_the_table_does_not_have_is_refused() -> None:
    prizes = CROWN["pontoon-pandemonium"].column("9", 8, 48).prizes
    with pytest.raises(ValueError, match=r"\$7 is not a prize of this table \(rule 11.5.4\(i\)\)"):
        prizes.won(7, ())


@pytest.mark.parametrize(
    ("cards", "dealer", "hand"),
    [
        ("As As", "As", "suited-aces-spades"),
        ("Ad Ad", "Ad", "suited-aces"),
        ("Ad Ad", "As", "three-aces"),
        ("Ad Kd", "As", "suited-blackjack"),
        ("Td As", "As", "unsuited-blackjack"),
        ("Ad Ad", "Kd", ""),
    ],
)
def test_blackjack_jackpots_rows(cards: str, dealer: str, hand: str) -> None:
    table = CROWN["blackjack-jackpots"].pay_table("", 6)
    assert blackjack_jackpots(parse_cards(cards), Card.parse(dealer), table).hand == hand


@pytest.mark.parametrize(
    ("cards", "hand"),
    [("Js As", "major"), ("As Ks", "minor"), ("Jd Ad", "minor"), ("As Jd", ""), ("Ks Qs", "")],
)
def test_supernova_rows(cards: str, hand: str) -> None:
    assert supernova(parse_cards(cards), CROWN["supernova"].pay_table("", 6)).hand == hand


def test_two_winners_share_the_sum_that_the_meter_would_pay_in_turn() -> None:
    meter = Meter(Fraction(4_876_543), Fraction(1_000_000))
    prize, left = shared_prize(meter, Fraction(1, 10), 2, 100)
    assert prize == 463_275
    assert left.value == 4_876_543 - 487_660 - 438_890


def test_a_second_jackpot_in_spades_comes_from_the_seed() -> None:
    meter = Meter(Fraction(4_876_543), Fraction(1_000_000))
    prize, left = shared_prize(meter, Fraction(1), 2, 100)
    assert prize == Fraction(4_876_600 + 1_000_000, 2)
    assert left.value == 1_000_000


@given(st.integers(0, 10**8), st.integers(0, 10**7), st.integers(1, 9))
def test_a_meter_never_falls_below_its_seed(value: int, seed: int, winners: int) -> None:
    _, left = shared_prize(Meter(Fraction(value), Fraction(seed)), Fraction(1, 10), winners, 100)
    assert left.value >= seed


class TestBlackpot:
    table = CROWN["blackpot"].pay_table("", 6)

    @pytest.mark.parametrize("cards", ["6c 7d", "8c 6d", "7c 8c"])
    def test_two_of_six_seven_eight_pay_ten_and_later_a_thousand(self, cards: str) -> None:
        assert blackpot.initial_deal(parse_cards(cards), self.table).odds == 10
        assert blackpot.initial_deal(parse_cards(cards), self.table, ensuing=True).odds == 1000

    @pytest.mark.parametrize("cards", ["6c 6d", "6c 9d", "5c 6c"])
    def test_other_first_cards_lose(self, cards: str) -> None:
        assert blackpot.initial_deal(parse_cards(cards), self.table).rules == ("23.3.5(a)(ii)",)

    def test_third_card_of_the_run_wins(self) -> None:
        cards = parse_cards("8c 6d 7h")
        assert settled(blackpot.subsequent_deal(cards, self.table)).odds == 100
        assert settled(blackpot.subsequent_deal(cards, self.table, ensuing=True)).odds == 20_000

    @pytest.mark.parametrize(
        ("cards", "complete", "rule"),
        [("8c 6d 8h", False, "23.3.5(b)(ii)"), ("8c 6d", True, "23.3.5(b)(iii)")],
    )
    def test_other_third_card_or_two_cards_lose_the_stake(
        self, cards: str, complete: bool, rule: str
    ) -> None:
        outcome = blackpot.subsequent_deal(parse_cards(cards), self.table, complete=complete)
        assert odds_and_rules(outcome) == (None, (rule,))

    def test_blackpot_waits_for_the_third_card(self) -> None:
        assert blackpot.subsequent_deal(parse_cards("8c 6d"), self.table) is None

    def test_a_payment_stops_at_the_maximum_payout(self) -> None:
        won = blackpot.initial_deal(parse_cards("6c 7d"), self.table, ensuing=True)
        assert blackpot.payment(won, 500, 400_000) == 400_000
        assert blackpot.payment(won, 500, None) == 500_000


@pytest.mark.parametrize(
    ("cards", "pays"),
    [
        ("Ac Ad", (5, 12, 15)),
        ("Ac 2d", (5, 12, 15)),
        ("2c 2d", (4, 5, 4)),
        ("4c Ad", (4, 5, 4)),
        ("5c Ad", (3, 2, 2)),
        ("5c 4d", (3, 2, 2)),
        ("9c Ad", (None, None, None)),
    ],
)
def test_spread_bet_pays_low_sums_with_the_ace_as_one(cards: str, pays: object) -> None:
    tables = [CROWN["spread-bet"].pay_table(option, 6) for option in "123"]
    assert tuple(spread_bet(parse_cards(cards), table).odds for table in tables) == pays


@pytest.mark.parametrize(
    ("wager", "version", "pays"),
    [
        (CROWN["pot-of-gold"], "1", [None, 3, 10, 30, 60, 100]),
        (CROWN["pot-of-gold"], "2", [None, 3, 10, 25, 50, 100]),
        (MBS["pot-of-gold"], "", [None, 3, 10, 25, 50, 100, 100, 100]),
    ],
)
def test_pot_of_gold_pays_by_the_tokens(
    wager: SideWager, version: str, pays: list[int | None]
) -> None:
    table = wager.pay_table(version, 8)
    assert [pot_of_gold(tokens, table).odds for tokens in range(len(pays))] == pays
