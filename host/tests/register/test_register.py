"""The register has every rule, and its statements are true."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cases.runner import run_file
from cutcard.cli.main import app
from cutcard.engine.results import results
from cutcard.rulebooks.citing import any_meets
from cutcard.rulebooks.register import REGISTERS, Registered, register
from cutcard.rulebooks.register.entries import KINDS, citations

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "cutcard" / "cases" / "library"


def every_line() -> list[tuple[str, Registered]]:
    return [(name, line) for name in REGISTERS for line in register(name)[1]]


@pytest.mark.parametrize("name", REGISTERS)
def test_every_rule_of_the_rulebook_is_registered_once(name: str) -> None:
    printed = (HERE / "inventory" / f"{name}.txt").read_text("utf-8").split()
    registered = Counter(number for line in register(name)[1] for number in line.numbers)
    assert sorted(set(printed) - set(registered)) == [], "not classified"
    assert sorted(set(registered) - set(printed)) == [], "no such rule"
    assert [number for number, times in registered.items() if times > 1] == []


def test_every_rule_has_a_kind() -> None:
    assert [line for _, line in every_line() if line.kind not in KINDS] == []


def test_every_money_rule_names_its_implementation() -> None:
    assert [line.rules for _, line in every_line() if line.kind == "money" and not line.by] == []


def test_every_named_implementation_exists() -> None:
    missing = []
    for name, line in every_line():
        if line.by:
            try:
                line.implementation()
            except (ImportError, AttributeError) as error:
                missing.append((name, line.rules, str(error)))
    assert missing == []


@cache
def cited_in(case: str) -> tuple[str, ...]:
    """Return the rules that the file expects, and those that the engine cites if it agrees."""
    report = run_file(CASES / case)
    assert report.ok, f"{case}: {report.malformed or report.differences}"
    cited = [*citations(tomllib.loads((CASES / case).read_text("utf-8"))), *(report.invalid or ())]
    if report.round is not None:
        cited += [rule for wager in results(report.round) for rule in wager.rules]
        cited += [rule for ruling in report.round.rulings for rule in ruling.rules]
        cited += [rule for note in report.round.story for rule in note.rules]
    return tuple(cited)


# Changes of an amendment are cited by their number in the amended rulebook.
AMENDED = {"6": "15C.8", "8": "15B.1A", "9": "15C.8", "10": "16.6", "11": "18.6", "12": "19.2"}


def test_every_money_rule_has_a_case_that_cites_it() -> None:
    unshown = []
    for name, line in every_line():
        if line.kind != "money":
            continue
        numbers = line.numbers
        if name == "nz-amendment-2013":
            numbers = tuple(AMENDED[number] for number in numbers)
        if not line.case or not (CASES / line.case).is_file():
            unshown.append((name, line.rules, line.case or "no case"))
        elif not any(any_meets(cited_in(line.case), number) for number in numbers):
            unshown.append((name, line.rules, f"{line.case} does not cite it"))
    assert unshown == []


def test_amendments_rules_are_shown_on_their_day() -> None:
    _, lines = register("nz-amendment-2013")
    cases = [CASES / line.case for line in lines if line.case]
    assert cases
    assert all("as_of" in tomllib.loads(case.read_text("utf-8")) for case in cases)


class TestRanges:
    @pytest.mark.parametrize(
        ("rule", "numbers"),
        [
            ("5.1(a)-(c)", ("5.1(a)", "5.1(b)", "5.1(c)")),
            ("3.2(b)(i)-(iii)", ("3.2(b)(i)", "3.2(b)(ii)", "3.2(b)(iii)")),
            ("21.5.1(g)-(i)", ("21.5.1(g)", "21.5.1(h)", "21.5.1(i)")),
            ("2.2.1-2.2.3", ("2.2.1", "2.2.2", "2.2.3")),
            ("15B.1A", ("15B.1A",)),
        ],
    )
    def test_range_includes_all_its_rules(self, rule: str, numbers: tuple[str, ...]) -> None:
        assert Registered((rule,), "procedure", "").numbers == numbers


class TestCitations:
    CASE = tomllib.loads("""
        cites = ["16.13"]
        steps = [{ refused = { act = "double" }, rule = "11.1" }, { act = "stand" }]
        expect = [{ box = 1, player = "A", bet = "main", rules = ["5.1(a)"] }]
    """)

    def test_citations_include_expectations_rulings_and_refusals(self) -> None:
        assert sorted(citations(self.CASE)) == ["11.1", "16.13", "5.1(a)"]

    def test_a_refused_table_cites_its_rule(self) -> None:
        assert list(citations({"invalid": "15B.1A"})) == ["15B.1A"]


def test_unwritable_page_is_reported(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere")
    done = CliRunner().invoke(app, ["rulebook", "register", "--write", nowhere])
    assert done.exit_code == 2
    assert "No such file or directory" in done.output
