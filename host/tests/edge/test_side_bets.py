"""Exact edges, compared with manual computations and with figures in a rulebook."""

from fractions import Fraction

import pytest

from cutcard.edge.side_bets import SideEdge, side_edges


def only(rulebook: str, bet: str, decks: int, choice: str = "", pack: int = 52) -> SideEdge:
    (edge,) = (
        edge
        for edge in side_edges(rulebook, bet, decks)
        if (edge.choice, edge.pack) == (choice, pack)
    )
    return edge


@pytest.mark.parametrize(
    ("bet", "decks", "edge"),
    [
        ("21-plus-3", 4, Fraction(1307, 30797)),
        ("21-plus-3", 6, Fraction(4059, 125333)),
        ("top-3", 8, Fraction(33502, 372255)),
        ("perfect-pairs", 4, Fraction(14, 207)),
        ("perfect-pairs", 6, Fraction(6, 311)),
    ],
)
def test_british_side_bets_have_their_edges(bet: str, decks: int, edge: Fraction) -> None:
    assert only("uk-blackjack", bet, decks).edge == edge


def test_pair_of_six_decks_equals_a_manual_computation() -> None:
    """Of 311 cards left 5 match in suit, 6 only in colour, and 12 only in rank."""
    edge = only("nz-division-2", "perfect-pair", 6, "1").edge
    assert edge == Fraction(311 - 23 - (30 * 5 + 10 * 6 + 5 * 12), 311)


def test_madness_21_is_the_chance_of_a_blackjack_at_the_mean_prize() -> None:
    blackjack = Fraction(2 * 24 * 96, 312 * 311)
    mean = Fraction(52031, 3750)
    assert only("nz-division-2", "madness-21", 6).edge == 1 - blackjack * (1 + mean)


def test_super_sevens_with_constant_draws_has_its_edge() -> None:
    """The figure of others for six decks is 11.4 %."""
    drawn, not_drawn = side_edges("nz-division-2", "super-sevens", 6)
    assert drawn.edge == Fraction(14288, 125333)
    assert not_drawn.edge > drawn.edge


def test_meter_breaks_even_when_it_returns_the_rest_of_the_edge() -> None:
    edge = only("crown-melbourne-26", "blackjack-jackpots", 6)
    spades = Fraction(6 * 5 * 4, 312 * 311 * 310)
    assert edge.break_even == edge.edge / (spades + 3 * spades / 10)


def test_blackpot_has_its_edge_over_two_rounds() -> None:
    """Two different of 24 sixes, sevens, eights; then one of the 24 of the missing rank."""
    two = Fraction(6 * 24 * 24, 312 * 311)
    three = two * Fraction(24, 310)
    paid = 10 * two + 100 * three + 1000 * three * two + 20000 * three * three
    assert only("crown-melbourne-26", "blackpot", 6).edge == 1 - three * three - paid


def test_pontoon_pack_reverses_the_spread_bet() -> None:
    assert only("crown-melbourne-26", "spread-bet", 6, "1", 52).edge > 0
    assert only("crown-melbourne-26", "spread-bet", 6, "1", 48).edge < 0


@pytest.mark.parametrize(
    ("rulebook", "bet"),
    [
        ("nz-division-2", "lucky-match"),
        ("nz-division-2", "house-money"),
        ("crown-melbourne-26", "buster"),
        ("mbs-free-bet-3", "busted"),
    ],
)
def test_edge_is_the_remainder_of_its_rows(rulebook: str, bet: str) -> None:
    for edge in side_edges(rulebook, bet, 8):
        won = sum((row.chance for row in edge.rows), Fraction(0))
        paid = sum((row.chance * row.odds for row in edge.rows), Fraction(0))
        assert 0 < won < 1
        assert edge.edge == (1 - won) - paid


def test_insurance_uses_only_the_dealers_ace() -> None:
    assert only("uk-blackjack", "insurance", 6).edge == Fraction(23, 311)


def test_deck_count_without_a_pay_table_has_no_edge() -> None:
    assert list(side_edges("crown-melbourne-26", "crown-suits", 5)) == []
