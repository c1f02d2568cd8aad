"""A rulebook of one's own: a folder that is checked, and played like one of ours."""

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


def test_the_page_has_every_key_that_a_game_needs_and_no_other() -> None:
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
        "base.toml: cards.packs: nobody reads it; did you mean 'cards.pack'?",
        'base.toml: dealer.soft_17: is "stands"; it must be one of "stand", "draw"; '
        "did you mean 'stand'?",
        "notes.toml: nobody reads it: a rulebook is base.toml and variant-NAME.toml",
        "variant-late.toml: [dealers]: nobody reads it; did you mean 'dealer'?",
        "variant-late.toml: surrender.allone: nobody reads it; did you mean 'surrender.alone'?",
        "variant-social.toml: section: is missing; it must be a text",
        "base.toml: roles: must name the dealer and at least one above, who rules on "
        "irregularities",
        "base.toml: variants: 'lat' has no file variant-lat.toml; did you mean 'late'?",
        "variant-late.toml: nobody reads it: 'late' is not among the variants of base.toml; "
        "did you mean 'lat'?",
        "variant-social.toml: on: 'lat' is no other variant; did you mean 'late'?",
        "base.toml: cards.pack: is missing (cards in a deck: 52, or 48 without the tens); "
        "add one of 48, 52",
        "variant-late.toml: surrender.alone: is missing (whether any player on the box may "
        "surrender his own wager; else the caller first); add true or false, as surrender.kind "
        "needs it",
    ]


def test_two_keys_that_must_say_the_same(folder: Path) -> None:
    same = 'dealers_blackjack = { is = "whole", rule = "" }\n'
    other = same.replace("whole", "original-only")
    change(folder / "base.toml", "[split]\n", f"{same}[split]\n{other}")
    assert mistakes(folder) == [
        'base.toml: split.dealers_blackjack: is "original-only", and must say what '
        "double.dealers_blackjack says"
    ]


def test_side_wagers_of_ones_own_are_refused(folder: Path) -> None:
    change(
        folder / "base.toml",
        "[rulings]",
        "[side_stakes]\npair = { is = true, rule = '1' }\n[rulings]",
    )
    assert mistakes(folder) == [
        "base.toml: side_stakes.pair: a rulebook of one's own has no side wagers"
    ]


def test_a_file_that_is_no_toml_is_one_mistake_among_others(folder: Path) -> None:
    (folder / "variant-social.toml").write_text("title = ")
    (folder / "base.toml").unlink()
    found = mistakes(folder)
    assert found[0].startswith("variant-social.toml: is not TOML")
    assert found[1] == "base.toml: is missing; it has what all variants share"
    assert len(found) > 60


def test_check_exits_by_what_it_found(folder: Path) -> None:
    assert CliRunner().invoke(app, ["rulebook", "check", str(folder)]).exit_code == 0
    assert CliRunner().invoke(app, ["rulebook", "check", str(folder / "base.toml")]).exit_code == 0
    assert CliRunner().invoke(app, ["rulebook", "check", f"{folder}/nowhere"]).exit_code == 2
    change(folder / "base.toml", "hands = { is = 4", "hands = { is = true")
    for path in (folder, folder / "base.toml"):
        result = CliRunner().invoke(app, ["rulebook", "check", str(path)])
        assert result.exit_code == 1
        assert "split.hands: is true; it must be a whole number from 0 to 99" in result.output


def test_check_for_scripts(folder: Path) -> None:
    change(folder / "base.toml", 'forced = { is = "never"', 'forced = { is = "nevr"')
    result = CliRunner().invoke(app, ["rulebook", "check", "--json", str(folder)])
    said = json.loads(result.stdout)
    assert (result.exit_code, said["ok"]) == (1, False)
    (mistake,) = said["mistakes"]
    assert mistake["file"] == "base.toml"
    assert mistake["key"] == "draw.forced"
    assert mistake["suggestion"] == "never"


