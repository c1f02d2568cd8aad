"""The base of every machine model, with cards or without: time, sensor lines and steps."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import ClassVar

from cutcard.bench.plant.sensors import Sensors
from cutcard.bench.plant.timeline import Timeline
from cutcard.machines import Machine


class Works:
    """The mechanics: the firmware acts only by `drive` and `show`, and reads only `sensors`.

    The rest is for the person at the bench, who may see and change everything.
    """

    SENSOR_NAMES: ClassVar[tuple[str, ...]]
    STEPS: ClassVar[tuple[str, ...]]

    def __init__(self, machine: Machine, seed: str, actuators: int) -> None:
        self.machine = machine
        self.seed = seed
        self.timeline = Timeline()
        self.sensors = Sensors(self.timeline, Random(f"{seed}/sensors"))
        self.driven = [0] * actuators
        self.counts = dict.fromkeys(self.STEPS, 0)
        self._armed: list[tuple[str, int, Callable[[], None]]] = []

    def drive(self, actuator: int, value: int) -> None:
        raise NotImplementedError

    def show(self, table: int, amount: int) -> None:
        """Do nothing: this machine has no displays."""

    def power_off(self) -> None:
        """Set every actuator to zero, and disconnect the sensors."""
        for actuator in range(len(self.driven)):
            if self.driven[actuator]:
                self.drive(actuator, 0)
        self.sensors.edges.clear()

    def step(self, name: str) -> None:
        """Count one more step; run the actions that waited for it."""
        self.counts[name] += 1
        if self._armed:
            due = [row for row in self._armed if row[0] == name and self.counts[name] >= row[1]]
            for row in due:
                self._armed.remove(row)
                row[2]()

    def arm(self, step: str, after: int, action: Callable[[], None]) -> None:
        """Run `action` after `after` more of these steps."""
        self._armed.append((step, self.counts[step] + after, action))

    @property
    def armed(self) -> bool:
        """Return whether an action waits for a step."""
        return bool(self._armed)

    def set_door(self, is_open: bool) -> None:
        self.sensors.set(self.SENSOR_NAMES.index("door"), int(is_open))
