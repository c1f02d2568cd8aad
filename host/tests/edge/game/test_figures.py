"""Figures of complete games: stored and printed ones, and the relation of the two strategies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cutcard.edge.game.figures import best_edge, figures_of
from cutcard.edge.game.page import distance
from cutcard.edge.game.published import ours, published, stored_beside
from cutcard.edge.game.sweep import configuration_of, configurations, row_of, stored
from cutcard.edge.money_rules import money_rules
from cutcard.edge.strategy import as_json, read_strategy
from cutcard.rulebooks import open_rulebook

SELECT = {"rulebook": "crown-melbourne-26", "variants": ["select"], "decks": 6, "reading": ""}


def test_every_configuration_is_stored() -> None:
    assert {configuration_of(row) for row in stored()} == set(configurations())


def test_stored_figure_is_reproduced() -> None:
    row = next(row for row in stored() if SELECT.items() <= row.items())

    assert row_of(configuration_of(row)) == row


@pytest.mark.soak
@pytest.mark.parametrize("place", range(0, len(stored()), 9))
def test_stored_figures_are_reproduced(place: int) -> None:
    row = stored()[place]

    assert row_of(configuration_of(row)) == row


@pytest.mark.soak
@pytest.mark.parametrize("place", range(len(published())))
def test_figures_for_printed_ones_are_reproduced(place: int) -> None:
    assert ours(published()[place]) == stored_beside()[place]


def test_printed_figures_without_an_excuse_are_met() -> None:
    for entry, found in zip(published(), stored_beside(), strict=True):
        if not entry.why:
            assert abs(distance(entry.figure, found)) <= entry.slack, entry.what


def test_by_total_is_never_better_than_by_cards() -> None:
    for row in stored():
        if "by_total" in row:
            assert row["by_total"] >= row["edge"], row


def test_six_to_five_costs_the_reduced_payment_of_every_blackjack() -> None:
    """With one deck: 32/51 of 1/13 of the hands, paid unless the dealer has one too."""
    rules = money_rules(open_rulebook("uk-blackjack"), 1)
    dearer = best_edge(replace(rules, split_allowed=False, blackjack_odds=rules.blackjack_odds - 1))
    plain = best_edge(replace(rules, split_allowed=False))
    natural = 2 * (4 / 52) * (16 / 51)
    met = 2 * (3 / 50) * (15 / 49)

    assert dearer - plain == pytest.approx(natural * (1 - met), abs=1e-12)


def test_strategy_file_reads_back() -> None:
    found = figures_of(money_rules(open_rulebook("crown-melbourne-26", ("select",)), 6))

    assert read_strategy(as_json(found.strategy)) == found.strategy
