"""The commands that make runs, as printed by `make --dry-run`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def dry_run(*arguments: str) -> str:
    command = ["make", "--no-print-directory", "--dry-run", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.replace("\\\n", " ").split())


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ([], "-m pytest -n 2 hil_tests"),
        (["ARGS=-k jam"], "-m pytest -n 2 hil_tests -k jam"),
        (["ARGS=hil_tests/test_faults.py"], "-m pytest -n 2 hil_tests/test_faults.py"),
        (["ARGS=-x hil_tests/resume"], "-m pytest -n 2 -x hil_tests/resume"),
        (["PORT=chip:", "ARGS=-k jam"], "-m pytest -n 2 hil_tests --port chip: -n 0 -k jam"),
    ],
)
def test_make_hil_runs_the_selection_in_args(arguments: list[str], runs: str) -> None:
    assert dry_run("hil", *arguments).endswith(runs)


@pytest.mark.parametrize(
    ("arguments", "times"), [(["explore", "TIMES=7"], 7), (["soak"], 30)], ids=["explore", "soak"]
)
def test_make_explores_all_hypothesis_tests(arguments: list[str], times: int) -> None:
    assert f"--explore {times} -m hypothesis" in dry_run(*arguments)


def test_make_soak_runs_every_test_that_is_marked_soak() -> None:
    commands = [run.split() for run in dry_run("soak").split("-m pytest") if "-m soak" in run]
    folders = [ROOT / word for words in commands for word in words if (ROOT / word).is_dir()]
    marked = [
        file
        for folder in ("firmware/tests", "hil_tests", "host/tests", "rng_certification/tests")
        for file in (ROOT / folder).rglob("test_*.py")
        if "pytest.mark." + "soak" in file.read_text("utf-8")
    ]
    assert len(marked) > 10
    assert [file for file in marked if not any(map(file.is_relative_to, folders))] == []


def test_make_quick_checks_style_and_runs_the_tests_of_rules_journals_and_machines() -> None:
    commands = dry_run("quick")
    assert "ruff check . .venv/bin/python -m ruff format --check ." in commands
    tests = commands.partition("-m pytest -n 2 -q ")[2].split()
    assert {Path(folder).name for folder in tests} >= {"engine", "journal", "machines", "rulebooks"}
    assert [folder for folder in tests if not (ROOT / folder).is_dir()] == []


def test_contributing_names_make_quick_before_every_other_target() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    assert re.findall(r"`make (\w+)", text)[0] == "quick"
