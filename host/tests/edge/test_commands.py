"""`cutcard edge`, and its page."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.edge.game.beside import edges_beside
from cutcard.edge.page import arithmetic_page
from cutcard.rulebooks import open_rulebook
from tests.rulebooks.club import club

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "rulebooks" / "side-bet-arithmetic.md"


def test_json_has_the_fraction_and_the_printed_figure() -> None:
    result = CliRunner().invoke(
        app, ["edge", "side", "uk-blackjack", "perfect-pairs", "--decks", "6", "--json"]
    )
    (edge,) = json.loads(result.stdout)["edges"]
    assert (edge["edge"], edge["percent"], edge["printed_percent"]) == ("6/311", "1.9293", "1.93")


def test_insurance_has_its_own_edge() -> None:
    """By hand: of 311 cards behind an ace 96 are tens, and it pays 2 to 1: 215 - 2 x 96 of 311."""
    asked = ["edge", "side", "uk-blackjack", "insurance", "--decks", "6", "--json"]
    result = CliRunner().invoke(app, asked)
    assert [edge["edge"] for edge in json.loads(result.stdout)["edges"]] == ["23/311"]


def test_omitted_wager_is_named() -> None:
    result = CliRunner().invoke(app, ["edge", "side", "mbs-free-bet-3", "pot-of-gold", "--json"])
    assert list(json.loads(result.stdout)["left_out"]) == ["pot-of-gold"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["side", "atlantis"], "use one of nz-division-2"),
        (["side", "uk-blackjack", "buster"], "it has 21-plus-3"),
        (
            ["side", "crown-melbourne-26", "buster", "--decks", "3"],
            "3 decks are not allowed; the rulebook allows 4",
        ),
        (["side", "uk-blackjack", "--decks", "9"], "[blackjack-house-edge]"),
        (["side", "mbs-free-bet-3", "pot-of-gold", "--decks", "9"], "[2.1]"),
        (["side", "nz-division-2", "super-sevens", "--decks", "4"], "for 6, 7, 8 [3.3(a)]"),
        (["side", "crown-melbourne-26", "pot-of-gold", "--decks", "4"], "for 6, 8 [30.5.1]"),
        (["beside", "uk-blackjack", "--decks", "6", "--json"], "no side wager depends on its play"),
        (["prizes", "uk-blackjack"], "draws no prizes"),
        (["prizes"], "name a rulebook (nz-division-2, "),
        (["prizes"], "or your own table: --table FILE"),
    ],
)
def test_usage_error_lists_the_valid_values(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["edge", *arguments])
    assert result.exit_code == 2
    assert says in result.output


@pytest.mark.parametrize("command", ["side", "prizes", "game", "simulate", "risk"])
def test_help_examples_are_not_broken_at_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    lines = CliRunner().invoke(app, ["edge", command, "--help"]).output.splitlines()
    examples = [
        at for at, line in enumerate(lines) if line.startswith(f"     cutcard edge {command}")
    ]

    assert examples
    assert not any(lines[at + 1].strip() for at in examples)


def test_side_accepts_a_custom_rulebook(tmp_path: Path) -> None:
    """By hand, for eight decks: of 415 cards behind an ace 128 are tens, and it pays 2 to 1."""
    words = ["edge", "side", str(club(tmp_path)), "--decks", "8", "--json"]
    result = CliRunner().invoke(app, words)
    (edge,) = json.loads(result.stdout)["edges"]
    assert (edge["bet"], edge["edge"]) == ("insurance", "31/415")


def test_prizes_accept_a_custom_rulebook(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["edge", "prizes", str(club(tmp_path))])
    assert result.exit_code == 2
    assert "draws no prizes by button" in result.output


@pytest.mark.parametrize("command", ["game", "beside", "simulate", "machines", "side", "prizes"])
def test_help_mentions_folders(command: str) -> None:
    said = CliRunner().invoke(app, ["edge", command, "--help"]).output
    assert "your own folder: ./club-rules" in " ".join(re.sub("[│]", "", said).split())


def test_side_accepts_a_custom_paytable(tmp_path: Path) -> None:
    """Perfect Pairs by hand: of 311 cards left 5 are the same, 6 of its colour, 12 of another."""
    file = tmp_path / "mine.toml"
    file.write_text('perfect-pair = "20:1"\n')
    words = ["edge", "side", "uk-blackjack", "perfect-pairs", "--decks", "6", "--json"]
    result = CliRunner().invoke(
        app, [*words, "--paytable", str(file), "--set", "coloured-pair=10:1"]
    )
    (edge,) = json.loads(result.stdout)["edges"]

    assert edge["edge"] == str(1 - Fraction(5 * 21 + 6 * 11 + 12 * 6, 311))
    assert edge["printed_percent"] is None


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["uk-blackjack", "perfect-pairs", "--set", "royal=9:1"], "has no row 'royal'"),
        (["uk-blackjack", "perfect-pairs", "--set", "perfect-pair=lots"], "is not valid odds"),
        (["uk-blackjack", "perfect-pairs", "--set", "perfect"], "write ROW=ODDS"),
        (["uk-blackjack", "--set", "perfect=9:1"], "name it"),
        (["nz-division-2", "madness-21", "--set", "prize=9:1"], "has no row 'prize'"),
        (["uk-blackjack", "perfect-pairs", "--paytable", "nowhere.toml"], "cannot be read"),
        (["uk-blackjack", "perfect-pairs", "--set", "perfect-pair=²:1"], "is not valid odds"),
        (
            ["uk-blackjack", "perfect-pairs", "--set", f"perfect-pair={'9' * 5000}:1"],
            "is not valid odds",
        ),
        (["uk-blackjack", "insurance", "--set", "ten=3:1"], "`cutcard edge game --set insurance"),
        (["uk-blackjack", "perfect-pairs", "--set", "perfect-pair=30:1"], "has this value already"),
    ],
)
def test_invalid_paytable_is_refused_by_its_row(arguments: list[str], says: str) -> None:
    result = CliRunner().invoke(app, ["edge", "side", *arguments])

    assert result.exit_code == 2
    assert says in result.output


def test_row_is_compared_with_the_printed_one_for_these_decks() -> None:
    """Three sevens pay 650 to one with six decks, and 500 with eight."""
    words = ["edge", "side", "crown-melbourne-26", "magnificent-sevens", "--decks", "6"]
    done = CliRunner().invoke(app, [*words, "--set", "three-sevens=650:1"])

    assert done.exit_code == 2
    assert "--set three-sevens=650:1: the rulebook has this value already" in done.output


def test_row_is_set_once() -> None:
    words = ["edge", "side", "uk-blackjack", "perfect-pairs"]
    both = ["--set", "perfect-pair=9:1", "--set", "perfect-pair=8:1"]
    done = CliRunner().invoke(app, [*words, *both])

    assert done.exit_code == 2
    assert "--set perfect-pair: it is given 2 times" in done.output


def test_typed_value_overrides_a_pay_table_row_and_is_reported(
    tmp_path: Path,
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('perfect-pair = "25:1"\n')
    words = ["edge", "side", "uk-blackjack", "perfect-pairs", "--paytable", str(file)]
    done = CliRunner().invoke(app, [*words, "--set", "perfect-pair=30:1"])

    assert done.exit_code == 0, done.output
    assert "--set perfect-pair overrides the file, which has 25:1" in done.stderr


def test_paytable_row_equal_to_the_printed_one_is_named(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('perfect-pair = "25:1"\nmixed-pair = "5:1"\n')
    words = ["edge", "side", "uk-blackjack", "perfect-pairs", "--paytable", str(file)]
    done = CliRunner().invoke(app, words)

    assert done.exit_code == 0
    assert done.stdout.startswith("uk-blackjack, with perfect-pair = 25:1, mixed-pair = 5:1")
    assert done.stderr == "mixed-pair in the file: the rulebook has this value already\n"


def test_empty_paytable_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("# to do\n")
    for words in (["side", "uk-blackjack", "perfect-pairs"], ["game", "uk-blackjack"]):
        asked = ["edge", *words, "--decks", "6", "--paytable", str(file)]
        done = CliRunner().invoke(app, asked)
        assert done.exit_code == 2
        assert "it is empty" in done.output


def test_wager_that_depends_on_play_accepts_custom_odds() -> None:
    """With one to one more for one free bet, the edge falls by the frequency of exactly one."""
    words = ["edge", "side", "mbs-free-bet-3", "pot-of-gold", "--decks", "6", "--json"]
    printed = json.loads(CliRunner().invoke(app, words).stdout)
    own = json.loads(CliRunner().invoke(app, [*words, "--set", "1-token=4:1"]).stdout)
    book = open_rulebook("mbs-free-bet-3")
    (beside,) = edges_beside(book, 6, "pot-of-gold")
    (once,) = (chance for hand, _, chance in beside.rows if hand == "1-token")

    by_main = [result["by_play"][0] for result in (printed, own)]
    assert {row["assuming"] for row in by_main} == {"the best play of the main game"}
    assert by_main[0]["edge"] - by_main[1]["edge"] == pytest.approx(once, abs=1e-9)
    assert own["rules_of_ones_own"] == {"1-token": "4:1"}


def test_prizes_shows_the_mean() -> None:
    result = CliRunner().invoke(app, ["edge", "prizes", "nz-division-2", "--json"])
    (table,) = json.loads(result.stdout)
    assert table["mean"] == "52031/3750"


def test_prizes_accept_a_custom_table(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("1 10\n3 2\n")
    result = CliRunner().invoke(app, ["edge", "prizes", "--table", str(file), "--json"])
    (table,) = json.loads(result.stdout)
    assert (table["mean"], table["variance"]) == ("4", "12")
    file.write_text("1 10\n3 zwei\n")
    result = CliRunner().invoke(app, ["edge", "prizes", "--table", str(file)])
    assert result.exit_code == 2
    assert "line 2" in result.output


def test_page_is_fresh() -> None:
    assert PAGE.read_text("utf-8") == arithmetic_page(), "run: cutcard edge page > " + str(PAGE)


def test_wager_that_depends_on_play_has_its_figure_for_any_number_of_decks() -> None:
    done = CliRunner().invoke(
        app, ["edge", "side", "mbs-free-bet-3", "pot-of-gold", "--decks", "2", "--json"]
    )
    rows = json.loads(done.stdout)["by_play"]

    assert {row["decks"] for row in rows} == {2}
    assert {row["assuming"] for row in rows} > {"the best play of the main game"}
