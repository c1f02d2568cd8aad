"""All tests of draws from a range of N, fed in chunks, in fixed memory."""

from __future__ import annotations

from typing import Protocol

from rng_certification.base.compiled import Draws
from rng_certification.base.finding import Finding
from rng_certification.draws.coincidences import BirthdaySpacings, Duplicates, RepeatedStretches
from rng_certification.draws.collisions import BirthdaySquare, CollisionsOver
from rng_certification.draws.far_lags import FarLags
from rng_certification.draws.frequency import Frequency
from rng_certification.draws.groups import Interplay, OrderStatistics, Permutations, Poker
from rng_certification.draws.lattice import Lattice
from rng_certification.draws.pairs import Differences, LaggedPairs, NeighbouringPairs
from rng_certification.draws.parities import Parities
from rng_certification.draws.planes import DrawPlanes, LowBits
from rng_certification.draws.sequences import Coupons, Gaps, Runs
from rng_certification.draws.sparse_lags import SparseLags
from rng_certification.draws.subsequences import Subsequences
from rng_certification.draws.sums_of_bits import SumsOfBits

# Groups of 2 to 10 draws never straddle two chunks.
CHUNK = 1_008_000


class Test(Protocol):
    def feed(self, draws: Draws) -> None: ...

    def findings(self) -> list[Finding]: ...


class DrawsBattery:
    """Feed chunks of CHUNK draws; only the last one may be shorter.

    For bytes `of_bits`, the tests of single bits are omitted because the bit tests cover them.
    """

    def __init__(self, span: int, prefix: str = "", of_bits: bool = False) -> None:
        self.prefix = prefix
        self.draws = 0
        self.tests: tuple[Test, ...] = (
            Frequency(span),
            NeighbouringPairs(span),
            LaggedPairs(span),
            Differences(span),
            Gaps(span),
            Runs(span),
            Coupons(span),
            Poker(span),
            Permutations(span),
            OrderStatistics(span),
            Interplay(span),
            Subsequences(span),
            BirthdaySpacings(span),
            Duplicates(span),
            RepeatedStretches(span),
            FarLags(span, CHUNK, of_bits),
            SparseLags(span),
            Lattice(span),
            Parities(span),
            SumsOfBits(span),
            CollisionsOver(span),
            BirthdaySquare(span),
            *(() if of_bits else (LowBits(span), DrawPlanes(span))),
        )

    def feed(self, draws: Draws) -> None:
        self.draws += len(draws)
        for test in self.tests:
            test.feed(draws)

    def findings(self) -> list[Finding]:
        return [
            finding.named(self.prefix + finding.name)
            for test in self.tests
            for finding in test.findings()
        ]
