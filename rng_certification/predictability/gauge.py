"""Validation of the counters: machines with known answers, measured in the same run.

A weak counter makes every machine look good. So each counter is compared with published
measurements (`ROWS`: 38 bins of 10, 312 cards) and with machines small enough for the exact
posterior (`exact.py`). A published value is the result of one counter, and so a lower limit: ours
may find more, but not noticeably less. If the published counter used the same information as our
simplest, that one must find the same value: then both have measured the same machine. No counter
can find more than the exact posterior.
"""

from __future__ import annotations

from dataclasses import dataclass

from rng_certification.base.finding import Finding
from rng_certification.predictability.carousel import CarouselLaw
from rng_certification.predictability.exact import ExactCounter
from rng_certification.predictability.figures import LOGIT, TABLE, TOGETHER, Effort, History
from rng_certification.predictability.followed import particle_figure
from rng_certification.predictability.measuring import counters_for, logit_figure, table_figure
from rng_certification.predictability.pupil import Pupil

LEAST_OF_A_ROW = 0.95
MOST_OF_A_SIMPLE_ROW = 1.05
LEAST_OF_EXACT = 0.90
_INTO = (64.0, 47.0, 35.0, 26.0, 19.0, 14.0, 11.0, 8.0, 6.0, 4.0)
_OUT = (50.0, 39.0, 30.0, 24.0, 18.0, 14.0, 11.0, 9.0, 7.0, 5.0)
_BY_LOAD = tuple(range(1, 11))
_SMALL_ROUNDS = (1, 2, 3)


@dataclass(frozen=True)
class ReferenceMeasurement:
    """A machine with a measured value that every counter for such machines must reproduce.

    `simple`: a table of three numbers found the published value. For weighted or tall bins it did
    not: there others found more than that table, or less.
    """

    name: str
    law: CarouselLaw
    bits: float
    simple: bool = False


ROWS = (
    ReferenceMeasurement("group", CarouselLaw(38, 10, 8, 312), 3.65, simple=True),
    ReferenceMeasurement("part", CarouselLaw(38, 10, 8, 312, "part"), 2.22, simple=True),
    ReferenceMeasurement(
        "by-load", CarouselLaw(38, 10, 8, 312, "single", out=_BY_LOAD), 1.12, simple=True
    ),
    ReferenceMeasurement("any-bin", CarouselLaw(38, 10, 8, 312, "single"), 0.61, simple=True),
    ReferenceMeasurement("weights", CarouselLaw(38, 10, 8, 312, "single", _INTO, _OUT), 0.13),
    ReferenceMeasurement("tall", CarouselLaw(38, 20, 8, 312, "single"), 0.12),
    ReferenceMeasurement("ideal", CarouselLaw(312, 1, 8, 312, "single"), 0.03),
)
SMALL = (
    ("group", CarouselLaw(3, 2, 1, 5)),
    ("single", CarouselLaw(3, 2, 1, 5, "single")),
    ("tall", CarouselLaw(2, 3, 1, 5, "single")),
    ("weights", CarouselLaw(3, 3, 1, 6, "single", (4.0, 2.0, 1.0), (3.0, 2.0, 1.0))),
)


def reference_findings(
    rows: tuple[ReferenceMeasurement, ...], effort: Effort, seed: int
) -> list[Finding]:
    findings = []
    for row in rows:
        found = _bits_by_counter(row.law, effort, seed, ())
        findings += [
            _held(f"rows/{row.name}/{counter}", bits, row.bits, LEAST_OF_A_ROW, effort.scored)
            for counter, bits in found.items()
        ]
        if row.simple:
            bits = found[TABLE] if TABLE in found else _by_table(row.law, effort, seed)
            findings.append(_found_again(row, bits, effort.scored))
    return findings


def _by_table(law: CarouselLaw, effort: Effort, seed: int) -> float:
    return table_figure(law, effort, seed, (), History(law, seed + 1, (), effort.scored)).bits


def _found_again(row: ReferenceMeasurement, bits: float, cards: int) -> Finding:
    """Within a twentieth, above and below."""
    share = bits / row.bits
    again = LEAST_OF_A_ROW <= share <= MOST_OF_A_SIMPLE_ROW
    return Finding(f"counters/rows/{row.name}/again", cards, "cards", float(again), share)


def exact_findings(effort: Effort, seed: int) -> list[Finding]:
    findings = []
    for name, law in SMALL:
        seen = History(law, seed + 1, _SMALL_ROUNDS, effort.followed)
        exact = float(seen.could.mean(ExactCounter(law).bits_leaked(seen.steps, seen.could)).mean())
        findings += [
            _held(f"exact/{name}/{counter}", bits, exact, LEAST_OF_EXACT, effort.scored)
            for counter, bits in _bits_by_counter(law, effort, seed, _SMALL_ROUNDS).items()
        ]
    return findings


def _bits_by_counter(
    law: CarouselLaw, effort: Effort, seed: int, lengths: tuple[int, ...]
) -> dict[str, float]:
    """Return the bits that each counter suited to this machine finds."""
    seen = History(law, seed + 1, lengths, effort.scored)
    logit, weights, _ = logit_figure(Pupil(law, seed, lengths, *effort.stops), effort, seen)
    bits_by_counter = {LOGIT: logit.bits}
    if TABLE in counters_for(law):
        bits_by_counter[TABLE] = table_figure(law, effort, seed, lengths, seen).bits
    if TOGETHER in counters_for(law):
        together, _ = particle_figure(law, effort, seed, lengths, logit, weights)
        bits_by_counter[TOGETHER] = together.bits
    return bits_by_counter


def _held(name: str, bits: float, known: float, least: float, cards: int) -> Finding:
    """A check that passes or fails: p is 1 or 0."""
    share = bits / known
    return Finding(f"counters/{name}", cards, "cards", float(share >= least), share)
