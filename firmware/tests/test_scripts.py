"""Run each `test_` function of each script, in each interpreter, in its own process.

The scripts are in `scripts/` and in the firmware's `checks/`, which a laboratory also runs.

A script runs in the firmware's folder: it imports `core.random.drbg`, and a board's modules by
their names (`import steps`). It uses plain `assert`. To add a test, add a function.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from firmware.tests.interpreters import FIRMWARE, INTERPRETERS, run

FOLDERS = (FIRMWARE / "checks", Path(__file__).parent / "scripts")


def functions() -> list[str]:
    """Return `script.function` of every test, without an import: some scripts need MicroPython."""
    return [
        f"{script.stem}.{node.name}"
        for folder in FOLDERS
        for script in sorted(folder.glob("*.py"))
        for node in ast.parse(script.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


@pytest.mark.parametrize("interpreter", INTERPRETERS)
@pytest.mark.parametrize("function", functions())
def test_script(function: str, interpreter: str) -> None:
    script, name = function.split(".")
    run(
        interpreter,
        "import sys; sys.path[:0] = ['.', 'checks', '../tests/scripts', 'boards/rp2']; "
        f"import {script}; {script}.{name}()",
    )
