"""Runs a script of the firmware in MicroPython with a board's heap."""

from __future__ import annotations

import subprocess

from cutcard.bench.firmware import interpreter
from cutcard.image.compiling import SOURCES

HEAP = "heapsize=192k"
SECONDS = 600


class ScriptFailedError(Exception):
    """The interpreter ended badly; the text is what it said."""


def in_micropython(program: str, *folders: str) -> bytes:
    """What a program printed. `folders` are searched for modules beside the firmware's own."""
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
