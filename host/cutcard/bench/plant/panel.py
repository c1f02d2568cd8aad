"""A model of a controller's panel: at each table a button with a lamp and a display, and one panel.

A display says what it shows whenever that changes, as a reading on its own line: four bytes,
least first. It can be broken, and it can show something else than it was told.
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
SHOWING = 40  # ms until a display has changed and said so
SCREENS = ("meter", "panel")
_FIRST_LINE = {"meter": METER, "panel": PANEL}


@dataclass
class Screen:
    """A bonus display, or a table's line on the control panel."""

    amount: int = BLANK
    broken: bool = False  # dark and silent
    fixed: int | None = None  # shows this whatever it is told


class Panel(Works):
    SENSOR_NAMES = CONTROLLER_SENSORS
    STEPS = ("press", "show")

    def __init__(self, machine: Machine, seed: str) -> None:
        super().__init__(machine, seed, LAMP + TABLES)
        self.tables = machine.whole("tables.most")
        self._power = 0  # counts the times that it went, as displays forget what they were told
        self.screens = {(n, s): Screen() for n in range(1, self.tables + 1) for s in SCREENS}

    # what the firmware does

    def drive(self, actuator: int, value: int) -> None:
        self.driven[actuator] = value

    def show(self, table: int, amount: int) -> None:
        self._later(0, partial(self.step, "show"))
        for name in SCREENS:
            self._later(SHOWING, partial(self._show_on, table, name, amount))

    def power_off(self) -> None:
        """The displays lose their supply and go dark."""
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

    # what a person does

    def press(self, table: int, milliseconds: int = PRESS) -> None:
        """Press a button now, and release it after a while."""
        button = BUTTON + table - 1
        self.sensors.set(button, 1)
        self.timeline.after(milliseconds, lambda: self.sensors.set(button, 0))
        self.step("press")

    def set_screen(self, table: int, name: str, amount: int) -> None:
        """Fix what a display shows, whatever it is told."""
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
