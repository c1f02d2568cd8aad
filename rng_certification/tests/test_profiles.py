"""Clauses are answered by existing tests, and missing answers never count as a pass."""

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


def test_the_five_profiles_exist() -> None:
    assert set(NAMES) == {"gli-11", "gli-19", "nz-division-2", "shuffler", "sp800-22"}
    assert [profile.name for profile in profiles_of("all")] == list(COMBINATIONS["lab"])


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_has_an_answer(name: str) -> None:
    for clause in load(name).clauses:
        assert clause.tests or clause.shown_by or clause.not_claimed, clause.id
        assert clause.cites
        assert clause.asks


def test_every_pattern_matches_an_existing_test_and_every_test_is_explained(
    tests_that_exist: list[str],
) -> None:
    """Both in one test, because listing the tests takes seconds."""
    for clause in (clause for name in NAMES for clause in load(name).clauses):
        for pattern in clause.tests:
            alone = Clause("x", "x", "x", tests=(pattern,))
            found = any(alone.answered_by(test) for test in tests_that_exist)
            assert found, f"{clause.id}: {pattern}"
    names = {test.split("/", 1)[1] for test in tests_that_exist if not test.endswith("/")}
    assert len(names) > 1000
    assert [name for name in sorted(names) if meaning_of(name) is None] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_proof_by_construction_names_existing_tests(name: str) -> None:
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


def test_a_clause_with_only_skipped_tests_is_skipped_and_its_profile_incomplete() -> None:
    tests = [_test("draws-38/frequency/a", "skipped")]
    entries = answers([_profile(FREQUENCY, CONSTRUCTED)], tests, [_part("draws-38", 10)])
    assert entries[0]["clauses"][0]["verdict"] == "skipped"
    assert "not enough data" in entries[0]["clauses"][0]["why"]
    assert entries[0]["verdict"] == "incomplete"


def test_a_clause_without_a_part_that_answers_is_skipped() -> None:
    entries = answers([_profile(FREQUENCY)], [_test("bits-a/frequency/a")], [_part("bits-a", 10)])
    assert entries[0]["verdict"] == "incomplete"


def test_a_sample_smaller_than_the_clause_requires_is_not_an_answer() -> None:
    clause = Clause("m", "10,000 outcomes", "?", tests=("bench-*",), least=10_000)
    tests = [_test("bench-a/first-card")]
    few = answers([_profile(clause)], tests, [_part("bench-a", 9_999)])
    assert few[0]["clauses"][0]["verdict"] == "skipped"
    assert "9,999" in few[0]["clauses"][0]["why"]
    enough = answers([_profile(clause)], tests, [_part("bench-a", 10_000)])
    assert enough[0]["verdict"] == "pass"


MECHANICAL = Clause("m", "10,000 outcomes", "?", tests=("bench-*",), least=10_000, mechanical=True)


def test_the_least_sample_applies_to_each_machine_separately() -> None:
    tests = [_test("bench-a/first-card"), _test("bench-b/first-card")]
    parts = [_part("bench-a", 50_000, "carousel"), _part("bench-b", 100, "drum", deck=52)]
    (entry,) = answers([_profile(MECHANICAL)], tests, parts)
    assert entry["clauses"][0]["verdict"] == "skipped"
    assert entry["clauses"][0]["why"].endswith("available: drum 5,200")


@pytest.mark.parametrize(("source", "verdict"), [("bench", "simulated"), ("board", "pass")])
def test_a_clause_that_requires_a_machine_is_simulated_if_a_model_answered(
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


def test_a_profile_with_inapplicable_clauses_passes_if_the_others_pass() -> None:
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
def test_an_ordinary_campaign_has_the_outcomes_required_by_the_clause(machine: str) -> None:
    clause = next(clause for clause in load("gli-19").clauses if clause.mechanical)
    parts = all_parts(Product.of(machine))
    (part,) = (asdict(part) for part in parts if part.id.startswith("bench-"))
    assert Outcomes.of(part).number >= clause.least == 10_000


def test_the_clause_on_revealed_information_covers_every_observation() -> None:
    """The clause includes all observations, including counting and listening."""
    clause = next(each for each in load("shuffler").clauses if each.id == "COMAR information")
    for test in ("predictability-a/counter/bits", "predictability-a/ear/bits"):
        assert clause.answered_by(test)


def test_no_clause_is_answered_only_by_eighths_of_a_range() -> None:
    """Coupon collector and poker are about values: tests of true values answer them."""
    for profile, clause in (("gli-11", "coupon-collector"), ("gli-19", "3.2.2 coupon collector")):
        asked = next(each for each in load(profile).clauses if each.id == clause)
        assert asked.answered_by("draws-38/coupon-collector/values")
    poker = next(each for each in load("gli-11").clauses if each.id == "poker")
    assert poker.answered_by("draws-38/poker/values")


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_of_a_standard_is_cited_by_its_number(name: str) -> None:
    """Papers are cited by year; laboratory practice and our own clauses have no number."""
    for clause in load(name).clauses:
        if not clause.cites.startswith(("Laboratory practice", "cutcard, ")):
            assert any(letter.isdecimal() for letter in clause.cites), clause.cites


def test_requirements_that_the_firmware_deviates_from_are_not_claimed() -> None:
    clauses = {clause.id: clause for clause in load("nz-division-2").clauses}
    for clause in ("3.14.9 minimum", "3.14.10 letter"):
        assert "By this letter it is not met" in clauses[clause].not_claimed


def test_clauses_on_bits_of_a_listener_are_mechanical() -> None:
    """A machine file states how well a direction is hidden; no listening test exists."""
    asked = [each for profile in NAMES for each in load(profile).clauses]
    heard = [each for each in asked if each.answered_by("predictability-a/ear/bits")]
    assert heard
    assert all(clause.mechanical for clause in heard)


def test_a_profiles_own_confidence_covers_only_its_own_tests() -> None:
    """A hundred other tests must not dilute it."""
    others = [_test(f"bits-a/other/{i}", "pass", 0.5) for i in range(100)]
    tests = [_test("draws-38/frequency/a", "pass", 0.008), *others]
    entries = answers([_profile(FREQUENCY, confidence=(0.99,))], tests, [_part("draws-38", 9)])
    assert entries[0]["at_confidence"] == {"0.99": "fail"}


def test_the_chance_that_a_good_source_fails_any_profile_is_the_sum_over_profiles() -> None:
    entries: list[dict[str, Any]] = [
        {"at_confidence": {"0.95": "pass", "0.99": "pass"}},
        {"at_confidence": {}},
    ]
    assert chance_of_any_failure([*entries, *entries]) == pytest.approx(0.02)


def test_unclaimed_clauses_and_proofs_by_construction_are_marked() -> None:
    entries = answers([_profile(CONSTRUCTED, NOT_READ)], [], [])
    verdicts = [clause["verdict"] for clause in entries[0]["clauses"]]
    assert verdicts == ["shown by construction", "not claimed"]


def test_a_failed_test_outside_all_clauses_does_not_change_the_profile() -> None:
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


def test_an_unknown_profile_is_rejected_with_the_valid_names() -> None:
    with pytest.raises(UnknownProfileError, match="gli-19"):
        load("gli-99")


@pytest.mark.parametrize("name", NAMES)
def test_clause_titles_are_unique(name: str) -> None:
    titles = [clause.cites for clause in load(name).clauses]
    assert len(set(titles)) == len(titles)


def test_gli_11_cites_the_text_that_we_read() -> None:
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


def test_a_custom_profile_is_read_from_its_text() -> None:
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
