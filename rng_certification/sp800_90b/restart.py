"""Restart tests (3.1.4): whether the noise after a start is as good as later in a run.

The data is a thousand starts with the first thousand samples of each, one row per start. Samples
that are equal after every start form a column, and are detected only there.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
from scipy.special import bdtrc

from rng_certification.base.laws import of_many
from rng_certification.sp800_90b.assessment import Assessment, assess_literally
from rng_certification.sp800_90b.samples import Samples

STARTS = 1000
EACH = 1000
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Restarts:
    claimed: float  # the initial estimate H_I for the comparison with restarts
    commonest: int  # the largest count of one value in any row or column
    bound: int  # the largest allowed value of that count
    p: float  # the chance that a source of that entropy reaches it
    rows: Assessment
    columns: Assessment

    @property
    def sane(self) -> bool:
        return self.commonest <= self.bound

    @property
    def validated(self) -> bool:
        """Return whether rows and columns have at least half of the first estimate."""
        return min(self.rows.original, self.columns.original) >= self.claimed / 2

    @property
    def entropy(self) -> float:
        """The credited entropy of the source: 0 if either check failed."""
        if not (self.sane and self.validated):
            return 0.0
        return min(self.rows.original, self.columns.original, self.claimed)


def restart_tests(samples: Samples, claimed: float) -> Restarts:
    """Run the restart tests. Raises ValueError without a thousand samples of a thousand starts."""
    if len(samples) != STARTS * EACH:
        raise ValueError(f"{len(samples)} samples are not {EACH} of each of {STARTS} starts")
    rows = samples.raw.reshape(STARTS, EACH)
    columns = Samples(np.ascontiguousarray(rows.T).ravel(), samples.bits)
    commonest = max(_commonest(samples), _commonest(columns))
    tail = _tail(commonest, claimed)
    return Restarts(
        claimed,
        commonest,
        sanity_bound(claimed),
        of_many(tail, STARTS + EACH),
        assess_literally(samples),
        assess_literally(columns),
    )


def _commonest(samples: Samples) -> int:
    """Return the largest count of any value in any row."""
    places = np.arange(len(samples)) // EACH << samples.bits
    return int(np.bincount(places + samples.raw).max())


def sanity_bound(claimed: float) -> int:
    """Return the largest count of one value in a thousand for a source of that entropy.

    NIST's tool simulates this bound; here it is computed. As many values as possible have the
    largest chance that the claim allows, and any of them may reach the count.
    """
    alpha = 1 - float(CONFIDENCE ** (1 / (STARTS + EACH)))
    return next(count for count in range(EACH + 1) if _tail(count + 1, claimed) <= alpha)


def _tail(count: int, claimed: float) -> float:
    """Return the chance that a most likely value occurs at least this often in a thousand."""
    chance: float = 2.0**-claimed
    likeliest = floor(1 / chance)
    if count > EACH:
        return 0.0
    one = float(bdtrc(count - 1, EACH, chance)) if count else 1.0
    return min(1.0, likeliest * one)
