"""The sensor lines of a machine model: they bounce, and they can stick."""

from __future__ import annotations

from functools import partial
from random import Random

from cutcard.bench.plant.timeline import Timeline
from cutcard_firmware.core.devices.sensors import LEVELS

# Times of the bounces, in milliseconds after a change.
_BOUNCES: tuple[tuple[int, ...], ...] = ((), (0, 1), (1, 2), (1, 3), (0, 1, 1, 3), (1, 1, 2, 3))
Edge = tuple[int, int, int]  # time, sensor, value


class Sensors:
    """Sensor lines. `levels` are the true levels; `edges` are the changes until the firmware reads
    them."""

    def __init__(self, timeline: Timeline, chance: Random) -> None:
        self._timeline = timeline
        self._chance = chance
        self.levels = bytearray(LEVELS)
        self.lines = bytearray(LEVELS)
        self.stuck: dict[int, int] = {}
        self.edges: list[Edge] = []
        self.bouncing = True
        self._changes = [0] * LEVELS  # a newer change cancels the bounces of an older one

    def set(self, sensor: int, level: int) -> None:
        if self.levels[sensor] != level:
            self.levels[sensor] = level
            if sensor not in self.stuck:
                self._change(sensor, level)

    def report(self, sensor: int, value: int) -> None:
        self.edges.append((self._timeline.now, sensor, value))

    def stick(self, sensor: int, level: int) -> None:
        self.stuck[sensor] = level
        self._change(sensor, level)

    def release(self, sensor: int) -> None:
        if self.stuck.pop(sensor, None) is not None:
            self._change(sensor, self.levels[sensor])

    def _change(self, sensor: int, level: int) -> None:
        self._changes[sensor] += 1
        if self.lines[sensor] == level:
            return
        self._line(sensor, level)
        if self.bouncing:
            pattern = _BOUNCES[int(self._chance.random() * len(_BOUNCES))]
            change = self._changes[sensor]
            for turn, delay in enumerate(pattern):
                swung = level if turn & 1 else 1 - level
                self._timeline.after(delay, partial(self._bounce, sensor, change, swung))

    def _bounce(self, sensor: int, change: int, level: int) -> None:
        if change == self._changes[sensor]:
            self._line(sensor, level)

    def _line(self, sensor: int, level: int) -> None:
        if self.lines[sensor] != level:
            self.lines[sensor] = level
            self.edges.append((self._timeline.now, sensor, level))
