"""Single bits of draws: the lowest bits as a stream, and the linear complexity of planes.

If 2^k divides N, the k lowest bits of a draw are fair coins, and so are the first k halvings of the
range. A generator with weak low bits fails the first test if its words were reduced modulo N. A
linear generator fails the second if its words were scaled.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from rng_certification.base.compiled import Draws, Words
from rng_certification.base.finding import Finding
from rng_certification.draws.coincidences import BirthdaySpacings, Duplicates, RepeatedStretches
from rng_certification.draws.frequency import Frequency
from rng_certification.draws.pairs import Differences, NeighbouringPairs
from rng_certification.draws.subsequences import Subsequences
from rng_certification.sp800_22.planes import LEAST_WORDS, WORDS, worst_plane


class _Test(Protocol):
    def feed(self, draws: Draws) -> None: ...

    def findings(self) -> list[Finding]: ...


class LowBits:
    """The lowest bits of eight draws form a byte; the bytes are tested as draws of 0 to 255.

    If N is odd, its last value is omitted, so that both bits have equal chances.
    """

    def __init__(self, span: int) -> None:
        self.even = span // 2 * 2
        self.draws = 0
        self.tests: tuple[_Test, ...] = (
            Frequency(256),
            NeighbouringPairs(256),
            Differences(256),
            Subsequences(256),
            BirthdaySpacings(256),
            Duplicates(256),
            RepeatedStretches(256),
        )

    def feed(self, draws: Draws) -> None:
        bits = (draws[draws < self.even] & np.uint32(1)).astype(np.uint8)
        packed = np.packbits(bits[: len(bits) // 8 * 8]).astype(np.uint32)
        self.draws += len(draws)
        if len(packed):
            for test in self.tests:
                test.feed(packed)

    def findings(self) -> list[Finding]:
        return [
            finding.named(f"low-bits/{finding.name}")
            for test in self.tests
            for finding in test.findings()
        ]


class DrawPlanes:
    """The linear complexity of every plane of the first draws that is a fair coin."""

    def __init__(self, span: int) -> None:
        self.span = span
        self.halvings = (span & -span).bit_length() - 1  # the largest power of two that divides N
        self.draws = np.empty(0, dtype=np.uint32)

    def feed(self, draws: Draws) -> None:
        missing = WORDS - len(self.draws)
        if self.halvings and missing > 0:
            self.draws = np.concatenate((self.draws, draws[:missing]))

    def findings(self) -> list[Finding]:
        if not self.halvings:
            return []
        name = "draw-planes/linear-complexity"
        if len(self.draws) < LEAST_WORDS:
            return [Finding.skip(name, len(self.draws), "draws", f"needs {LEAST_WORDS} draws")]
        words, planes = self._words()
        return [worst_plane(name, words, planes, "draws")]

    def _words(self) -> tuple[Words, int]:
        """Return low bits and halvings, the highest bit of a word first; for a power of two only
        one half."""
        draws = self.draws.astype(np.uint64)
        planes = [(draws >> np.uint64(bit)) & np.uint64(1) for bit in range(self.halvings)]
        if self.span != 1 << self.halvings:
            for bit in range(1, self.halvings + 1):
                part = draws * np.uint64(1 << bit) // np.uint64(self.span)
                planes.append(part & np.uint64(1))
        words = np.zeros(len(draws), dtype=np.uint64)
        for place, plane in enumerate(planes):
            words |= plane << np.uint64(63 - place)
        return words, len(planes)
