"""Each row of the threat model names existing tests, or states that it has no defence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hil_tests.threats import HERE, WHAT, WHO, Threat, threats

ROWS = threats()
ROOT = HERE.parent
PAGES = ("docs/explanation/security.md", "docs/explanation/deckmate.md")
NAMED = re.compile(r"`(?:([\w/]+\.py)::)?(test_\w+)`")


@pytest.mark.parametrize("threat", ROWS, ids=lambda threat: f"{threat.who}: {threat.how}"[:60])
def test_every_row_has_tests_or_states_that_it_is_not_defended(threat: Threat) -> None:
    assert threat.who in WHO
    assert threat.what in WHAT
    assert bool(threat.tests) != bool(threat.not_defended)
    if threat.tests:
        assert threat.stops
        assert threat.left


def test_every_named_test_is_collected() -> None:
    """pytest's own collection finds renamed, moved and deleted tests."""
    files = sorted({str(file_of(test)) for row in ROWS for test in row.tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *files]
    alone = {name: held for name, held in os.environ.items() if name != "PYTEST_ADDOPTS"}
    said = subprocess.run(command, capture_output=True, text=True, cwd=HERE.parent, env=alone)
    assert said.returncode == 0, said.stdout + said.stderr
    collected = {line.split("[")[0].removeprefix("hil_tests/") for line in said.stdout.split()}
    named = {test for row in ROWS for test in row.tests}
    assert named - collected == set()


def file_of(test: str) -> Path:
    name = test.split("::")[0]
    return (HERE.parent if name.startswith("host/") else HERE) / name


@pytest.mark.parametrize("page", PAGES)
def test_every_test_named_on_a_page_is_defined(page: str) -> None:
    """Unlike the test above, this covers tests of `make soak` and tests named without a file."""
    named = NAMED.findall((ROOT / page).read_text("utf-8"))
    assert named
    missing = [(file, test) for file, test in named if not defined(file, test)]
    assert missing == []


def defined(file: str, test: str) -> bool:
    """Return whether `file` defines `test`; without a file, whether any file here defines it."""
    if file.startswith("firmware/"):
        files = [ROOT / file]
    else:
        files = [file_of(file)] if file else sorted(HERE.rglob("test_*.py"))
    definition = re.compile(rf"^def {test}\(", re.M)
    return any(each.exists() and definition.search(each.read_text("utf-8")) for each in files)


@pytest.mark.parametrize(
    ("file", "test", "there"),
    [
        ("test_threats.py", "test_every_kind_of_attacker_has_a_row", True),
        ("", "test_every_kind_of_attacker_has_a_row", True),
        ("test_threats.py", "test_everybody", False),
        ("no_such_file.py", "test_every_kind_of_attacker_has_a_row", False),
    ],
)
def test_defined_finds_exact_names_only(file: str, test: str, there: bool) -> None:
    assert defined(file, test) == there


def test_every_deckmate_finding_names_a_test_and_its_remaining_risk() -> None:
    text = (ROOT / "docs/explanation/deckmate.md").read_text("utf-8")
    findings = [line.strip("| ").split(" | ") for line in text.splitlines() if line[:4] == "| **"]
    assert len(findings) == 8
    for finding, answer, shown, remaining in findings:
        assert answer, finding
        assert remaining, finding
        assert NAMED.search(shown) or "**not defended**" in remaining, finding
    for number in range(34500, 34504):
        assert any(f"CVE-2025-{number}" in row[0] for row in findings), number


def test_every_kind_of_attacker_has_a_row() -> None:
    assert {row.who for row in ROWS} == set(WHO)
    assert {row.what for row in ROWS} == set(WHAT)
