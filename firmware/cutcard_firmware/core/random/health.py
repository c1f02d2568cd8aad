"""The continuous health tests of SP 800-90B section 4.4 on raw noise samples.

A sample is one byte, below `alphabet`. The cutoffs are integers worked out when a machine
file is compiled (`cutcard.machines.entropy`), where the binomial tail is cheap.
"""

from array import array

from ..byte_ops import tested

REPETITION_COUNT = "repetition-count"
ADAPTIVE_PROPORTION = "adaptive-proportion"
_TESTS = ("", REPETITION_COUNT, ADAPTIVE_PROPORTION)  # as `tested` numbers them
_OUTSIDE = 3


class NoiseFailure(Exception):
    """The source failed the test named; no output until `restart` passes."""


class HealthTests:
    """Every sample ever taken from a noise source passes through `test`, in order."""

    def __init__(
        self, repetition_cutoff: int, proportion_cutoff: int, window: int = 1024, alphabet: int = 2
    ):
        if repetition_cutoff < 2 or not 2 <= proportion_cutoff <= window:
            raise ValueError("cutoffs must be at least 2 and the proportion's within its window")
        self._limits = (repetition_cutoff, proportion_cutoff, window, alphabet)
        self.reset()

    def reset(self) -> None:
        """Forget all samples and any failure, for a start-up test."""
        self.failed = ""
        self._tally = array("i", (-1, 0, -1, 0, 0) + self._limits)  # no sample repeats, or is first

    def test(self, samples: bytearray) -> bool:
        """Whether all samples passed; if not, `failed` names the test, and stays."""
        if self.failed:
            return False
        found = tested(samples, len(samples), self._tally)
        if found == _OUTSIDE:
            raise ValueError("noise sample outside the alphabet")
        self.failed = _TESTS[found]
        return not found
