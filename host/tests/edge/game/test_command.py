"""`cutcard edge game` and `sweep`: refusals, with their rules."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pypdfium2
import pytest
from typer.testing import CliRunner

from cutcard.cli.edges.simulate import basic_strategy
from cutcard.cli.main import app
from cutcard.edge.game.drawing import COLOURS, as_svg
from cutcard.edge.strategy import read_strategy
from tests.rulebooks.club import club

run = CliRunner()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("uk-blackjack --decks 9", "9 decks are not allowed; the rulebook allows 1, 2"),
        ("uk-blackjack blackjack blackjack --decks 6", "a variant is named twice"),
        ("nz-division-2 ante-up --decks 6 --ante 0.1", "above 0, as in 1:8"),
        ("nz-division-2 ante-up --decks 6 --ante 0:1", "above 0, as in 1:8"),
        ("crown-melbourne-26 spanish --decks 8 --wager 12.345", "use dollars and cents"),
        ("uk-blackjack --decks 6 --html a --svg ./a", "--html and --svg both name a: choose"),
        ("crown-melbourne-26 vegas --decks 6", "12.3.1"),
        ("uk-blackjack pontoon --decks 6", "has no variant 'pontoon'"),
        ("nz-division-2 --decks 6 --blackjack 2:1", "10.1A"),
        ("nz-division-2 ante-up --decks 6 --ante 1:4", "12.5 %"),
        ("uk-blackjack --decks 6 --ante 1:8", "has no ante"),
        ("uk-blackjack --decks 6 --set blackjak.odds=6:5", "unknown key 'blackjak.odds'"),
        ("uk-blackjack --decks 6 --set tea.milk=first", "`cutcard rulebook keys` lists"),
        ("crown-melbourne-26 crown-pontoon --decks 8 --wager nan", "the value is not a number"),
        ("crown-melbourne-26 crown-pontoon --decks 8 --forced-draw", "7.5.2"),
        ("uk-blackjack --decks 6 --forced-draw", "no rule of uk-blackjack lets a sign force draws"),
        ("uk-blackjack --decks 6 --paytable nowhere.toml", "cannot be read: No such file"),
        ("uk-blackjack --decks 6 --set boxes.most=3", "boxes.most=3: it moves no money"),
        (
            "uk-blackjack --decks 6 --set dealer.soft_17=stand",
            "the rulebook has this value already",
        ),
        ("crown-melbourne-26 crown-pontoon --decks 8 --wager 0", "above 0"),
        (
            "nz-division-2 --decks 6 --blackjack 6:5 --set blackjack.odds=1:1",
            "--set blackjack.odds=1:1: --blackjack 6:5 overrides it",
        ),
        (
            "uk-blackjack --decks 6 --set cards.decks=3",
            "--decks 6: your cards.decks is 3",
        ),
        ("uk-blackjack --decks 6 --wager 25", "this game has no prize in dollars"),
    ],
)
def test_game_not_allowed_by_the_rulebook_is_refused_with_its_rule(words: str, said: str) -> None:
    done = run.invoke(app, ["edge", "game", *words.split()])

    assert done.exit_code == 2
    assert said in done.output


def test_cost_of_forced_draws_is_reported_even_if_zero() -> None:
    words = ["edge", "game", "crown-melbourne-26", "blackjack", "--decks", "8", "--forced-draw"]
    done = run.invoke(app, words)
    result = json.loads(run.invoke(app, [*words, "--json"]).stdout)

    assert "forced draws cost      $0: the best play draws there anyway" in done.output
    assert result["forced_draws_cost"] == 0


def test_game_writes_its_strategy_in_every_form(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("strategy.json", "table.svg", "page.html")]
    options = zip(("--strategy", "--svg", "--html"), map(str, files), strict=True)
    words = ["edge", "game", "crown-melbourne-26", "select", "--decks", "6", "--json"]
    done = run.invoke(app, [*words, *(word for pair in options for word in pair)])

    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["return"] == pytest.approx(1 - found["edge"])
    assert json.loads(files[0].read_text("utf-8")) == found["strategy"]
    assert files[1].read_text("utf-8").startswith("<svg")
    assert "hard totals" in files[2].read_text("utf-8")
    for picture in files[1:]:
        assert "H draw; S stand" in picture.read_text("utf-8")


def test_page_includes_the_readings(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    words = ["edge", "game", "uk-blackjack", "--decks", "6", "--readings", "--json"]
    readings = json.loads(run.invoke(app, [*words, "--html", str(page)]).stdout)["readings"]

    assert readings
    for name, each in readings.items():
        row = f"<th>{name}, other reading</th><td>{each['otherwise']}; {each['edge']:.6%}; "
        assert row in html.unescape(page.read_text("utf-8"))


def test_game_without_a_doubtful_rule_reports_this_for_readings(
    tmp_path: Path,
) -> None:
    words = ["edge", "game", str(club(tmp_path)), "--decks", "6"]
    said = "readings               no doubtful rule affects the money of this game"

    assert said in run.invoke(app, [*words, "--readings"]).stdout
    assert said not in run.invoke(app, words).stdout


def test_game_with_house_rules_reports_them(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[blackjack]\nodds = "6:5"\n[boxes]\nmost = 3\n', "utf-8")
    words = ["edge", "game", "crown-melbourne-26", "select", "--decks", "6"]
    said = run.invoke(app, [*words, "--paytable", str(file), "--set", "dealer.soft_17=stand"])
    result = run.invoke(app, [*words, "--set", "blackjack.odds=6:5", "--json"])

    assert "with blackjack.odds = 6:5, boxes.most = 3, dealer.soft_17 = stand" in said.stdout
    assert "boxes.most in the file: it moves no money" in said.stderr
    assert json.loads(result.stdout)["game"]["rules_of_ones_own"] == {"blackjack.odds": "6:5"}


def test_typed_value_overrides_a_file_value_and_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[blackjack]\nodds = "6:5"\n', "utf-8")
    words = ["edge", "game", "uk-blackjack", "--decks", "6", "--json"]
    own = ["--paytable", str(file), "--set", "blackjack.odds=3:2"]
    back = run.invoke(app, [*words, *own])

    assert back.exit_code == 0, back.output
    assert "--set blackjack.odds overrides the file, which has 6:5\n" in back.stderr
    assert json.loads(back.stdout)["edge"] == json.loads(run.invoke(app, words).stdout)["edge"]


@pytest.mark.parametrize(
    ("words", "said", "result"),
    [
        ("nz-division-2 --blackjack 6:5", "a Blackjack pays 6:5", {"blackjack": "6:5"}),
        ("nz-division-2 ante-up", "an ante of 1/8 of the wager", {"ante": "1/8"}),
        ("crown-melbourne-26 spanish --wager 25", "a wager of $25.00", {"wager_cents": 2500}),
        ("crown-melbourne-26 --forced-draw", "the sign forces draws", {"forced_draw": True}),
    ],
)
def test_figure_names_its_layout(words: str, said: str, result: dict[str, object]) -> None:
    asked = ["edge", "game", *words.split(), "--decks", "6"]
    assert f", 6 decks, {said}\n" in run.invoke(app, asked).stdout
    game = json.loads(run.invoke(app, [*asked, "--json"]).stdout)["game"]
    assert game.items() >= {"decks": 6, **result}.items()


def test_sweep_json_lists_rules_that_favour_the_player() -> None:
    asked = ["edge", "sweep", "uk-blackjack", "--decks", "1"]
    first = json.loads(run.invoke(app, [*asked, "--json"]).stdout)[0]
    (row, *_) = csv.DictReader(io.StringIO(run.invoke(app, [*asked, "--csv"]).stdout))

    assert first["allowed_by"] == ["blackjack-rules", "blackjack-house-edge"]
    assert row["allowed_by"] == "blackjack-rules, blackjack-house-edge"
    assert row["otherwise"] == first["otherwise"] == "21 stands off against the dealer's Blackjack"


def test_sweep_has_the_same_figures_in_csv_as_in_json() -> None:
    asked = ["edge", "sweep", "uk-blackjack", "--decks", "6"]
    result = json.loads(run.invoke(app, [*asked, "--json"]).stdout)
    rows = list(csv.DictReader(io.StringIO(run.invoke(app, [*asked, "--csv"]).stdout)))

    for name in ("edge", "by_total", "action", "variance"):
        assert [row[name] for row in rows] == [str(each.get(name, "")) for each in result]


def test_one_deck_is_written_in_the_singular() -> None:
    done = run.invoke(app, ["edge", "game", "uk-blackjack", "--decks", "1"])

    assert done.stdout.startswith("uk-blackjack blackjack, 1 deck\n")


def test_refused_table_is_reported_identically_everywhere() -> None:
    table = ["nz-division-2", "ante-up", "--decks", "6"]
    exact = run.invoke(app, ["edge", "game", *table, "--ante", "1:4"])
    played = run.invoke(app, ["edge", "simulate", *table, "--ante", "2.50"])

    assert exact.stderr == played.stderr
    assert exact.stderr == "the ante is more than 12.5 % of the table's minimum [1.0]\n"


def test_sweep_lists_games_that_favour_the_player_first() -> None:
    done = run.invoke(app, ["edge", "sweep", "crown-melbourne-26", "--decks", "4", "--json"])

    edges = [row["edge"] for row in json.loads(done.stdout)]
    assert edges == sorted(edges)
    assert edges[0] < 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("./no-rules", "folder no-rules does not exist"),
        ("uk-blackjack --set double.afte_split=false", "did you mean double.after_split?"),
        ("--set split.hands=2 --compute --into .", "--into requires --compute"),
        ("--decks 9", "no rulebook has a game with 9 decks"),
        ("uk-blackjack --decks 9", "[blackjack-house-edge]"),
        ("--compute --into nowhere", "--into nowhere is not a folder"),
    ],
)
def test_sweep_refuses_before_a_long_computation(words: str, said: str) -> None:
    done = run.invoke(app, ["edge", "sweep", *words.split()])

    assert done.exit_code == 2
    assert said in done.output


def test_missing_keys_of_a_rule_are_reported_together() -> None:
    done = run.invoke(app, ["edge", "game", "uk-blackjack", "--decks", "6", "--set", LATE[0]])

    assert done.exit_code == 2
    assert "surrender.against" in done.output
    assert "surrender.alone" in done.output


LATE = ("surrender.kind=in-turn", "surrender.against=23456789TJQKA", "surrender.alone=false")
OTHER_GAMES = {
    "no double after a split": ("double.after_split=false",),
    "double on 10 and 11 only": ("double.totals=hard-10-11",),
    "late surrender": LATE,
    "the dealer peeks": ("dealer.peeks=true",),
    "two hands": ("split.hands=2",),
    "aces are split again": ("split.aces_again=true",),
}


@pytest.mark.parametrize("rules", OTHER_GAMES.values(), ids=OTHER_GAMES)
def test_simulated_game_with_house_rules_has_its_exact_edge(
    rules: tuple[str, ...], tmp_path: Path
) -> None:
    own = [word for rule in rules for word in ("--set", rule)]
    file = str(tmp_path / "strategy.json")
    game = ["uk-blackjack", "--decks", "2", *own, "--strategy", file, "--json"]
    exact = json.loads(run.invoke(app, ["edge", "game", *game]).stdout)
    played = run.invoke(app, ["edge", "simulate", *game, "--rounds", "3_000_000"])

    found = json.loads(played.stdout)
    edge = found["edge_with_insurance"]
    assert abs(edge["value"] - exact["edge"]) < 5 * edge["error"]
    assert "written for another game" not in played.stderr
    assert found["rules_of_ones_own"]


def test_sweep_computes_a_folder_and_changed_rules(tmp_path: Path) -> None:
    folder = str(club(tmp_path))
    sweep = ["edge", "sweep", folder, "--decks", "6", "--json"]
    plain = {tuple(row["variants"]): row for row in json.loads(run.invoke(app, sweep).stdout)}
    changed = json.loads(run.invoke(app, [*sweep, "--set", "dealer.peeks=true"]).stdout)

    assert plain
    assert all(row["edge"] < plain[tuple(row["variants"])]["edge"] for row in changed)


def test_strategy_tables_print_their_rules(tmp_path: Path) -> None:
    files = {kind: tmp_path / f"table.{kind}" for kind in ("svg", "html", "pdf")}
    options = [word for kind, file in files.items() for word in (f"--{kind}", str(file))]
    own = ["--set", "dealer.peeks=true", "--set", "double.after_split=false"]
    done = run.invoke(app, ["edge", "game", "uk-blackjack", "--decks", "6", *own, *options])

    assert done.exit_code == 0, done.output
    document = pypdfium2.PdfDocument(files["pdf"].read_bytes())
    texts = {
        "svg": files["svg"].read_text("utf-8"),
        "html": files["html"].read_text("utf-8"),
        "pdf": "".join(page.get_textpage().get_text_range() for page in document),
    }
    for text in texts.values():
        assert "the dealer stands on soft 17; a Blackjack pays 3:2" in text
        assert "The dealer checks an ace or a ten for a Blackjack before the turns" in text
        assert "two cards, any total, not after a split" in text


# Machado, Oliveira and Fernandes (2009), severity 1: linear RGB seen with each deficiency.
SEEN = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
WHITE = (0.9505, 1.0, 1.089)


def _linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]


def _times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]


def _lab(linear: Sequence[float]) -> tuple[float, float, float]:
    """Return CIE L*a*b*, in which the distance of two colours is their visible difference."""
    parts = [c / white for c, white in zip(_times(XYZ, linear), WHITE, strict=True)]
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in parts)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


@pytest.mark.parametrize("eye", SEEN)
def test_table_colours_differ_for_every_kind_of_colour_vision(eye: str) -> None:
    seen = [
        _lab([min(1.0, max(0.0, c)) for c in _times(SEEN[eye], _linear(colour))])
        for colour in COLOURS.values()
    ]
    assert min(math.dist(one, two) for one, two in combinations(seen, 2)) > 20


def test_table_letters_have_contrast() -> None:
    for colour in COLOURS.values():
        luminance = _times(XYZ, _linear(colour))[1]
        assert (luminance + 0.05) / 0.05 >= 4.5


def test_picture_with_a_long_title_shows_all_of_it() -> None:
    title = "nz-division-2 ante-up, 6 decks, a Blackjack pays 6:5, an ante of 1/8 of the wager"
    picture = as_svg(read_strategy(basic_strategy()), title)

    lines = re.findall('font-weight="bold">([^<]*)<', picture)[:2]
    assert " ".join(lines) == title
