"""Clauses are answered by tests that exist, and nobody reads a pass into what was not done."""

from __future__ import annotations

import ast
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from rng_certification.campaign.declared import all_parts
from rng_certification.campaign.product import Product
from rng_certification.profiles.answers import Outcomes, answers, chance_of_any_failure
from rng_certification.profiles.profile import (
    COMBINATIONS,
    NAMES,
    BadProfileError,
    Clause,
    Profile,
    UnknownProfileError,
    load,
    profile_in,
    profiles_of,
)
from rng_certification.report.glossary import meaning_of

ROOT = Path(__file__).parents[2]
RUNNER = CliRunner()


def _test(name: str, verdict: str = "pass", p: float | None = 0.5) -> dict[str, Any]:
    p = None if verdict == "skipped" else p
    return {"name": name, "verdict": verdict, "p": p, "adjusted_p": p}


def _part(
    name: str, sample: int, machine: str = "m", source: str = "bench", deck: int = 0
) -> dict[str, Any]:
    return {
        "id": name,
        "subject": machine,
        "source": source,
        "sample": sample,
        "unit": "shuffles" if deck else "cards",
        "parameters": {"deck": deck} if deck else {},
    }


def _profile(*clauses: Clause, confidence: tuple[float, ...] = ()) -> Profile:
    return Profile("made-up", "Made up", "For a test.", confidence, clauses)


FREQUENCY = Clause("f", "frequency", "Even?", tests=("draws-*/frequency/*",))
CONSTRUCTED = Clause("c", "construction", "Built so?", shown_by=("a.py::test_a",))
NOT_READ = Clause("n", "a standard", "?", not_claimed="Nobody has read it.")


def test_the_five_profiles_are_there() -> None:
    assert set(NAMES) == {"gli-11", "gli-19", "nz-division-2", "shuffler", "sp800-22"}
    assert [profile.name for profile in profiles_of("all")] == list(COMBINATIONS["lab"])


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_is_answered_by_something(name: str) -> None:
    for clause in load(name).clauses:
        assert clause.tests or clause.shown_by or clause.not_claimed, clause.id
        assert clause.cites
        assert clause.asks


def test_every_pattern_matches_a_test_that_exists_and_every_test_is_explained(
    tests_that_exist: list[str],
) -> None:
    """Both in one test: finding out which tests exist takes seconds."""
    for clause in (clause for name in NAMES for clause in load(name).clauses):
        for pattern in clause.tests:
            alone = Clause("x", "x", "x", tests=(pattern,))
            found = any(alone.answered_by(test) for test in tests_that_exist)
            assert found, f"{clause.id}: {pattern}"
    names = {test.split("/", 1)[1] for test in tests_that_exist if not test.endswith("/")}
    assert len(names) > 1000
    assert [name for name in sorted(names) if meaning_of(name) is None] == []


@pytest.mark.parametrize("name", NAMES)
def test_what_is_shown_by_construction_is_shown_by_tests_that_exist(name: str) -> None:
    for clause in load(name).clauses:
        for where in clause.shown_by:
            file, function = where.split("::")
            tree = ast.parse((ROOT / file).read_text())
            names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            assert function in names, where
        assert not clause.page or (ROOT / clause.page).exists(), clause.page


def test_a_failing_test_fails_its_clause_and_its_profile() -> None:
    tests = [_test("draws-38/frequency/a"), _test("draws-38/frequency/b", "fail", 1e-9)]
    entries = answers([_profile(FREQUENCY, CONSTRUCTED)], tests, [_part("draws-38", 10_000)])
    assert entries[0]["clauses"][0]["verdict"] == "fail"
    assert entries[0]["clauses"][0]["failed"] == ["draws-38/frequency/b"]
    assert entries[0]["verdict"] == "fail"


def test_a_clause_whose_tests_were_all_skipped_is_skipped_and_the_profile_incomplete() -> None:
    tests = [_test("draws-38/frequency/a", "skipped")]
    entries = answers([_profile(FREQUENCY, CONSTRUCTED)], tests, [_part("draws-38", 10)])
    assert entries[0]["clauses"][0]["verdict"] == "skipped"
    assert "want of data" in entries[0]["clauses"][0]["why"]
    assert entries[0]["verdict"] == "incomplete"


def test_a_clause_that_no_part_answers_is_skipped() -> None:
    entries = answers([_profile(FREQUENCY)], [_test("bits-a/frequency/a")], [_part("bits-a", 10)])
    assert entries[0]["verdict"] == "incomplete"


def test_a_sample_smaller_than_the_clause_asks_for_is_no_answer() -> None:
    clause = Clause("m", "10,000 outcomes", "?", tests=("bench-*",), least=10_000)
    tests = [_test("bench-a/first-card")]
    few = answers([_profile(clause)], tests, [_part("bench-a", 9_999)])
    assert few[0]["clauses"][0]["verdict"] == "skipped"
    assert "9,999" in few[0]["clauses"][0]["why"]
    enough = answers([_profile(clause)], tests, [_part("bench-a", 10_000)])
    assert enough[0]["verdict"] == "pass"


