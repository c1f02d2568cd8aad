"""Judge many sequences together: proportion, uniformity, and the smallest p-value.

Three findings for each sub-test:

- proportion: the number of p-values below 0.01, against the exact binomial law;
- uniformity: ten classes of p-values (NIST's P_T), from 55 sequences on;
- minimum: the most extreme p-value of all, near 0 or near 1, so that one bad sequence in a long
  file is detected.

NIST's own limits (three standard deviations, P_T of 0.0001) are reported by `nist_limits` and do
not affect the verdict: over 188 sub-tests they reject good data most of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtrc, chdtrc

from rng_certification.base.compiled import Floats
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, chi_square, of_many
from rng_certification.sp800_22.fifteen_tests import NAMES, p_values
from rng_certification.sp800_22.sequence import BitSequence

SEQUENCE_BITS = 1_000_000
LEVEL = 0.01
CLASSES = 10
NIST_P_T = 1e-4
LEAST_FOR_UNIFORMITY = 55  # NIST's minimum number of sequences
# p-values are approximations: with more sequences than this, their errors would show.
MOST_FOR_SECOND_LEVEL = 1000


@dataclass(frozen=True)
class Tail:
    """The smallest p-value of a sub-test that is credible.

    `believed`: smaller p-values count as this one. `bound`: the chance of at most that, which is
    larger than nominal if the tail is heavy; 12,000 good sequences and simulated tables of their
    classes showed this (docs/evidence/certification.md). `atom`: the chance of the p-value next
    to 1, which a discrete statistic often reaches.
    """

    believed: float
    bound: float
    atom: float = 0.0


_NORMAL = 1e-9
_TAILS = {
    "monobit": Tail(_NORMAL, _NORMAL, 1e-3),
    "block-frequency": Tail(_NORMAL, _NORMAL),
    "runs": Tail(_NORMAL, _NORMAL, 1e-3),
    "serial": Tail(_NORMAL, _NORMAL),
    "cumulative-sums": Tail(_NORMAL, _NORMAL),
    "dft": Tail(1e-4, 5e-4, 5e-3),
    "rank": Tail(1e-4, 2e-4, 1e-3),
    "longest-run": Tail(1e-4, 2.5e-4, 1e-4),
    "random-excursions": Tail(1e-4, 4.5e-4, 1e-4),
    "random-excursions-variant": Tail(1e-3, 3e-3, 2e-2),
}
_OTHERS = Tail(1e-4, 2e-4, 1e-5)


def tail_of(name: str) -> Tail:
    return _TAILS.get(name.split("/")[0], _OTHERS)


class SecondLevel:
    """Counts over many sequences."""

    def __init__(self) -> None:
        size = len(NAMES)
        tails = [tail_of(name) for name in NAMES]
        self._believed = np.array([tail.believed for tail in tails])
        self._bound = np.array([tail.bound for tail in tails])
        self._atom = np.array([tail.atom for tail in tails])
        self._sequences = 0
        self._classes = np.zeros((size, CLASSES), dtype=np.int64)
        self._below = np.zeros(size, dtype=np.int64)
        self._applied = np.zeros(size, dtype=np.int64)
        self._smallest = np.ones(size)
        self._at_the_limit = np.zeros(size, dtype=np.int64)

    def add(self, sequence: BitSequence) -> None:
        self.add_p_values(p_values(sequence))

    def add_p_values(self, p: Floats) -> None:
        there = ~np.isnan(p)
        self._applied += there
        extreme = np.where(there, 2 * np.minimum(p, np.maximum(1 - p, self._atom)), 1.0)
        self._smallest = np.minimum(self._smallest, extreme)
        self._at_the_limit += there & (extreme <= 2 * self._believed)
        if self._sequences < MOST_FOR_SECOND_LEVEL:
            place = np.minimum((p[there] * CLASSES).astype(np.int64), CLASSES - 1)
            self._classes[np.flatnonzero(there), place] += 1
            self._below += there & (np.nan_to_num(p, nan=1.0) < LEVEL)
        self._sequences += 1

    @property
    def sequences(self) -> int:
        return self._sequences

    def findings(self) -> list[Finding]:
        found = []
        for i, name in enumerate(NAMES):
            title = f"sp800-22/{name}"
            if not self._applied[i]:
                reason = "no sequence to which the test applies"
                found.append(Finding.skip(title, 0, "sequences", reason))
                continue
            found += [self._proportion(i, title), self._uniformity(i, title)]
            found.append(self._minimum(i, title))
        return found

    def nist_limits(self) -> dict[str, object]:
        """The result by NIST's own rules, for display; it does not affect the verdict."""
        applied = np.maximum(self._classes.sum(axis=1), 1)
        least = 1 - LEVEL - 3 * np.sqrt(LEVEL * (1 - LEVEL) / applied)
        low = [
            name for name, bad in zip(NAMES, 1 - self._below / applied < least, strict=True) if bad
        ]
        uneven = []
        for name, classes, number in zip(NAMES, self._classes, applied, strict=True):
            statistic = float(np.sum((classes - number / CLASSES) ** 2) / (number / CLASSES))
            if number >= LEAST_FOR_UNIFORMITY and chdtrc(CLASSES - 1, statistic) < NIST_P_T:
                uneven.append(name)
        return {"proportion_too_low": low, "p_values_not_uniform": uneven}

    def _proportion(self, i: int, title: str) -> Finding:
        applied = int(self._classes[i].sum())
        return binomial(f"{title}/proportion", "sequences", int(self._below[i]), applied, LEVEL)

    def _uniformity(self, i: int, title: str) -> Finding:
        applied = int(self._classes[i].sum())
        if applied < LEAST_FOR_UNIFORMITY:
            reason = f"needs {LEAST_FOR_UNIFORMITY} sequences"
            return Finding.skip(f"{title}/uniformity", applied, "sequences", reason)
        classes = self._classes[i]
        return chi_square(
            f"{title}/uniformity", "sequences", classes, 1 / CLASSES, least_expected=5
        )

    def _minimum(self, i: int, title: str) -> Finding:
        applied = int(self._applied[i])
        smallest = float(self._smallest[i])
        if smallest > 2 * self._believed[i]:
            p = of_many(smallest, applied)
        else:
            p = float(bdtrc(self._at_the_limit[i] - 1, applied, 2 * self._bound[i]))
        return Finding(f"{title}/minimum", applied, "sequences", p, smallest)
