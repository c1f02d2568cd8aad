"""Certify thousands of good sources and count the failures of each test.

    python -m rng_certification.soak --kind draws --number 1000 --kept build/good-sources.json

A verdict at family alpha 0.005 may fail 5 good sources of 1,000; more than 10 is a fault of the
suite. The tails are also counted: for each family of tests, the p-values of at most 0.01, 0.001 and
0.0001, and the highest number allowed. The kinds run in turn, a few sources of each. The counts are
saved, and the same command resumes from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import bdtrc

from cutcard import private_files
from cutcard.untrusted import read_json
from rng_certification.base.fingerprints import of_the_suite
from rng_certification.base.judgement import judge
from rng_certification.base.one_core import pool
from rng_certification.certification import Certificate, PrizeDraws, Subject, certify, subject_of
from rng_certification.continuous.law import BATCH
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.jackpot.press_columns import MOST_TABLES, PressColumns, press_places
from rng_certification.jackpot.prizes import all_prizes
from rng_certification.jackpot.subject import Presses
from rng_certification.planted import draws, shuffles
from rng_certification.sp800_90b.examination import examine
from rng_certification.sp800_90b.samples import Samples
from rng_certification.twin import streams
from rng_certification.twin.streams import Mechanism

KINDS = ("bits", "draws", "shuffles", "prizes", "presses", "steps", "noise")
LEVELS = (1e-2, 1e-3, 1e-4)
SPANS = (2, 3, 5, 6, 13, 37, 38, 52, 100, 256, 312, 416, 1000, 4096, 65536, 10**6, 2**31, 2**32)
DRAWS = (10_000, 30_000, 100_000, 300_000)
DECKS = (5, 8, 13, 52, 104, 312)
SHUFFLES = (1_000, 2_000, 5_000)
BYTES = (125_000, 300_000, 1_000_000)
# Bins, capacity, low mark, pack, and the number of cards to deal.
CAROUSELS = (((38, 10, 8, 312), 120_000), ((44, 10, 8, 416), 60_000), ((8, 30, 8, 208), 30_000))
REFERENCE_CARDS = 128 * BATCH
SAMPLES = (20_000, 50_000)
FEW = 8  # sources of each kind before the next kind runs


def certify_good(kind: str, seed: int) -> Certificate:
    """Certify one good source; the seed also chooses the range, the deck and the sample size."""
    random = np.random.Generator(np.random.SFC64([seed, len(kind)]))
    if kind == "noise":
        return _good_noise(random, seed)
    subject, data = _good(kind, seed, random)
    return certify(BytesIO(data), subject)


def _good(kind: str, seed: int, random: np.random.Generator) -> tuple[Subject, bytes]:
    if kind == "bits":
        return subject_of(kind), random.bytes(int(random.choice(BYTES)))
    if kind == "draws":
        size = int(random.choice(SPANS))
        data = draws.good(random, int(random.choice(DRAWS)), size)
        return subject_of(kind, size), data.tobytes()
    if kind == "shuffles":
        size = int(random.choice(DECKS))
        number = max(int(random.choice(SHUFFLES)), 5 * size)
        return subject_of(kind, size), shuffles.good(random, number, size).tobytes()
    if kind == "steps":
        return _good_history(seed, random)
    tables = list(all_prizes().values())
    number = int(random.choice(DRAWS))
    if kind == "prizes":
        prizes = tables[random.integers(len(tables))]
        return PrizeDraws(prizes), draws.good(random, number, prizes.total).tobytes()
    chosen = [
        tables[i] for i in random.integers(len(tables), size=random.integers(MOST_TABLES) + 1)
    ]
    places = press_places(int(random.integers(1 << 30)), number, len(chosen))
    totals = np.array([prizes.total for prizes in chosen])
    drawn = random.integers(0, totals[places[0]]).astype(np.uint32)
    return Presses(chosen), PressColumns(*places, drawn).as_bytes()


def _good_history(seed: int, random: np.random.Generator) -> tuple[Subject, bytes]:
    """Return the findings of a history from the twin, judged against the law of the other model."""
    numbers, cards = CAROUSELS[random.integers(len(CAROUSELS))]
    settings = Settings(*numbers)
    machine = Mechanism("carousel", settings.bins, settings.capacity, settings.chute_low)
    source = streams.start(f"soak {seed}")
    steps = np.concatenate(list(streams.history(source, machine, settings.pack, cards)))
    return ContinuousHistory(settings, REFERENCE_CARDS), steps.astype("<u4").tobytes()


def _good_noise(random: np.random.Generator, seed: int) -> Certificate:
    """Certify independent samples of one biased bit or of four bits, claiming half their bits."""
    size = int(random.choice(SAMPLES))
    if random.random() < 0.7:
        bits, claim = 1, 0.5
        raw = (random.random(size) < random.uniform(0.5, 0.55)).astype(np.uint8)
    else:
        bits, claim = 4, 2.0
        raw = random.integers(0, 16, size).astype(np.uint8)
    done = examine(Samples.of(raw, bits), claim, independent=True, seed=seed, shuffles=2000)
    judgement = judge(done.findings)
    return Certificate("noise", done.unit, size, size, "", judgement, {"sample_bits": bits})


@dataclass
class Tally:
    """The results of many certifications."""

    certifications: int = 0
    failures: list[str] = field(default_factory=list)
    tests: Counter[str] = field(default_factory=Counter)
    small: Counter[tuple[str, float]] = field(default_factory=Counter)

    def add(self, seed: int, certificate: Certificate) -> None:
        self.certifications += 1
        judgement = certificate.judgement
        if not judgement.passed:
            worst = judgement.failures[0]
            about = {k: v for k, v in certificate.details.items() if isinstance(v, int)}
            self.failures.append(
                f"seed {seed} {about} sample {certificate.sample}: {worst.finding.name} "
                f"p {worst.finding.p:.3g}, adjusted {worst.adjusted:.3g}"
            )
        for test in judgement.tests:
            if test.finding.p is not None:
                family = _family(test.finding.name)
                self.tests[family] += 1
                for level in LEVELS:
                    self.small[family, level] += test.finding.p <= level

    def join(self, other: Tally) -> None:
        self.certifications += other.certifications
        self.failures += other.failures
        self.tests += other.tests
        self.small += other.small

    def as_json(self) -> dict[str, Any]:
        return {
            "certifications": self.certifications,
            "failures": self.failures,
            "tests": dict(self.tests),
            "small": [[*which, count] for which, count in self.small.items()],
        }

    @staticmethod
    def of(kept: dict[str, Any]) -> Tally:
        small = Counter({(family, level): count for family, level, count in kept["small"]})
        tests = Counter(kept["tests"])
        return Tally(kept["certifications"], [*kept["failures"]], tests, small)

    def heavy_tails(self) -> list[str]:
        """Return the families with clearly more small p-values than allowed."""
        return [
            f"{family}: {count} of {self.tests[family]} at most {level}"
            for (family, level), count in sorted(self.small.items())
            if count and bdtrc(count - 1, self.tests[family], level) < 1e-4
        ]


def _family(name: str) -> str:
    """Return the family of a test; the lags, templates, periods and states of one test form one."""
    return "/".join(
        part
        for part in name.split("/")
        if not any(letter.isdigit() for letter in part) or part == "sp800-22"
    )


def run(kind: str, seeds: Iterable[int], workers: Executor | None = None) -> Tally:
    tally, chosen = Tally(), list(seeds)
    certified = map if workers is None else workers.map
    done = certified(partial(certify_good, kind), chosen)
    for seed, certificate in zip(chosen, done, strict=True):
        tally.add(seed, certificate)
    return tally


def run_in_turn(asked: SoakOptions, kept: SoakCounts) -> dict[str, Tally]:
    """Certify a few sources of each kind in turn, until every kind has reached its number."""
    with pool(asked.processes) as workers:
        for last in range(FEW, asked.number + FEW, FEW):
            for kind in asked.kinds:
                done = kept.tallies.setdefault(kind, Tally())
                seeds = range(done.certifications, min(last, asked.number))
                done.join(run(kind, (asked.first_seed + each for each in seeds), workers))
                kept.keep()
    return {kind: kept.tallies[kind] for kind in asked.kinds}


@dataclass(frozen=True)
class SoakOptions:
    kinds: Sequence[str]
    number: int
    first_seed: int
    processes: int


class SoakCounts:
    """The counts so far, in a file that is replaced atomically.

    Counts of another version of the suite, or of other seeds, are rejected.
    """

    def __init__(self, path: Path | None, first_seed: int) -> None:
        self._path = path
        self._about = {"first_seed": first_seed, "by": of_the_suite()}
        self.tallies: dict[str, Tally] = {}
        if path is not None and path.exists():
            kept = read_json(path)
            if any(kept[key] != value for key, value in self._about.items()):
                raise SystemExit(
                    f"{path} has counts of another version of the suite, or "
                    "of other seeds: move it away"
                )
            self.tallies = {kind: Tally.of(each) for kind, each in kept["kinds"].items()}

    def keep(self) -> None:
        if self._path is not None:
            kinds = {kind: tally.as_json() for kind, tally in self.tallies.items()}
            self._path.parent.mkdir(parents=True, exist_ok=True)
            private_files.replace(self._path, json.dumps({**self._about, "kinds": kinds}))


def report(kind: str, tally: Tally) -> bool:
    print(f"{kind}: {len(tally.failures)} of {tally.certifications} good sources failed")
    for line in (*tally.failures, *tally.heavy_tails()):
        print("  " + line)
    return 100 * len(tally.failures) <= tally.certifications


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument(
        "--kind", choices=KINDS, action="append", help=("kind of source (default: all)")
    )
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--kept", type=Path, metavar="FILE", help="file that saves the counts")
    typed = parser.parse_args()
    asked = SoakOptions(typed.kind or KINDS, typed.number, typed.first_seed, typed.processes)
    done = run_in_turn(asked, SoakCounts(typed.kept, asked.first_seed))
    good = [report(kind, tally) for kind, tally in done.items()]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
