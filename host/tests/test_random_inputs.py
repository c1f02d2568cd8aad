"""The random inputs of tests: equal in every run, different with --explore."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

RECORDING = """
import os
import random

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

VALUES = st.tuples(st.integers(), st.floats(), st.text(), st.binary(max_size=9))

def note(*values):
    with open(os.environ["NOTED"], "a") as file:
        print(*map(repr, values), file=file)

@given(VALUES)
def test_function(values):
    note("function", values)

@settings(max_examples=7)
@given(VALUES)
def test_few(values):
    note("few", values)

class Machine(RuleBasedStateMachine):
    @rule(values=VALUES)
    def note_values(self, values):
        note("machine", values)

Machine.TestCase.settings = settings(max_examples=5, stateful_step_count=4)
TestMachine = Machine.TestCase

def test_module_random():
    note("random", random.random())
"""

FAILING = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_failing(number):
    assert number % 1000 != 7
"""


def pytest_with(folder: Path, source: str, *arguments: str, **environment: str) -> list[str]:
    """Run `source` as a test module under this project's conftest.py; return its output and the
    noted values, sorted."""
    folder.mkdir(exist_ok=True)
    (folder / "test_it.py").write_text(source)
    noted = folder / "noted"
    noted.unlink(missing_ok=True)
    kept = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "--rootdir", str(folder)]
    done = subprocess.run(
        [*command, *arguments, str(folder / "test_it.py")],
        cwd=ROOT,
        env=kept | environment | {"NOTED": str(noted)},
        capture_output=True,
        text=True,
        check=False,
    )
    values = sorted(noted.read_text().splitlines()) if noted.exists() else []
    return [done.stdout + done.stderr, *values]


def test_random_inputs_are_the_same_in_every_run_and_worker(tmp_path: Path) -> None:
    first = pytest_with(tmp_path, RECORDING, "-n0", PYTHONHASHSEED="1")
    assert "4 passed" in first[0]
    assert "the same in every run; new ones with --explore" in first[0]
    assert len([line for line in first[1:] if line.startswith("'function'")]) == 100
    # Hypothesis draws constants from every loaded module that is not a test.
    (tmp_path / "chips.py").write_text("CHIPS = [1234577, 0.123457, 'chips', b'chips']\n")
    second = pytest_with(
        tmp_path, "import chips\n" + RECORDING, "-n2", "-p", "no:cacheprovider", PYTHONHASHSEED="2"
    )
    assert "4 passed" in second[0]
    assert second[1:] == first[1:]


def test_explore_tries_new_inputs_and_more_of_them(tmp_path: Path) -> None:
    usual = pytest_with(tmp_path, RECORDING, "-n0")
    runs = [pytest_with(tmp_path, RECORDING, "-n0", "--explore", "3") for _ in range(2)]
    for test in ("function", "few"):
        few, *explored = (
            {line for line in run[1:] if line.startswith(f"'{test}'")} for run in (usual, *runs)
        )
        assert all(len(values) > 2 * len(few) for values in explored)
        assert explored[0] != explored[1]
    steps = [sum(line.startswith("'machine'") for line in run[1:]) for run in (usual, *runs)]
    assert min(steps[1:]) > 2 * steps[0]
    assert len({run[-1] for run in (usual, *runs)}) == 3  # Python's `random`


def test_explore_keeps_a_failing_example_and_names_the_folder(tmp_path: Path) -> None:
    said = pytest_with(tmp_path, FAILING, "-n0", "--explore", "300")[0]
    kept = tmp_path / ".hypothesis" / "examples"
    assert f"failing examples are kept in {kept}" in said
    assert "1 failed" in said
    assert "reproduce_failure" in said
    assert any(kept.rglob("*"))
    again = pytest_with(tmp_path, FAILING, "-n0", "--explore", "1")[0]
    assert "1 failed" in again
