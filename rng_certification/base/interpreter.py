"""Run a firmware script in MicroPython with the heap size of a board."""

from __future__ import annotations

import subprocess

from cutcard.bench.firmware import interpreter
from cutcard.image.compiling import SOURCES

HEAP = "heapsize=192k"
SECONDS = 600


class ScriptFailedError(Exception):
    """The interpreter failed; the text is its output."""


def in_micropython(program: str, *folders: str) -> bytes:
    """Run a program and return its output; `folders` may have more modules."""
    paths = [str(SOURCES), *folders]
    done = subprocess.run(
        [*interpreter(), "-X", HEAP, "-c", f"import sys; sys.path[:0] = {paths!r}\n{program}"],
        cwd=SOURCES,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode:
        raise ScriptFailedError((done.stdout + done.stderr).decode(errors="replace").strip())
    return done.stdout