MECHANICAL = Clause("m", "10,000 outcomes", "?", tests=("bench-*",), least=10_000, mechanical=True)


def test_the_least_sample_is_that_of_each_machine_and_not_of_the_luckiest() -> None:
    tests = [_test("bench-a/first-card"), _test("bench-b/first-card")]
    parts = [_part("bench-a", 50_000, "carousel"), _part("bench-b", 100, "drum", deck=52)]
    (entry,) = answers([_profile(MECHANICAL)], tests, parts)
    assert entry["clauses"][0]["verdict"] == "skipped"
    assert entry["clauses"][0]["why"].endswith("there were: drum 5,200")


@pytest.mark.parametrize(("source", "verdict"), [("bench", "simulated"), ("board", "pass")])
def test_a_clause_that_asks_for_a_machine_is_simulated_where_a_model_answered(
    source: str, verdict: str
) -> None:
    tests = [_test("bench-a/first-card")]
    entries = answers([_profile(MECHANICAL)], tests, [_part("bench-a", 10_000, source=source)])
    assert entries[0]["clauses"][0]["verdict"] == entries[0]["verdict"] == verdict


def test_a_clause_does_not_apply_to_a_product_without_its_mechanism() -> None:
    packs = Clause("p", "packs", "?", tests=("shuffles-slots-*/cycles",))
    prizes = Clause("j", "prizes", "?", tests=("jackpot-*",))
    both = Clause("b", "both", "?", tests=("shuffles-slots-*", "continuous-*"))
    carousel = Product.of("carousel-60")
    (entry,) = answers([_profile(packs, prizes, both)], [], [], lacks=carousel.lacks)
    assert [clause["verdict"] for clause in entry["clauses"]] == [
        "not applicable",
        "not applicable",
        "skipped",
    ]
    assert entry["clauses"][0]["why"] == "carousel-60 has no slots"


def test_a_profile_of_clauses_that_do_not_apply_passes_with_the_rest() -> None:
    packs = Clause("p", "packs", "?", tests=("shuffles-slots-*/cycles",))
    lacks = Product.of("carousel-60").lacks
    tests = [_test("draws-38/frequency/a")]
    (entry,) = answers([_profile(packs, FREQUENCY)], tests, [_part("draws-38", 9)], lacks=lacks)
    assert entry["verdict"] == "pass"


def test_a_simulated_clause_that_fails_fails() -> None:
    tests = [_test("bench-a/first-card", "fail", 1e-9)]
    entries = answers([_profile(MECHANICAL)], tests, [_part("bench-a", 10_000)])
    assert entries[0]["verdict"] == "fail"


@pytest.mark.parametrize("machine", ["carousel-60", "carousel-38", "drum-60", "slots-416"])
def test_an_ordinary_campaign_has_the_outcomes_that_the_clause_asks_for(machine: str) -> None:
    clause = next(clause for clause in load("gli-19").clauses if clause.mechanical)
    parts = all_parts(Product.of(machine))
    (part,) = (asdict(part) for part in parts if part.id.startswith("bench-"))
    assert Outcomes.of(part).number >= clause.least == 10_000


def test_giving_information_away_is_not_narrowed_until_it_passes() -> None:
    """The clause has all that an onlooker could learn, what he counts and hears too."""
    clause = next(each for each in load("shuffler").clauses if each.id == "COMAR information")
    for test in ("predictability-a/counter/bits", "predictability-a/ear/bits"):
        assert clause.answered_by(test)


def test_no_clause_is_answered_by_eighths_of_a_range_alone() -> None:
    """Coupon collector and poker ask about values: tests of true values answer them."""
    for profile, clause in (("gli-11", "coupon-collector"), ("gli-19", "3.2.2 coupon collector")):
        asked = next(each for each in load(profile).clauses if each.id == clause)
        assert asked.answered_by("draws-38/coupon-collector/values")
    poker = next(each for each in load("gli-11").clauses if each.id == "poker")
    assert poker.answered_by("draws-38/poker/values")


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_of_a_standard_is_cited_by_its_number(name: str) -> None:
    """Of papers by year; laboratory practice and what is ours have no number to cite."""
    for clause in load(name).clauses:
        if not clause.cites.startswith(("Laboratory practice", "cutcard, ")):
            assert any(letter.isdecimal() for letter in clause.cites), clause.cites


def test_what_a_standards_letter_asks_and_the_firmware_does_otherwise_is_not_claimed() -> None:
    clauses = {clause.id: clause for clause in load("nz-division-2").clauses}
    for clause in ("3.14.9 minimum", "3.14.10 letter"):
        assert "By this letter it is not met" in clauses[clause].not_claimed


def test_clauses_on_bits_of_a_listener_are_mechanical() -> None:
    """How well a direction is hidden, a machine file states; nobody has listened to the drive."""
    asked = [each for profile in NAMES for each in load(profile).clauses]
    heard = [each for each in asked if each.answered_by("predictability-a/ear/bits")]
    assert heard
    assert all(clause.mechanical for clause in heard)


