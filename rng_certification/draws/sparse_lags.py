"""Equal draws at every lag, for all values and for each value: detects echoes of a rare value.

The indicator of one value in thousands is nearly always zero. At most lags it meets itself never or
once, so a normal law does not hold, and none is used here. Only pairs of equal draws are counted;
they are few if there are many values.
"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr, bdtrc

from rng_certification.base.compiled import Counts, Draws, Floats, compiled
from rng_certification.base.finding import AnyCountPower, AnyLagPower, Finding
from rng_certification.base.laws import of_many

MOST_PAIRS = 20_000_000  # pairs of equal draws, which take most of the time
MOST_DRAWS = 3_024_000
LONGEST = 1 << 20
LEAST_DRAWS = 10_000
LEAST_SPAN = 16  # below this, a value meets itself in long chains, which have another law
_BANDS = 64  # lags per group; each group uses the highest mean of its lags
_SUSPECTS = 50  # lags with the most and the fewest equal draws, for which the tails are computed
_STAMP = 20  # bits for a count, below the number of its value


@compiled
def _meetings(
    places: Counts, ends: Counts, longest: int, alone: Counts, together: Counts
) -> tuple[int, int]:
    """Count equal draws by their lag, for all values together; `places` is sorted by value.

    Returns the largest count of a single value at one lag, and that lag.
    """
    most = lag_of_most = first = 0
    for value in range(len(ends)):
        last = ends[value]
        stamp = (value + 1) << _STAMP
        for i in range(first, last):
            for j in range(i + 1, last):
                lag = places[j] - places[i]
                if lag > longest:
                    break
                together[lag] += 1
                # ignore the counts left by another value
                count = alone[lag] + 1 if alone[lag] >> _STAMP == value + 1 else stamp + 1
                alone[lag] = count
                if count - stamp > most:
                    most, lag_of_most = count - stamp, lag
        first = last
    return most, lag_of_most


class SparseLags:
    """The lag with too many or too few equal draws, and the value with the strongest echo."""

    def __init__(self, span: int) -> None:
        self.span = span
        # pairs at most half of the draws apart are three eighths of their square
        self.most = min(MOST_DRAWS, int((8 / 3 * span * MOST_PAIRS) ** 0.5))
        self._kept: list[Draws] = []
        self.draws = 0

    def feed(self, draws: Draws) -> None:
        draws = draws[: self.most - self.draws]
        if self.span >= LEAST_SPAN and len(draws):
            self._kept.append(draws.copy())
            self.draws += len(draws)

    def findings(self) -> list[Finding]:
        if self.span < LEAST_SPAN:
            return []
        names = "far-lags/equal-draws", "far-lags/one-value"
        if self.draws < LEAST_DRAWS:
            reason = f"needs {LEAST_DRAWS} draws"
            return [Finding.skip(name, self.draws, "draws", reason) for name in names]
        places, ends = self._by_value()
        longest = min(LONGEST, self.draws // 2)
        together = np.zeros(longest + 1, dtype=np.int64)
        most, lag = _meetings(places, ends, longest, np.zeros_like(together), together)
        return [self._equal(names[0], together[1:]), self._alone(names[1], most, lag, longest)]

    def _by_value(self) -> tuple[Counts, Counts]:
        """Return the positions of the draws sorted by value, and the end of each value's positions.

        If one value is very frequent, fewer draws give the same number of pairs, and are enough.
        """
        draws = np.concatenate(self._kept)
        while True:
            places = np.argsort(draws, kind="stable").astype(np.int64)
            changes = np.flatnonzero(np.diff(draws[places])) + 1
            ends = np.concatenate((changes, [len(draws)])).astype(np.int64)
            times = np.diff(ends, prepend=0).astype(np.float64)
            if float(np.sum(times * times)) < 16 * MOST_PAIRS or len(draws) < LEAST_DRAWS:
                self.draws = len(draws)
                self._kept = [draws]
                return places, ends
            draws = draws[: len(draws) // 2]

    def _equal(self, name: str, counts: Counts) -> Finding:
        """The test of all values, by an exact law: pairs of draws are equal independently."""
        trials = self.draws - np.arange(1, len(counts) + 1)
        chance = 1 / self.span
        z = (counts - trials * chance) / np.sqrt(trials * chance * (1 - chance))
        suspects = np.concatenate((np.argpartition(z, _SUSPECTS)[:_SUSPECTS], _largest(z)))
        few, of = counts[suspects], trials[suspects]
        upper = np.where(few > 0, bdtrc(np.maximum(few - 1, 0), of, chance), 1.0)
        tails = np.minimum(bdtr(few, of, chance), upper)
        worst = int(suspects[np.argmin(tails)])
        p = of_many(min(1.0, 2 * float(tails.min())), len(counts))
        scale = float(np.sqrt((self.span - 1) / trials[worst]) / self.span)
        power = AnyLagPower(len(counts), scale, "excess share of equal draws at one lag")
        return Finding(name, self.draws, "draws", p, float(worst + 1), power=power)

    def _alone(self, name: str, most: int, lag: int, longest: int) -> Finding:
        """The expected number of cells of value x lag that reach the count of the fullest."""
        starts = np.linspace(0, longest, _BANDS + 1).astype(int)
        lags = np.diff(starts)
        means = (self.draws - starts[:-1]) / self.span**2
        expected = sum(
            self.span * int(number) * clumped_tail(most, float(mean), 1 / self.span)
            for number, mean in zip(lags, means, strict=True)
        )
        p = float(-np.expm1(-expected))
        cells = self.span * longest
        power = AnyCountPower(float(means[0]), cells, "repetitions of a value at a lag")
        return Finding(name, self.draws, "draws", p, float(lag), power=power)


def _largest(z: Floats) -> Counts:
    largest: Counts = np.argpartition(-z, _SUSPECTS)[:_SUSPECTS]
    return largest


def clumped_tail(count: int, mean: float, again: float) -> float:
    """Return the chance of at least `count` events, if each brings another with chance `again`.

    The clumps have Poisson's law and a geometric size (Pólya and Aeppli): a value that has met
    itself at a lag may meet itself again after the same lag.
    """
    if count <= 0:
        return 1.0
    rate = mean * (1 - again)
    chances = [float(np.exp(-rate))]
    tail, k = 0.0, 0
    while True:
        k += 1
        sizes = np.arange(1, k + 1)
        terms = sizes * (1 - again) * again ** (sizes - 1.0) * np.array(chances[::-1])
        chances.append(rate / k * float(terms.sum()))
        if chances[-1] == 0 and k > mean:  # below the smallest float, and so are all later terms
            return min(1.0, tail)
        if k >= count:
            tail += chances[-1]
            if k > 2 * mean + 20 and chances[-1] <= tail * 1e-15:
                return min(1.0, tail)
