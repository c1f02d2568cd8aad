"""Whether the counters are any good: machines whose answer is known, measured in the same run.

A weak counter flatters every machine. So each is held to machines that others have measured
(`ROWS`: 38 bins of 10, 312 cards) and to machines so small that the exact posterior can be worked
out (`exact.py`). It may find more than others did, not noticeably less.
"""

from __future__ import annotations

from dataclasses import dataclass

from rng_certification.base.finding import Finding
from rng_certification.continuous.counter import BITS, CARDS, Counter
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.exact import ExactCounter
from rng_certification.predictability.logit_counter import LogitCounter
from rng_certification.predictability.measuring import LOGIT, PARTICLE, TABLE
from rng_certification.predictability.particles import ParticleCounter

LEAST_OF_A_ROW = 0.95
LEAST_OF_EXACT = 0.90
_INTO = (64.0, 47.0, 35.0, 26.0, 19.0, 14.0, 11.0, 8.0, 6.0, 4.0)
_OUT = (50.0, 39.0, 30.0, 24.0, 18.0, 14.0, 11.0, 9.0, 7.0, 5.0)
_SMALL_ROUNDS = (1, 2, 3)


@dataclass(frozen=True)
class Row:
    """A machine that was measured elsewhere, and the counters that must find as much."""

    name: str
    law: CarouselLaw
    bits: float
    counters: tuple[str, ...] = (TABLE, LOGIT)


ROWS = (
    Row("group", CarouselLaw(38, 10, 8, 312), 3.65),
    Row("part", CarouselLaw(38, 10, 8, 312, "part"), 2.22),
    Row("by-load", CarouselLaw(38, 10, 8, 312, "single", out=tuple(range(1, 11))), 1.12),
    Row("any-bin", CarouselLaw(38, 10, 8, 312, "single"), 0.61),
    # The table of today finds 0.09 here, and is not counted on machines with weights.
    Row("weights", CarouselLaw(38, 10, 8, 312, "single", _INTO, _OUT), 0.13, (LOGIT,)),
    Row("tall", CarouselLaw(38, 20, 8, 312, "single"), 0.12),
    Row("ideal", CarouselLaw(312, 1, 8, 312, "single"), 0.03),
)
SMALL = (
    ("group", CarouselLaw(3, 2, 1, 5)),
    ("single", CarouselLaw(3, 2, 1, 5, "single")),
    ("tall", CarouselLaw(2, 3, 1, 5, "single")),
)


def finds_the_rows(rows: tuple[Row, ...], learned: int, scored: int, seed: int) -> list[Finding]:
    return [
        _held(f"rows/{row.name}/{counter}", bits, row.bits, LEAST_OF_A_ROW, scored)
        for row in rows
        for counter, bits in _told(row.law, row.counters, learned, scored, seed, ()).items()
    ]


def finds_the_exact(learned: int, scored: int, seed: int) -> list[Finding]:
    findings = []
    for name, law in SMALL:
        steps = SimulatedCarousel(law, seed + 1, _SMALL_ROUNDS).steps(scored + 8 * law.pack)
        exact = float(ExactCounter(law).bits(steps).mean())
        counters = (TABLE, LOGIT, PARTICLE) if law.ejection == "single" else (TABLE, LOGIT)
        told = _told(law, counters, learned, scored, seed, _SMALL_ROUNDS)
        findings += [
            _held(f"exact/{name}/{counter}", bits, exact, LEAST_OF_EXACT, scored)
            for counter, bits in told.items()
        ]
    return findings


def _told(
    law: CarouselLaw,
    counters: tuple[str, ...],
    learned: int,
    scored: int,
    seed: int,
    lengths: tuple[int, ...],
) -> dict[str, float]:
    """Bits by each counter, all on the same history."""
    teacher = SimulatedCarousel(law, seed, lengths).steps(learned)
    steps = SimulatedCarousel(law, seed + 1, lengths).steps(scored + 8 * law.pack)
    told = {}
    if TABLE in counters:
        pupil = Counter(law)
        pupil.feed(teacher)
        table = Counter(law, pupil.learned())
        table.feed(steps)
        told[TABLE] = float(table.sums[BITS] / table.sums[CARDS])
    if LOGIT in counters:
        student = LogitCounter(law, learned)
        student.feed(teacher)
        told[LOGIT] = float(LogitCounter(law, weights=student.learned()).feed(steps).mean())
    if PARTICLE in counters:
        told[PARTICLE] = float(ParticleCounter(law, seed=seed).bits(steps).mean())
    return told


def _held(name: str, bits: float, known: float, least: float, cards: int) -> Finding:
    """A check that holds or does not: p is 1 or 0."""
    share = bits / known
    return Finding(f"counters/{name}", cards, "cards", float(share >= least), share)
