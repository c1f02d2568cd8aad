"""TestU01 (Pierre L'Ecuyer, Richard Simard), if the user has installed it.

TestU01 is a library with its own licence, and is not shipped here. `testu01_stdin.c` is a small
program that uses it, compiled on demand. Any other program may replace it that reads 32-bit words
from standard input and lets the library print its report.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rng_certification.batteries.feeding import Report, Stream, feed
from rng_certification.batteries.outcome import ENDED, Outcome

INSTALL = (
    "apt install libtestu01-0-dev gcc, from Debian's section non-free (its licence is for "
    "non-commercial use), or name a program that runs a battery of it with --program"
)
SOURCE = Path(__file__).with_name("testu01_stdin.c")
LIBRARIES = ("-ltestu01", "-ltestu01probdist", "-ltestu01mylib", "-lm")
SMALLEST = 1e-15  # `eps1`, the smallest distance from 1 that it prints

_TITLE = re.compile(r"^(?P<name>[a-z]+_\w+) test:")
_P = re.compile(r"^p-value of test\s*:\s*(?P<p>1\s*-\s*\S+|eps1?|\S+)(?P<stars>\s+\*+)?\s*$")


def program(battery: str) -> list[str] | None:
    """Return the command that runs `small`, `crush` or `big`; None if it cannot be compiled here.

    CPATH and LIBRARY_PATH give the compiler the folder of a library outside the standard paths.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "cutcard"
    kept.mkdir(parents=True, exist_ok=True)
    made = kept / "testu01_stdin"
    with tempfile.TemporaryDirectory(dir=kept) as folder:
        new = Path(folder) / made.name
        command = [compiler, "-O2", str(SOURCE), "-o", str(new), *LIBRARIES]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
        new.replace(made)  # another run may be using the old one
    return [str(made), battery]


def run(stream: Stream, program: Sequence[str]) -> list[Outcome]:
    return read(feed(program, stream))


def read(report: Report) -> list[Outcome]:
    outcomes, name = [], "test"
    seen: Counter[str] = Counter()
    for line in report.output.splitlines():
        if title := _TITLE.match(line.strip()):
            name = title["name"]
        elif found := _P.match(line.strip()):
            seen[name] += 1
            said = "suspect" if found["stars"] else "passed"
            outcomes.append(
                Outcome(
                    f"testu01/{name}#{seen[name]}",
                    report.given,
                    _number(found["p"]),
                    said,
                    resolution=SMALLEST,
                )
            )
    if report.ran_dry or not outcomes:
        why = ENDED if report.ran_dry else f"no result (exit {report.code})"
        return [Outcome("testu01", report.given, void=why)]
    return outcomes


def _number(text: str) -> float:
    """Parse `0.41`, `4.3e-9`, `eps` below 10^-300, and `1 - 2.0e-8` or `1 - eps1` near 1."""
    if text.startswith("1") and "-" in text and "e" not in text.split("-")[0]:
        return 1 - _number(text.split("-", 1)[1].strip())
    return 0.0 if text == "eps" else SMALLEST if text == "eps1" else float(text)
