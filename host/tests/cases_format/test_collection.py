"""The included cases can be found by rule, and explained and run by name."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from cutcard.cases.collection import LIBRARY, find, library_cases
from cutcard.cli.main import app
from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.register.entries import REGISTERS, register

NAME = "nz-division-2/rule-insurance-void-with-its-hand.toml"


def listed(*options: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, ["case", "list", "--json", *options])
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_rule_finds_the_cases_that_expect_it_or_a_part_of_it() -> None:
    found = listed("--rule", "16.13", "--rulebook", "nz-division-2")
    assert NAME in [case["name"] for case in found]
    for case in found:
        assert case["rulebook"] == "nz-division-2"
        rules = case["rules"]
        assert isinstance(rules, list)
        assert any(rule == "16.13" or rule.startswith("16.13(") for rule in rules)


def test_every_rule_that_a_register_shows_by_a_case_finds_it() -> None:
    cases = {case.name: case for case in library_cases()}
    for name in REGISTERS:
        for line in register(name)[1]:
            for number in line.numbers if line.case else ():
                assert cases[line.case].is_about(number)


def test_every_case_is_listed_under_a_known_rulebook() -> None:
    assert len(listed()) == len(list(LIBRARY.rglob("*.toml")))
    assert {case["rulebook"] for case in listed()} == set(RULEBOOKS)


def test_library_has_a_folder_for_each_rulebook_and_subject() -> None:
    """Subjects are folders, so that file names have no subject prefixes."""
    folders = {file.parent.relative_to(LIBRARY).as_posix() for file in LIBRARY.rglob("*.toml")}
    subjects = [
        f"{book}/{part}"
        for book in RULEBOOKS
        for part in ("irregularities", "side-wagers", "refused")
    ]
    assert folders == {*RULEBOOKS, *subjects, "crown-melbourne-26/pontoon"}
    assert len(list(LIBRARY.rglob("*.toml"))) > 800


def test_unknown_case_and_unknown_rulebook_are_rejected() -> None:
    assert CliRunner().invoke(app, ["case", "list", "--rule", "99.9"]).exit_code == 1
    result = CliRunner().invoke(app, ["case", "list", "--rulebook", "macau"])
    assert result.exit_code == 2
    assert "uk-blackjack" in result.output


def test_listed_case_is_explained_and_run_by_its_name() -> None:
    assert CliRunner().invoke(app, ["case", "explain", NAME]).exit_code == 0
    assert "1 agree" in CliRunner().invoke(app, ["case", "run", NAME]).stdout


def test_local_file_has_priority_over_the_library(tmp_path: Path) -> None:
    own = tmp_path / NAME
    assert find(own) == own
    assert find(Path(NAME)) == LIBRARY / NAME
    assert find(Path("../cases/library") / NAME) == Path("../cases/library") / NAME
