"""A model of a ring oscillator's random bit: good (slightly biased) or broken.

The chip's own random bytes are here, too; they come from this computer.
"""

from __future__ import annotations

import secrets
from random import Random

GOOD = 0.515  # probability of a 1 for a good oscillator
MODES = ("good", "stuck", "biased", "periodic")


class BenchNoise:
    """Noise, deterministic from its seed. A sample is one byte, 0 or 1."""

    def __init__(self, seed: str) -> None:
        self._chance = Random(f"{seed}/noise")
        self._period = b"\0\1"
        self._at = 0
        self.taken = 0
        self.set("good")
        self.changed = False  # since samples were last taken in advance

    def set(self, mode: str, value: float | None = None) -> None:
        """Set the mode: `stuck` at 0 or 1; `biased` to 1 with a probability; `periodic` with a
        period."""
        if mode == "good":
            ones = GOOD
        elif mode == "stuck":
            ones = float(bool(value))
        elif mode == "biased":
            ones = 0.9 if value is None else value
            if not 0 <= ones <= 1:
                raise ValueError(f"{value} is no probability: use 0 to 1")
        elif mode == "periodic":
            length = int(value or 4)
            if not 2 <= length <= 4096:
                raise ValueError(f"{length} samples are no period: use 2 to 4096")
            self._period = bytes(i < length // 2 for i in range(length))
            self._at = 0
            ones = 0.5
        else:
            raise ValueError(f"{mode!r} is no state of the noise: use {', '.join(MODES)}")
        self.mode = mode
        self.changed = True
        threshold = round(ones * 256)
        self._samples = bytes(value < threshold for value in range(256))

    def take(self, count: int) -> bytes:
        self.taken += count
        if self.mode == "periodic":
            length = len(self._period)
            turns = (self._at + count) // length + 1
            samples = (self._period * turns)[self._at : self._at + count]
            self._at = (self._at + count) % length
            return samples
        return self._chance.randbytes(count).translate(self._samples)


class Chance:
    """A replacement for `os.urandom` on a board, for the numbers in handshakes.

    It does not depend on the seed of a bench: numbers sent once must not be repeated by a restart.
    A fixed one is the same in each recording, and is only for tests.
    """

    MODES = ("fresh", "fixed")

    def __init__(self) -> None:
        self._fixed: Random | None = None

    def set(self, mode: str) -> None:
        self._fixed = Random("fixed") if mode == "fixed" else None

    def take(self, count: int) -> bytes:
        return self._fixed.randbytes(count) if self._fixed else secrets.token_bytes(count)
