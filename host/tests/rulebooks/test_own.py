"""A custom rulebook: a folder that is checked, and played like an included rulebook."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cases.runner import run_file
from cutcard.cli.main import app
from cutcard.engine.events import Irregularity
from cutcard.engine.round import start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.rulebooks import MalformedRulebookError, UnknownRulebookError, open_rulebook
from cutcard.rulebooks.book import games_named
from cutcard.rulebooks.folder import RulebookFolder, mistakes_of, read_folder
from cutcard.rulebooks.schema import schema
from tests.engine.random_rounds import play, wagers
from tests.irregularities.random_irregularities import Played, irregular_rounds
from tests.rulebooks.club import change, club


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return club(tmp_path)


def a_club() -> RulebookFolder:
    with TemporaryDirectory() as kept:
        return read_folder(club(Path(kept)), "./club-rules")


CLUB = a_club()


def mistakes(folder: Path) -> list[str]:
    return [str(mistake) for mistake in mistakes_of(read_folder(folder))]


# Checking


def test_page_has_exactly_the_keys_that_a_game_needs() -> None:
    needed = {key.name for key in schema().values() if key.needed}
    assert set(open_rulebook(CLUB, ("social",)).entries) == needed


def test_all_mistakes_of_all_files_are_reported_at_once(folder: Path) -> None:
    change(folder / "base.toml", '["dealer", "floor-manager"]', '["dealer"]')
    change(folder / "base.toml", '["social", "late"]', '["social", "lat"]')
    change(folder / "base.toml", 'soft_17 = { is = "stand"', 'soft_17 = { is = "stands"')
    change(folder / "base.toml", "pack = ", "packs = ")
    change(folder / "variant-late.toml", "[dealer]", "[dealers]")
    change(folder / "variant-late.toml", "alone = ", "allone = ")
    change(folder / "variant-social.toml", 'section = "1"', 'on = "lat"')
    (folder / "notes.toml").write_text('kept = "by nobody"\n')
    assert mistakes(folder) == [
        "base.toml: cards.packs: unknown key; did you mean 'cards.pack'?",
        'base.toml: dealer.soft_17: is "stands"; it must be one of "stand", "draw"; '
        "did you mean 'stand'?",
        "notes.toml: is not used; a rulebook consists of base.toml and variant-NAME.toml",
        "variant-late.toml: [dealers]: unknown key; did you mean 'dealer'?",
        "variant-late.toml: surrender.allone: unknown key; did you mean 'surrender.alone'?",
        "variant-social.toml: section: is missing; it must be a string",
        "base.toml: roles: must list the dealer and at least one higher role for rulings on "
        "irregularities",
        "base.toml: variants: 'lat' has no file variant-lat.toml; did you mean 'late'?",
        "variant-late.toml: is not used: 'late' is not one of the variants in base.toml; "
        "did you mean 'lat'?",
        "variant-social.toml: on: 'lat' is not another variant; did you mean 'late'?",
        "base.toml: cards.pack: is missing (cards in a deck: 52, or 48 without the tens); "
        "add one of 48, 52",
        "variant-late.toml: surrender.alone: is missing (whether any player on the box may "
        "surrender; otherwise the caller must be first); add true or false, required by "
        "surrender.kind",
    ]


def test_two_keys_that_must_be_equal_are_checked(folder: Path) -> None:
    same = 'dealers_blackjack = { is = "whole", rule = "" }\n'
    other = same.replace("whole", "original-only")
    change(folder / "base.toml", "[split]\n", f"{same}[split]\n{other}")
    assert mistakes(folder) == [
        'base.toml: split.dealers_blackjack: is "original-only", but must equal '
        "double.dealers_blackjack"
    ]


def test_custom_side_wagers_are_refused(folder: Path) -> None:
    change(
        folder / "base.toml",
        "[rulings]",
        "[side_stakes]\npair = { is = true, rule = '1' }\n[rulings]",
    )
    assert mistakes(folder) == [
        "base.toml: side_stakes.pair: a custom rulebook cannot have side wagers"
    ]


def test_file_that_is_not_toml_is_one_of_several_mistakes(folder: Path) -> None:
    (folder / "variant-social.toml").write_text("title = ")
    (folder / "base.toml").unlink()
    found = mistakes(folder)
    assert found[0].startswith("variant-social.toml: is not TOML")
    assert found[1] == "base.toml: is missing; it must have the values that all variants share"
    assert len(found) > 60


def test_check_exits_by_its_result(folder: Path) -> None:
    assert CliRunner().invoke(app, ["rulebook", "check", str(folder)]).exit_code == 0
    assert CliRunner().invoke(app, ["rulebook", "check", str(folder / "base.toml")]).exit_code == 0
    assert CliRunner().invoke(app, ["rulebook", "check", f"{folder}/nowhere"]).exit_code == 2
    change(folder / "base.toml", "hands = { is = 4", "hands = { is = true")
    for path in (folder, folder / "base.toml"):
        result = CliRunner().invoke(app, ["rulebook", "check", str(path)])
        assert result.exit_code == 1
        assert "split.hands: is true; it must be an integer from 0 to 99" in result.output


def test_check_prints_json_for_scripts(folder: Path) -> None:
    change(folder / "base.toml", 'forced = { is = "never"', 'forced = { is = "nevr"')
    result = CliRunner().invoke(app, ["rulebook", "check", "--json", str(folder)])
    said = json.loads(result.stdout)
    assert (result.exit_code, said["ok"]) == (1, False)
    (mistake,) = said["mistakes"]
    assert mistake["file"] == "base.toml"
    assert mistake["key"] == "draw.forced"
    assert mistake["suggestion"] == "never"


def test_keys_are_listed_with_their_meaning() -> None:
    listed = json.loads(CliRunner().invoke(app, ["rulebook", "keys", "--json"]).stdout)
    assert len(listed) == len(schema())
    (soft_17,) = [key for key in listed if key["key"] == "dealer.soft_17"]
    assert soft_17["among"] == ["stand", "draw"]
    assert soft_17["decides"]
    assert "only cited" in CliRunner().invoke(app, ["rulebook", "keys", "deal"]).stdout
    assert CliRunner().invoke(app, ["rulebook", "keys", "dubble"]).exit_code == 2


# Opening


def test_opened_rulebook_is_unaffected_by_a_changed_file(folder: Path) -> None:
    before = open_rulebook(str(folder))
    change(folder / "base.toml", 'soft_17 = { is = "stand"', 'soft_17 = { is = "draw"')
    after = open_rulebook(str(folder))
    assert before["dealer.soft_17"].value == "stand"
    assert after["dealer.soft_17"].value == "draw"


def test_a_rulebook_with_a_mistake_is_not_opened(folder: Path) -> None:
    change(folder / "variant-late.toml", "12.1", '12.1", rul = "')
    with pytest.raises(MalformedRulebookError, match=r"dealer\.soft_17\.rul: unknown key"):
        open_rulebook(str(folder))


def test_unknown_variant_is_rejected(folder: Path) -> None:
    with pytest.raises(UnknownRulebookError, match="it has social, late"):
        open_rulebook(str(folder), ("early",))
    with pytest.raises(UnknownRulebookError, match="does not exist"):
        open_rulebook(f"{folder}/nowhere")


def test_custom_game_is_named_by_its_path(folder: Path) -> None:
    assert games_named([f"{folder}"]) == [(f"{folder}", ())]
    assert games_named([f"{folder}/late", "uk-blackjack"]) == [
        (f"{folder}/", ("late",)),
        ("uk-blackjack", ()),
    ]
    assert games_named([f"{folder}", "late"]) == [(f"{folder}", ("late",))]


# Playing


@st.composite
def rounds_at_the_club(draw: st.DrawFn) -> Round:
    table = Table(open_rulebook(CLUB, (draw(st.sampled_from(("social", "late"))),)), decks=6)
    return play(draw, start(table, draw(wagers(table))))[-1]


@given(rounds_at_the_club())
def test_rulebook_with_only_the_required_keys_can_be_played(round: Round) -> None:
    assert round.phase is Phase.SETTLED


@given(irregular_rounds((CLUB,)))
def test_floor_manager_decides_every_irregularity(played: Played) -> None:
    choices = [choice for round in played.rounds for choice in round.choices]
    assert {option.by for choice in choices for option in choice.options} <= {"floor-manager"}
    of_absent_players = {"7.2"}
    assert {rule for choice in choices for rule in choice.rules} <= of_absent_players


def test_folder_named_like_an_included_rulebook_has_no_procedures(folder: Path) -> None:
    theirs = folder.rename(folder.parent / "crown-melbourne-26")
    round = start(Table(open_rulebook(str(theirs)), 6), [Placed(1, "A", "main", 1000)])
    round = step(round, Irregularity("malfunction", device="shoe"))
    assert {option.by for option in round.choices[0].options} == {"floor-manager"}


def test_saved_round_is_replayed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    arguments = ["play", "./club-rules", "--seed", "4", "--save", "round.toml"]
    assert CliRunner().invoke(app, arguments, input="stand\n").exit_code == 0
    assert run_file(Path("round.toml")).ok
    assert CliRunner().invoke(app, ["case", "run", str(folder.parent)]).exit_code == 0


def test_round_is_saved_only_next_to_its_rulebook(folder: Path) -> None:
    arguments = ["play", str(folder), "--save", str(folder / "round.toml")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "save it in" in result.output


ELSEWHERE = ["../club-rules", "./../club-rules", "/tmp", "./linked", "./.", f"./{'x' * 300}"]


@pytest.mark.parametrize("named", ELSEWHERE)
def test_case_cannot_name_a_folder_outside_its_own(folder: Path, named: str) -> None:
    inner = folder.parent / "inner"
    inner.mkdir()
    (inner / "linked").symlink_to(folder)
    case = (folder.parent / "jam.toml").read_text("utf-8").replace("./club-rules", named)
    (inner / "jam.toml").write_text(case)
    report = run_file(inner / "jam.toml")
    assert report.malformed is not None
    assert report.malformed.startswith("rulebook: ")
