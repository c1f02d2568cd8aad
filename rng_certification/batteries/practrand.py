"""PractRand (Chris Doty-Humphrey), if installed: all results at one sample length.

PractRand doubles its sample and tests again, until a test fails; each length adds a chance of a
false alarm. So it is judged at the last length only.
"""

from __future__ import annotations

import re
import shutil

from rng_certification.batteries.feeding import Report, Stream, feed
from rng_certification.batteries.outcome import ENDED, Outcome

PROGRAMS = ("RNG_test", "practrand-RNG_test")
INSTALL = "build PractRand from its source and put RNG_test on the PATH"
SMALLEST = 1e-9  # the smallest p-value that we accept, because many are fitted to simulations

_RESULT = re.compile(
    r"^  (?P<name>\S.*?)\s+R=\s*\S+\s+p\s*(?:~=|=)\s*(?P<p>1-\S+|\S+)\s+(?P<verdict>\S.*?)\s*$"
)


def installed() -> str | None:
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


def run(stream: Stream, program: str, bytes_log2: int) -> list[Outcome]:
    length = ["-tlmin", str(bytes_log2), "-tlmax", str(bytes_log2)]
    return read(feed([program, "stdin32", "-a", *length], stream), bytes_log2)


def read(report: Report, bytes_log2: int) -> list[Outcome]:
    outcomes = []
    for line in report.output.splitlines():
        if found := _RESULT.match(line):
            name, p, said = found["name"].strip(), found["p"], found["verdict"]
            outcomes.append(
                Outcome(f"practrand/{name}", report.given, _number(p), said, resolution=SMALLEST)
            )
    if f"(2^{bytes_log2} bytes)" not in report.output or not outcomes:
        why = ENDED if report.ran_dry else f"no result (exit {report.code})"
        return [Outcome("practrand", report.given, void=why)]
    return outcomes


def _number(text: str) -> float:
    """Parse `0.258`, `2.9e-140`, and `1-4.1e-4` for values near 1."""
    return 1 - float(text[2:]) if text.startswith("1-") else float(text)
