"""Wagers for meters: mean and variance by their definition."""

from fractions import Fraction

import pytest

from cutcard.edge.meter_prizes import MeterFigures, meter_figures
from cutcard.rulebooks.side_wagers.catalogue import side_wagers

CROWN = "crown-melbourne-26"


def figures_of(bet: str) -> MeterFigures:
    (figures,) = meter_figures(CROWN, side_wagers(CROWN)[bet])
    return figures


@pytest.mark.parametrize("bet", ["blackjack-jackpots", "supernova"])
def test_mean_and_variance_equal_those_of_the_prizes(bet: str) -> None:
    figures = figures_of(bet)
    shares = figures.side.meter_share
    meters = {share.meter: Fraction(10_000 + 7 * n) for n, share in enumerate(shares.values())}
    prizes = {
        row.hand: shares[row.hand].share * meters[shares[row.hand].meter]
        if row.hand in shares
        else row.odds
        for row in figures.rows
    }
    law = [(row.chance, prizes[row.hand]) for row in figures.rows] + [(figures.loses, Fraction(0))]
    mean = sum(chance * prize for chance, prize in law)
    assert sum(chance for chance, _ in law) == 1
    assert figures.mean(meters) == mean
    assert figures.variance(meters) == sum(chance * (prize - mean) ** 2 for chance, prize in law)


def test_three_aces_of_spades_have_their_frequency_in_six_decks() -> None:
    rows = {row.hand: row.chance for row in figures_of("blackjack-jackpots").rows}
    assert rows["suited-aces-spades"] == Fraction(6 * 5 * 4, 312 * 311 * 310)


def test_random_picks_are_named_and_not_counted() -> None:
    assert figures_of("blackjack-jackpots").picked == ("lucky-player",)
    assert figures_of("supernova").picked == ("mystery",)
