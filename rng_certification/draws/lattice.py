"""Small whole-number relations between successive draws, as congruential generators have them.

The points that t draws in a row make lie on parallel planes, few for a bad multiplier and some
thousands for a good one (Marsaglia; the spectral test): c0 x0 + c1 x1 + ... is a multiple of N, or
nearly one, with small c. A relation is looked for in the first draws by lattice reduction (Lenstra,
Lenstra, Lovász), and then tried on draws that it was not found in: a good source has none.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Draws, Floats, compiled
from rng_certification.base.finding import Finding, NormalPower
from rng_certification.base.laws import of_many

LEAST_SPAN = 1 << 10  # with fewer values too little of a state is seen
# How many draws a relation has, and in how many places it must hold to be found.
SHAPES = ((3, 12), (5, 16), (8, 20), (11, 25))
LEARNED = 64  # draws that relations are looked for in
MOST_DRAWS = 1 << 17
LEAST_DRAWS = 10_000
_DELTA = 0.99  # how reduced a basis is


@compiled
def _reduced(basis: Counts) -> Counts:
    """A basis of the same lattice, of short vectors, the shortest first or nearly so."""
    size = len(basis)
    mu = np.zeros((size, size))
    star = np.zeros((size, basis.shape[1]))
    norms = np.zeros(size)

    def_row = np.zeros(basis.shape[1])
    k = 0
    known = -1  # rows up to here are orthogonalised
    steps = 0
    while k < size and steps < 200_000:
        steps += 1
        for row in range(known + 1, k + 1):
            def_row[:] = basis[row]
            for j in range(row):
                mu[row, j] = np.dot(basis[row].astype(np.float64), star[j]) / norms[j]
                def_row -= mu[row, j] * star[j]
            star[row] = def_row
            norms[row] = max(np.dot(def_row, def_row), 1e-9)
        known = max(known, k)
        for j in range(k - 1, -1, -1):
            nearest = np.rint(mu[k, j])
            if nearest != 0:
                basis[k] -= np.int64(nearest) * basis[j]
                for i in range(j):
                    mu[k, i] -= nearest * mu[j, i]
                mu[k, j] -= nearest
        if k == 0 or norms[k] >= (_DELTA - mu[k, k - 1] ** 2) * norms[k - 1]:
            k += 1
        else:
            for column in range(basis.shape[1]):
                held = basis[k, column]
                basis[k, column] = basis[k - 1, column]
                basis[k - 1, column] = held
            known = k - 2
            k = max(k - 1, 0)
    return basis


def relation(steps: Floats, terms: int, places: int, bits: float) -> Counts:
    """Small numbers by which `terms` steps in a row add up to nearly a whole number everywhere."""
    weight = 2.0**bits / np.sqrt(terms)
    basis = np.zeros((terms + places, terms + places), dtype=np.int64)
    for j in range(terms):
        basis[j, j] = 1
        basis[j, terms:] = np.rint(weight * steps[j : j + places])
    for k in range(places):
        basis[terms + k, terms + k] = round(weight)
    reduced = _reduced(basis)
    found: Counts = reduced[np.argmin((reduced**2).sum(axis=1)), :terms]
    return found


class Lattice:
    """Whether successive draws lie on planes, for ranges of 1,024 and more."""

    def __init__(self, span: int) -> None:
        self.span = span
        self._kept: list[Draws] = []
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        draws = draws[: MOST_DRAWS - self.draws]
        if self.span >= LEAST_SPAN and len(draws):
            self._kept.append(draws.copy())
            self.draws += len(draws)

    def findings(self) -> list[Finding]:
        if self.span < LEAST_SPAN:
            return []
        name = "lattice/planes"
        if self.draws < LEAST_DRAWS:
            return [Finding.skip(name, self.draws, "draws", f"needs {LEAST_DRAWS} draws")]
        share = np.concatenate(self._kept) / self.span
        # from step to step, so that what is added each time does not count
        steps = np.diff(share[:LEARNED])
        least, length = 1.0, 0
        for terms, places in SHAPES:
            found = relation(steps - np.rint(steps), terms, places, min(np.log2(self.span), 30.0))
            p = self._tried(found, share[LEARNED:])
            if p < least:
                least, length = p, terms + 1
        power = NormalPower(1 / np.sqrt(self.draws), "share of draws that keep to the planes")
        p = of_many(least, len(SHAPES))
        return [Finding(name, self.draws, "draws", p, float(length), power=power)]

    def _tried(self, found: Counts, share: Floats) -> float:
        """A bound on the chance that a good source comes so near to whole numbers (Hoeffding).

        Each stretch gives an angle, all independent; those of a good source cancel out.
        """
        factors = np.diff(np.concatenate(([0], found, [0]))) * -1
        if not np.any(factors % self.span):
            return 1.0  # such numbers make anybody's draws whole
        length = len(factors)
        stretches = share[: len(share) // length * length].reshape(-1, length)
        turns = stretches @ factors.astype(np.float64)
        angles = 2 * np.pi * (turns - np.rint(turns))
        together = np.hypot(np.cos(angles).sum(), np.sin(angles).sum())
        return float(min(1.0, 4 * np.exp(-(together**2) / (4 * len(angles)))))
