"""The continuous health tests of raw noise: two of SP 800-90B section 4.4, and one of lags.

A sample is one byte, 0 or 1. `docs/explanation/random-source.md` has the tests; the cutoffs are
integers computed when a machine file is compiled (`cutcard.machines.entropy`), where the binomial
tail is cheap.
"""

from ..byte_ops import new_tally, tested

REPETITION_COUNT = "repetition-count"
ADAPTIVE_PROPORTION = "adaptive-proportion"
LAG = "lag"
_TESTS = ("", REPETITION_COUNT, ADAPTIVE_PROPORTION, LAG)  # as `tested` numbers them
_NOT_A_BIT = 4
_WINDOW = 1024


class NoiseFailure(Exception):
    """The source failed the named test; it has no output until `restart` passes."""


class HealthTests:
    """Every sample ever taken from a noise source passes through `test`, in order."""

    def __init__(self, repetition_cutoff: int, proportion_cutoff: int, lag_cutoff: int):
        if repetition_cutoff < 2 or not 2 <= proportion_cutoff <= _WINDOW:
            raise ValueError("cutoffs must be at least 2 and the proportion's within its window")
        if not _WINDOW // 2 < lag_cutoff <= _WINDOW:
            raise ValueError("the lag test's cutoff must be more than half of its window")
        self._cutoffs = (repetition_cutoff, proportion_cutoff, lag_cutoff)
        self.reset()

    def reset(self) -> None:
        """Forget all samples and any failure, for a start-up test."""
        self.failed = ""
        self._tally = new_tally(*self._cutoffs)

    def test(self, samples: bytearray) -> bool:
        """Return whether all samples passed; if not, `failed` names the test, and stays set."""
        if self.failed:
            return False
        found = tested(samples, len(samples), self._tally)
        if found == _NOT_A_BIT:
            raise ValueError("noise sample is not 0 or 1")
        self.failed = _TESTS[found]
        return not found