def test_the_keys_are_listed_with_what_they_decide() -> None:
    listed = json.loads(CliRunner().invoke(app, ["rulebook", "keys", "--json"]).stdout)
    assert len(listed) == len(schema())
    (soft_17,) = [key for key in listed if key["key"] == "dealer.soft_17"]
    assert soft_17["among"] == ["stand", "draw"]
    assert soft_17["decides"]
    assert "only cited" in CliRunner().invoke(app, ["rulebook", "keys", "deal"]).stdout
    assert CliRunner().invoke(app, ["rulebook", "keys", "dubble"]).exit_code == 2


# Opening


def test_what_was_opened_stays_and_a_changed_file_is_another_rulebook(folder: Path) -> None:
    before = open_rulebook(str(folder))
    change(folder / "base.toml", 'soft_17 = { is = "stand"', 'soft_17 = { is = "draw"')
    after = open_rulebook(str(folder))
    assert before["dealer.soft_17"].value == "stand"
    assert after["dealer.soft_17"].value == "draw"


def test_a_rulebook_with_a_mistake_is_not_opened(folder: Path) -> None:
    change(folder / "variant-late.toml", "12.1", '12.1", rul = "')
    with pytest.raises(MalformedRulebookError, match=r"dealer\.soft_17\.rul: nobody reads it"):
        open_rulebook(str(folder))


def test_a_variant_that_is_not_there(folder: Path) -> None:
    with pytest.raises(UnknownRulebookError, match="it has social, late"):
        open_rulebook(str(folder), ("early",))
    with pytest.raises(UnknownRulebookError, match="there is no folder"):
        open_rulebook(f"{folder}/nowhere")


def test_a_game_of_ones_own_is_named_by_its_path(folder: Path) -> None:
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
def test_a_rulebook_with_nothing_but_what_is_needed_plays(round: Round) -> None:
    assert round.phase is Phase.SETTLED


@given(irregular_rounds((CLUB,)))
def test_whatever_goes_wrong_the_floor_manager_decides(played: Played) -> None:
    choices = [choice for round in played.rounds for choice in round.choices]
    assert {option.by for choice in choices for option in choice.options} <= {"floor-manager"}
    of_absent_players = {"7.2"}
    assert {rule for choice in choices for rule in choice.rules} <= of_absent_players


def test_a_folder_with_a_name_of_ours_has_not_its_procedure(folder: Path) -> None:
    theirs = folder.rename(folder.parent / "crown-melbourne-26")
    round = start(Table(open_rulebook(str(theirs)), 6), [Placed(1, "A", "main", 1000)])
    round = step(round, Irregularity("malfunction", device="shoe"))
    assert {option.by for option in round.choices[0].options} == {"floor-manager"}


def test_a_round_that_is_saved_is_replayed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder.parent)
    arguments = ["play", "./club-rules", "--seed", "4", "--save", "round.toml"]
    assert CliRunner().invoke(app, arguments, input="stand\n").exit_code == 0
    assert run_file(Path("round.toml")).ok
    assert CliRunner().invoke(app, ["case", "run", str(folder.parent)]).exit_code == 0


def test_a_round_is_saved_only_where_its_rulebook_will_be_found(folder: Path) -> None:
    arguments = ["play", str(folder), "--save", str(folder / "round.toml")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert "save it in" in result.output


ELSEWHERE = ["../club-rules", "./../club-rules", "/tmp", "./linked", "./.", f"./{'x' * 300}"]


@pytest.mark.parametrize("named", ELSEWHERE)
def test_a_case_leads_to_no_folder_but_one_beside_it(folder: Path, named: str) -> None:
    inner = folder.parent / "inner"
    inner.mkdir()
    (inner / "linked").symlink_to(folder)
    case = (folder.parent / "jam.toml").read_text("utf-8").replace("./club-rules", named)
    (inner / "jam.toml").write_text(case)
    report = run_file(inner / "jam.toml")
    assert report.malformed is not None
    assert report.malformed.startswith("rulebook: ")
