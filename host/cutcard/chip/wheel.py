"""The carousel's wheel, driven by a stepper's pulses."""

from __future__ import annotations

from typing import Any

from cutcard.bench.plant.bins import Bins
from cutcard_firmware.core.devices.sensors import HOME

FLAG = 4  # steps for which the home sensor sees the flag: less than a bin


class Wheel(Bins):
    """The wheel. Call `turn(1)` when pulses begin, `turn(0)` when they end, and `pulse` in
    between."""

    def __init__(self, *parts: Any, **sizes: Any) -> None:
        super().__init__(*parts, **sizes)
        self.at = 0  # steps from home
        self._turning = False
        self._lost = 0  # pulses that the wheel will not follow
        self._blocks_in = -1

    @property
    def moving(self) -> bool:
        return self._turning

    def stand_at(self, position: int) -> None:
        self.position = position
        self.at = position * self.steps_bin
        self._see()

    def turn(self, bins: int) -> None:
        if bind := bool(bins):
            self._turning = bind
        elif self._turning:
            self._turning = False
            around = self.positions * self.steps_bin
            self.position = round((self.at % around) / self.steps_bin) % self.positions

    def counted(self) -> None:
        """Start a turn to a bin, not a search for home: a prepared fault now occurs."""
        self._step("turn")
        fault, self.sticking = self.sticking, ""
        if fault == "stuck":
            self._blocks_in = int(self._chance.random() * self.steps_bin)
        elif fault == "short":
            self._lost = self.steps_bin
        elif fault == "slip":
            self.at += self.steps_bin

    def pulse(self, direction: int) -> None:
        if self._blocks_in >= 0:
            self._blocks_in -= 1
            self.stuck = self._blocks_in < 0
        if self.stuck:
            return
        if self._lost:
            self._lost -= 1
            return
        self.at += direction
        self._see()

    @property
    def unseen_steps(self) -> int:
        """Return the number of pulses until the home sensor can change, in either direction.

        One if the wheel may block.
        """
        if self._blocks_in >= 0:
            return 1
        around = self.positions * self.steps_bin
        at = self.at % around
        ahead, back = (FLAG - at, at + 1) if at < FLAG else (around - at, at - FLAG + 1)
        return min(ahead, back) + self._lost

    def _see(self) -> None:
        around = self.positions * self.steps_bin
        self._sensors.set(HOME, int(self.at % around < FLAG))
