"""Side wagers in the table of all allowed configurations."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.edge.game.riding import riding_edges
from cutcard.edge.game.side_sweep import BY_BOTH, BY_MAIN, games_beside, rows_by_cards, rows_by_play
from cutcard.edge.game.stored_sides import cited, hangs_on_play, stored_sides
from cutcard.edge.side_bets import side_edges
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.rulebooks.book import contents


def _edges(rulebook: str, game: str, side: str, choice: str = "") -> dict[str, float]:
    wanted = {"rulebook": rulebook, "games": [game], "side": side, "choice": choice}
    return {row["assuming"]: row["edge"] for row in stored_sides() if wanted.items() <= row.items()}


def test_every_side_wager_with_every_pay_scale_has_a_row() -> None:
    kept = {(row["rulebook"], row["side"], row["choice"]) for row in stored_sides()}

    assert kept == {
        (rulebook, bet, column.choice)
        for rulebook in RULEBOOKS
        for bet, side in contents(rulebook).bets.items()
        for column in side.columns
    }


def test_side_wager_by_cards_is_reproduced() -> None:
    wanted = {"rulebook": "uk-blackjack", "side": "perfect-pairs"}
    kept = [row["edge"] for row in stored_sides() if wanted.items() <= row.items()]
    edges = [round(float(edge.edge), 10) for edge in side_edges("uk-blackjack", "perfect-pairs")]

    assert edges == kept


@pytest.mark.parametrize("bet", ["supernova", "blackjack-jackpots"])
def test_sweep_notes_that_a_jackpot_wagers_meter_is_left_out(bet: str) -> None:
    result = CliRunner().invoke(app, ["edge", "sweep", "crown-melbourne-26", "--json"])
    rows = [row for row in json.loads(result.stdout) if row.get("side") == bet]
    (edge,) = side_edges("crown-melbourne-26", bet)

    assert [row["assuming"] for row in rows] == [edge.without_meter]
    assert edge.without_meter.startswith("without the meter; it breaks even at $")


@pytest.mark.soak
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_side_wagers_by_cards_are_reproduced(rulebook: str) -> None:
    assert rows_by_cards(rulebook) == [
        row for row in stored_sides() if row["rulebook"] == rulebook and not hangs_on_play(row)
    ]


def test_side_wagers_by_play_are_reproduced() -> None:
    game = next(game for game in games_beside() if game[0] == "mbs-free-bet-3")

    assert rows_by_play(*game) == [
        row
        for row in stored_sides()
        if (row["rulebook"], row["games"], row["side"]) == (game[0], [game[1]], "pot-of-gold")
    ]


@pytest.mark.soak
@pytest.mark.parametrize("game", games_beside(), ids=lambda game: "-".join(map(str, game)))
def test_side_wagers_of_every_game_are_reproduced(game: tuple[str, str, int]) -> None:
    kept = [row for row in stored_sides() if hangs_on_play(row)]

    assert rows_by_play(*game) == [
        row for row in kept if (row["rulebook"], row["games"]) == (game[0], [game[1]])
    ]


def test_playing_for_both_wagers_never_costs_more_than_for_the_main_one() -> None:
    compared = 0
    for row in stored_sides():
        if row["assuming"].startswith(BY_BOTH):
            edges = _edges(row["rulebook"], row["games"][0], row["side"], row["choice"])
            assert row["edge"] <= edges[BY_MAIN] + 1e-9, row
            compared += 1
    assert compared


def test_super_sevens_for_both_is_between_the_main_play_and_always_drawing() -> None:
    """A third card is best for the side wager, and here it costs the main one."""
    always = next(
        float(edge.edge)
        for edge in side_edges("nz-division-2", "super-sevens", 6)
        if edge.assuming == "a third card is drawn"
    )
    edges = _edges("nz-division-2", "blackjack", "super-sevens")

    assert always < edges[f"{BY_BOTH} 1:1"] < edges[f"{BY_BOTH} 1:5"] < edges[BY_MAIN]


def test_side_wager_that_favours_the_player_is_first_with_its_rule() -> None:
    result = CliRunner().invoke(app, ["edge", "sweep", "crown-melbourne-26", "--json"])
    first = json.loads(result.stdout)[0]

    assert first["edge"] < 0
    assert first["side"] == "blackpot"
    assert cited(first)


def test_side_wagers_are_printed_as_csv_with_their_pay_scale() -> None:
    result = CliRunner().invoke(app, ["edge", "sweep", "uk-blackjack", "--decks", "8", "--csv"])

    assert "uk-blackjack,blackjack,8,,,,-0.0048" in result.stdout
    assert "perfect-pairs" in result.stdout


def test_side_has_one_figure_for_a_wager_that_depends_on_play() -> None:
    result = CliRunner().invoke(
        app, ["edge", "side", "nz-division-2", "house-money", "--decks", "6", "--json"]
    )
    assumptions = {row["assuming"] for row in json.loads(result.stdout)["by_play"]}

    assert any(BY_MAIN in assuming for assuming in assumptions)
    assert any(BY_BOTH in assuming for assuming in assumptions)


def test_riding_with_free_bets_is_not_computed() -> None:
    """The engine's free bets match only the wager: one larger wager would be another game."""
    book = open_rulebook("nz-division-2", ("free-bet",))

    assert any(side.riding for side in book.side_wagers.values())
    assert list(riding_edges(book, 6)) == []
