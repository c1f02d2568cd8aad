"""The continuous health tests of SP 800-90B section 4.4 on raw noise samples.

A sample is one byte, below `alphabet`. The cutoffs are integers worked out when a machine
file is compiled (`cutcard.machines.entropy`), where the binomial tail is cheap.
"""

REPETITION_COUNT = "repetition-count"
ADAPTIVE_PROPORTION = "adaptive-proportion"


class NoiseFailure(Exception):
    """The source failed the test named; no output until `restart` passes."""


class HealthTests:
    """Every sample ever taken from a noise source passes through `test`, in order."""

    def __init__(
        self, repetition_cutoff: int, proportion_cutoff: int, window: int = 1024, alphabet: int = 2
    ):
        if repetition_cutoff < 2 or not 2 <= proportion_cutoff <= window:
            raise ValueError("cutoffs must be at least 2 and the proportion's within its window")
        self._repetition_cutoff = repetition_cutoff
        self._proportion_cutoff = proportion_cutoff
        self._window = window
        self._alphabet = alphabet
        self.reset()

    def reset(self) -> None:
        """Forget all samples and any failure, for a start-up test."""
        self.failed = ""
        self._last = -1  # repetition count: the sample that repeats, and how often it did
        self._run = 0
        self._first = -1  # adaptive proportion: the window's first sample, how often it came
        self._count = 0
        self._seen = 0  # samples of the window so far

    def test(self, samples: bytearray) -> bool:
        """Whether all samples passed; if not, `failed` names the test, and stays."""
        if self.failed:
            return False
        if max(samples) >= self._alphabet:
            raise ValueError("noise sample outside the alphabet")
        last, run = self._last, self._run
        first, count, seen = self._first, self._count, self._seen
        for sample in samples:
            if sample == last:
                run += 1
                if run >= self._repetition_cutoff:
                    self.failed = REPETITION_COUNT
                    return False
            else:
                last = sample
                run = 1
            if seen == 0:
                first = sample
                count = 1
            elif sample == first:
                count += 1
                if count >= self._proportion_cutoff:
                    self.failed = ADAPTIVE_PROPORTION
                    return False
            seen += 1
            if seen == self._window:
                seen = 0
        self._last, self._run = last, run
        self._first, self._count, self._seen = first, count, seen
        return True
