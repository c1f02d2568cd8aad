"""Small integer relations between successive draws, as in congruential generators.

The points formed by t successive draws are on parallel planes, few for a bad multiplier and some
thousands for a good one (Marsaglia; the spectral test): c0 x0 + c1 x1 + ... is a multiple of N, or
nearly one, with small c. Lattice reduction (Lenstra, Lenstra, Lovász) searches the first draws for
a relation, which is then tested on other draws: a good source has none.
"""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Draws, Floats, compiled
from rng_certification.base.finding import Finding, NormalPower
from rng_certification.base.laws import of_many

LEAST_SPAN = 1 << 10  # with fewer values a draw shows too little of a state
# The number of draws in a relation, and the number of places where it must hold to be found.
SHAPES = ((3, 12), (5, 16), (8, 20), (11, 25))
LEARNED = 64  # draws searched for relations
MOST_DRAWS = 1 << 17
LEAST_DRAWS = 10_000
_DELTA = 0.99  # the degree to which a basis is reduced


@compiled
def _orthogonalised(basis: Counts, rows: int, mu: Floats, norms: Floats, star: Floats) -> None:
    """Make the first rows orthogonal one after the other (Gram and Schmidt): `mu` and `norms`."""
    for row in range(rows):
        for column in range(basis.shape[1]):
            star[row, column] = basis[row, column]
        for j in range(row):
            along = 0.0
            for column in range(basis.shape[1]):
                along += star[row, column] * star[j, column]
            mu[row, j] = along / norms[j]
            for column in range(basis.shape[1]):
                star[row, column] -= mu[row, j] * star[j, column]
        norm = 0.0
        for column in range(basis.shape[1]):
            norm += star[row, column] * star[row, column]
        norms[row] = max(norm, 1e-9)


@compiled
def _shorten(basis: Counts, mu: Floats, k: int, j: int) -> None:
    """Subtract the multiple of row j from row k that leaves the smallest component along row j."""
    nearest = np.rint(mu[k, j])
    if nearest != 0:
        for column in range(basis.shape[1]):
            basis[k, column] -= np.int64(nearest) * basis[j, column]
        for i in range(j):
            mu[k, i] -= nearest * mu[j, i]
        mu[k, j] -= nearest


@compiled
def _exchange(basis: Counts, mu: Floats, norms: Floats, k: int, known: int) -> None:
    """Exchange rows k - 1 and k, and update the derived values of the others (Cohen)."""
    for column in range(basis.shape[1]):
        held = basis[k, column]
        basis[k, column] = basis[k - 1, column]
        basis[k - 1, column] = held
    for j in range(k - 1):
        along = mu[k, j]
        mu[k, j] = mu[k - 1, j]
        mu[k - 1, j] = along
    before = mu[k, k - 1]
    norm = norms[k] + before * before * norms[k - 1]
    mu[k, k - 1] = before * norms[k - 1] / norm
    norms[k] = max(norms[k - 1] * norms[k] / norm, 1e-9)
    norms[k - 1] = norm
    for i in range(k + 1, known):
        along = mu[i, k]
        mu[i, k] = mu[i, k - 1] - before * along
        mu[i, k - 1] = along + mu[k, k - 1] * mu[i, k]


@compiled
def _reduced(basis: Counts) -> Counts:
    """Return a basis of the same lattice with short vectors, approximately the shortest first.

    For each new row, all rows before it are made orthogonal again, so that errors do not
    accumulate.
    """
    size = len(basis)
    mu, star, norms = np.zeros((size, size)), np.zeros(basis.shape), np.zeros(size)
    k = known = steps = 0
    while k < size and steps < 200_000:
        steps += 1
        if k >= known:
            known = k + 1
            _orthogonalised(basis, known, mu, norms, star)
        if k > 0:
            _shorten(basis, mu, k, k - 1)
            if norms[k] < (_DELTA - mu[k, k - 1] ** 2) * norms[k - 1]:
                _exchange(basis, mu, norms, k, known)
                k = max(k - 1, 0)
                continue
        for j in range(k - 2, -1, -1):
            _shorten(basis, mu, k, j)
        k += 1
    return basis


def relation(steps: Floats, terms: int, places: int, bits: float) -> Counts:
    """Find small coefficients that bring `terms` successive steps near to an integer everywhere."""
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
    """A test whether successive draws are on planes, for ranges of 1,024 and more."""

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
        # differences of successive values, so that a constant increment does not matter
        steps = np.diff(share[:LEARNED])
        least, length = 1.0, 0
        for terms, places in SHAPES:
            found = relation(steps - np.rint(steps), terms, places, min(np.log2(self.span), 30.0))
            p = self._tried(found, share[LEARNED:])
            if p < least:
                least, length = p, terms + 1
        power = NormalPower(1 / np.sqrt(self.draws), "share of draws that are on the planes")
        p = of_many(least, len(SHAPES))
        return [Finding(name, self.draws, "draws", p, float(length), power=power)]

    def _tried(self, found: Counts, share: Floats) -> float:
        """Return a bound on the chance that a good source comes this near to integers (Hoeffding).

        Each stretch gives an independent angle; the angles of a good source cancel each other.
        """
        factors = np.diff(np.concatenate(([0], found, [0]))) * -1
        if not np.any(factors % self.span):
            return 1.0  # such coefficients give integers for any draws
        length = len(factors)
        stretches = share[: len(share) // length * length].reshape(-1, length)
        turns = stretches @ factors.astype(np.float64)
        angles = 2 * np.pi * (turns - np.rint(turns))
        together = np.hypot(np.cos(angles).sum(), np.sin(angles).sum())
        return float(min(1.0, 4 * np.exp(-(together**2) / (4 * len(angles)))))
