"""The threat model cannot rot: each row has tests that are there, or says that it has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hil_tests.threats import HERE, WHAT, WHO, Threat, threats

ROWS = threats()


@pytest.mark.parametrize("threat", ROWS, ids=lambda threat: f"{threat.who}: {threat.how}"[:60])
def test_every_row_has_tests_or_says_that_it_is_not_defended(threat: Threat) -> None:
    assert threat.who in WHO
    assert threat.what in WHAT
    assert bool(threat.tests) != bool(threat.not_defended)
    if threat.tests:
        assert threat.stops
        assert threat.left


def test_every_test_that_is_named_is_collected() -> None:
    """By pytest itself: a test that was renamed, moved or unmade is missing here."""
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


def test_everybody_is_thought_of() -> None:
    assert {row.who for row in ROWS} == set(WHO)
    assert {row.what for row in ROWS} == set(WHAT)
