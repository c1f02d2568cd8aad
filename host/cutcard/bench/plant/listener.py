"""A listener at the bench that hears motors and solenoids, and counts the steps of a motor.

It cannot hear the direction of a turn: a machine file states this with `sound.direction =
"hidden"`. Times are heard with an error of `accuracy` milliseconds.
"""

from __future__ import annotations

from collections import deque
from random import Random

from cutcard.bench.plant.timeline import Timeline
from cutcard_firmware.core.devices.sensors import EJECT, FEED, GATE, HALF, HOMING, TURN

NAMES = {FEED: "feed", TURN: "turn", HOMING: "homing", EJECT: "eject", GATE: "gate"}
MOST = 20_000  # sounds that are stored


class Listener:
    def __init__(self, timeline: Timeline, chance: Random, steps_bin: int) -> None:
        self._timeline, self._chance = timeline, chance
        self._steps_bin = steps_bin
        self._heard: deque[tuple[float, str, int]] = deque(maxlen=MOST)
        self._running: set[int] = set()
        self.on = False
        self.accuracy = 0.0
        self.counts_pulses = False  # a wheel is heard after its turn (`turned`), not before

    def hear(self, actuator: int, value: int) -> None:
        """Hear a motor start or stop.

        A motor at rest makes no sound when its current is switched off.
        """
        if self.counts_pulses and actuator == TURN:
            return
        stood = actuator not in self._running
        (self._running.add if value else self._running.discard)(actuator)
        if not self.on or actuator not in NAMES or (stood and not value):
            return
        if actuator == TURN and value:
            leg, number = divmod(abs(value), HALF)
            value = number * self._steps_bin // (2 if leg else 1)
        self._note(self._timeline.now, actuator, value)

    def turned(self, began: float, ended: float, steps: int, *, home: bool) -> None:
        """Hear the pulses of a wheel that has turned to a bin, or in search of home.

        On a board, only the pulses show the distance of a turn.
        """
        if self.on:
            self._note(began, HOMING if home else TURN, steps)
            self._note(ended, HOMING if home else TURN, 0)

    def _note(self, moment: float, actuator: int, value: int) -> None:
        error = self._chance.gauss(0, self.accuracy) if self.accuracy else 0
        self._heard.append((round(moment + error, 1), NAMES[actuator], value))

    def taken(self) -> list[tuple[float, str, int]]:
        """Return the sounds since the last request: time, name, and steps of a turn (else 1); 0 is
        a stop."""
        heard = list(self._heard)
        self._heard.clear()
        return heard