def test_a_profiles_own_confidence_is_that_of_its_tests_alone() -> None:
    """A hundred tests that it does not ask for do not dilute it."""
    others = [_test(f"bits-a/other/{i}", "pass", 0.5) for i in range(100)]
    tests = [_test("draws-38/frequency/a", "pass", 0.008), *others]
    entries = answers([_profile(FREQUENCY, confidence=(0.99,))], tests, [_part("draws-38", 9)])
    assert entries[0]["at_confidence"] == {"0.99": "fail"}


def test_the_chance_that_a_good_source_fails_any_profile_is_the_sum_of_theirs() -> None:
    entries: list[dict[str, Any]] = [
        {"at_confidence": {"0.95": "pass", "0.99": "pass"}},
        {"at_confidence": {}},
    ]
    assert chance_of_any_failure([*entries, *entries]) == pytest.approx(0.02)


def test_what_is_not_claimed_or_shown_by_construction_says_so() -> None:
    entries = answers([_profile(CONSTRUCTED, NOT_READ)], [], [])
    verdicts = [clause["verdict"] for clause in entries[0]["clauses"]]
    assert verdicts == ["shown by construction", "not claimed"]


def test_a_failed_test_that_no_clause_asks_for_leaves_the_profile_alone() -> None:
    tests = [_test("draws-38/frequency/a"), _test("draws-38/poker", "fail", 1e-9)]
    entries = answers([_profile(FREQUENCY)], tests, [_part("draws-38", 10_000)])
    assert entries[0]["verdict"] == "pass"


def test_the_standards_own_confidence_is_shown_and_does_not_decide() -> None:
    tests = [_test("draws-38/frequency/a", "pass", 0.03)]
    entries = answers(
        [_profile(FREQUENCY, confidence=(0.95, 0.99))], tests, [_part("draws-38", 10_000)]
    )
    assert entries[0]["at_confidence"] == {"0.95": "fail", "0.99": "pass"}
    assert entries[0]["verdict"] == "pass"


def test_an_unknown_profile_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownProfileError, match="gli-19"):
        load("gli-99")


@pytest.mark.parametrize("name", NAMES)
def test_clause_titles_are_unique(name: str) -> None:
    titles = [clause.cites for clause in load(name).clauses]
    assert len(set(titles)) == len(titles)


def test_gli_11_cites_the_text_that_was_read() -> None:
    for clause in load("gli-11").clauses:
        assert clause.cites.startswith("58 Pa. Code § 810a.5(c)(")
        assert "GLI" not in clause.cites


OWN = """
title = "Our rules"
about = "Two clauses of our own."
confidence = [0.99]

[[clause]]
id = "1"
cites = "Our rules, 1"
asks = "Draws are even."
tests = ["draws-*/frequency/*"]

[[clause]]
id = "2"
cites = "Our rules, 2"
asks = "A machine was tested."
tests = ["bench-*"]
least = 10000
mechanical = true
"""


def test_an_own_profile_is_read_from_its_text() -> None:
    profile = profile_in(OWN, "ours")
    assert (profile.name, profile.confidence) == ("ours", (0.99,))
    assert [clause.least for clause in profile.clauses] == [0, 10_000]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('title = "Our rules"', "", "title must be a text"),
        ("confidence = [0.99]", "confidence = [99]", "confidence must be a list"),
        ("confidence = [0.99]", "level = 1", "unknown field 'level'"),
        ('cites = "Our rules, 2"', 'cites = "Our rules, 1"', "two clauses have the cites"),
        ('id = "2"', 'id = "1"', "two clauses have the id"),
        ("least = 10000", 'least = "10000"', "least must be an integer"),
        ("least = 10000", "lest = 10000", "unknown field 'lest'"),
        ('tests = ["bench-*"]', "tests = [1]", "tests must be a list of texts"),
        ('tests = ["bench-*"]', "", "it needs tests, shown_by or not_claimed"),
        ('tests = ["bench-*"]', 'tests = "bench-*"', "tests must be a list of texts"),
        ("[[clause]]", "[[clauses]]", "unknown field 'clauses'"),
    ],
)
def test_an_invalid_profile_is_rejected_with_the_field(old: str, new: str, said: str) -> None:
    assert old in OWN
    with pytest.raises(BadProfileError, match=said):
        profile_in(OWN.replace(old, new), "ours")


def test_the_list_of_profiles_ends_with_the_texts_that_were_not_compared() -> None:
    shown = " ".join(RUNNER.invoke(app, ["certify", "profiles"]).stdout.split())
    for text in ("GLI-29", "Art. 23", "§ 603a.17", "WAC 230-16-152"):
        assert text in shown


def test_the_command_shows_the_profiles_and_the_clauses_of_one() -> None:
    whole = json.loads(RUNNER.invoke(app, ["certify", "profiles", "--json"]).stdout)
    assert {entry["profile"] for entry in whole} == set(NAMES)
    shown = RUNNER.invoke(app, ["certify", "profiles", "nz-division-2"])
    assert shown.exit_code == 0
    assert "3.5" in shown.stdout
    assert RUNNER.invoke(app, ["certify", "profiles", "gli-99"]).exit_code == 2
