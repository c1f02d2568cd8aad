"""A model of a controller's panel: at each table a button with a lamp and a display, and one panel.

A display reports its amount at each change, as a reading on its own line: four bytes, least first.
It can be broken, and it can show another amount than it was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from cutcard.bench.plant.works import Works
from cutcard.machines import Machine
from cutcard.machines.schema import CONTROLLER_SENSORS
from cutcard_firmware.core.devices.sensors import BUTTON, LAMP, METER, PANEL, TABLES
from cutcard_firmware.core.schema.messages import BLANK

PRESS = 120  # ms that a finger stays on a button
SHOWING = 40  # ms until a display has changed and reported it
SCREENS = ("meter", "panel")
_FIRST_LINE = {"meter": METER, "panel": PANEL}


@dataclass
class Screen:
    """A bonus display, or a table's line on the control panel."""

    amount: int = BLANK
    broken: bool = False  # dark and silent
    fixed: int | None = None  # shows this amount, regardless of its commands


class Panel(Works):
    SENSOR_NAMES = CONTROLLER_SENSORS
    STEPS = ("press", "show")

    def __init__(self, machine: Machine, seed: str) -> None:
        super().__init__(machine, seed, LAMP + TABLES)
        self.tables = machine.whole("tables.most")
        self._power = 0  # number of power failures; displays forget their amounts then
        self.screens = {(n, s): Screen() for n in range(1, self.tables + 1) for s in SCREENS}

    # Actions of the firmware

    def drive(self, actuator: int, value: int) -> None:
        self.driven[actuator] = value

    def show(self, table: int, amount: int) -> None:
        self._later(0, partial(self.step, "show"))
        for name in SCREENS:
            self._later(SHOWING, partial(self._show_on, table, name, amount))

    def power_off(self) -> None:
        """Cut the supply of the displays: they go dark."""
        super().power_off()
        self._power += 1
        for screen in self.screens.values():
            screen.amount = BLANK

    def _later(self, milliseconds: int, action: Callable[[], None]) -> None:
        power = self._power
        self.timeline.after(milliseconds, lambda: action() if power == self._power else None)

    def _show_on(self, table: int, name: str, amount: int) -> None:
        screen = self.screens[table, name]
        if not screen.broken:
            screen.amount = amount if screen.fixed is None else screen.fixed
            line = _FIRST_LINE[name] + table - 1
            for byte in screen.amount.to_bytes(4, "little"):
                self.sensors.report(line, byte)

    # Actions of a person

    def press(self, table: int, milliseconds: int = PRESS) -> None:
        """Press a button now, and release it after a while."""
        button = BUTTON + table - 1
        self.sensors.set(button, 1)
        self.timeline.after(milliseconds, lambda: self.sensors.set(button, 0))
        self.step("press")

    def set_screen(self, table: int, name: str, amount: int) -> None:
        """Fix the amount of a display, regardless of its commands."""
        self.screens[table, name].fixed = amount
        self._show_on(table, name, amount)

    def break_screen(self, table: int, name: str) -> None:
        screen = self.screens[table, name]
        screen.broken, screen.amount = True, BLANK

    def mend_screen(self, table: int, name: str) -> None:
        self.screens[table, name].broken = False
        self.screens[table, name].fixed = None

    def lit(self, table: int) -> bool:
        return bool(self.driven[LAMP + table - 1])
