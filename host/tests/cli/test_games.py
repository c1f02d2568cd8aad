"""A game is named the same way in every command, and its description is grammatical."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.rulebooks.book import games_named

RUN = CliRunner()


@pytest.mark.parametrize(
    ("words", "games"),
    [
        (["uk-blackjack"], [("uk-blackjack", ())]),
        (["nz-division-2", "free-bet"], [("nz-division-2", ("free-bet",))]),
        (["nz-division-2/free-bet"], [("nz-division-2", ("free-bet",))]),
        (["nz-division-2/style-a+ante-up"], [("nz-division-2", ("style-a", "ante-up"))]),
        (["nz-division-2", "style-a", "ante-up"], [("nz-division-2", ("style-a", "ante-up"))]),
        (
            ["crown-melbourne-26", "vegas", "uk-blackjack"],
            [("crown-melbourne-26", ("vegas",)), ("uk-blackjack", ())],
        ),
    ],
)
def test_variant_follows_its_rulebook_or_a_slash(
    words: list[str], games: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert games_named(words) == games


@pytest.mark.parametrize("command", [["rulebook", "show"], ["rulebook", "diff", "uk-blackjack"]])
def test_both_forms_of_a_game_give_the_same_output(command: list[str]) -> None:
    apart = RUN.invoke(app, [*command, "crown-melbourne-26", "vegas", "--json"])
    together = RUN.invoke(app, [*command, "crown-melbourne-26/vegas", "--json"])
    assert apart.exit_code == together.exit_code == 0
    assert json.loads(apart.stdout) == json.loads(together.stdout)


@pytest.mark.parametrize(
    "words",
    [
        ["rulebook", "show", "uk-blackjack", "nz-division-2"],
        ["rulebook", "diff", "uk-blackjack"],
        ["play", "uk-blackjack", "nz-division-2"],
    ],
)
def test_wrong_number_of_games_is_reported(words: list[str]) -> None:
    result = RUN.invoke(app, words)
    assert result.exit_code == 2
    assert "such as nz-division-2" in result.stderr


@pytest.mark.parametrize("game", [["crown-melbourne-26", "vegas"], ["crown-melbourne-26/vegas"]])
def test_person_plays_and_the_story_is_in_the_third_person(game: list[str], tmp_path: Path) -> None:
    answers = "hit\n" * 3 + "stand\n" * 9
    played = RUN.invoke(app, ["play", *game, "--seed", "4"], input=answers)
    assert "Player draws to hand 1." in played.stdout
    assert "You " not in played.stdout
