"""Bins, shelves or slots, and the wheel or lift that brings one of them to the feeder."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.sensors import Sensors
from cutcard.bench.plant.timeline import Event, Timeline
from cutcard.machines.legs import leg_ms
from cutcard_firmware.core.devices.sensors import HALF, HOME, SLOT, SLOWLY

HOME_DWELL = 60  # ms that bin 0 can be seen at the feeder during homing
SLOW = 3  # duration of a slow search for home, in multiples of one at full speed
SQUEEZE = 2  # cards beyond its capacity that a bin takes before the entry jams


class Bins:
    """Bins in the positions of the motor: one for each bin, two for each shelf (on top,
    underneath)."""

    def __init__(
        self,
        timeline: Timeline,
        sensors: Sensors,
        chance: Random,
        mechanism: str,
        count: int,
        capacity: int,
        turn_ms: int,
        steps_bin: int,
        step: Callable[[str], None],
        stands: Callable[[], None],
    ) -> None:
        self._timeline = timeline
        self._sensors = sensors
        self._chance = chance
        self._step = step
        self._stands = stands  # called when a turn has ended by itself
        self.shelves = mechanism == "shelves"
        self.capacity = capacity
        self.turn_ms = turn_ms
        self.steps_bin = steps_bin
        self.positions = 2 * count if self.shelves else count
        self.cells: list[list[PlayingCard]] = [[] for _ in range(count)]
        self.held: set[int] = set()  # bins that do not release their cards
        self.position = 0
        self.between = False  # half a bin further
        self.stuck = False  # the wheel does not turn again until cleared
        self.sticking = ""  # the fault of the next turn: "stuck", "short" or "slip"
        self._event: Event | None = None
        self._asked = 0  # half bins
        self._half_bin = turn_ms / 2  # ms, of the current turn
        self._began = 0
        self._homing = False
        sensors.set(HOME, 1)

    @property
    def moving(self) -> bool:
        return self._event is not None

    @property
    def here(self) -> int:
        """Return the bin (shelf, slot) at the feeder."""
        return self.position // 2 if self.shelves else self.position

    # Cards

    def takes(self) -> bool:
        return (
            not self.moving
            and not self.between
            and len(self.cells[self.here]) < self.capacity + SQUEEZE
        )

    def receive(self, card: PlayingCard) -> None:
        cell = self.cells[self.here]
        if self.shelves and self.position % 2 == 0:
            cell.insert(0, card)
        else:
            cell.append(card)

    def offers(self) -> bool:
        still = not self.moving and not self.between
        return still and self.here not in self.held and bool(self.cells[self.here])

    def release(self) -> PlayingCard:
        return self.cells[self.here].pop(0)

    # Movement

    def turn(self, value: int) -> None:
        """Move by this many bins, or half bins; 0 stops the wheel."""
        self._stop()
        if value == 0:
            return
        leg, number = divmod(abs(value), HALF)
        unit = 1 if leg else 2  # half bins
        way = 1 if value > 0 else -1
        takes = leg_ms(number, self.steps_bin, self.turn_ms) if leg else number * self.turn_ms
        self._step("turn")
        self._asked = way * number * unit
        if self.stuck:
            return
        going = number
        if self.sticking in ("stuck", "short"):
            going = int(self._chance.random() * number)
        slips = 2 if self.sticking == "slip" else 0
        self._set_off()
        self._half_bin = takes / abs(self._asked)
        reported = number if slips else going
        self._event = self._timeline.after(
            takes, lambda: self._arrive(way * going * unit + slips, reported, self.sticking)
        )

    def _arrive(self, halves: int, reported: int, fault: str) -> None:
        self._event = None
        self._stands()
        self._move(halves)
        if fault == "stuck":
            self.stuck = True
        else:
            self._sensors.report(SLOT, reported & 255)
        if fault:
            self.sticking = ""

    def home(self, value: int) -> None:
        """Search for bin 0, fast (1) or SLOWLY; 0 stops the wheel."""
        self._stop()
        if value and not self.stuck:
            self._homing = True
            self._half_bin = self.turn_ms / 2 * (SLOW if value == SLOWLY else 1)
            self._began = self._timeline.now
            if self._at_home:
                self._event = self._timeline.after(HOME_DWELL, self._pass_home)
            else:
                self._pass_home()

    def _pass_home(self) -> None:
        self._set_off()
        left = (self.positions - self.position) or self.positions
        self._event = self._timeline.after(int(left * 2 * self._half_bin), self._reach_home)

    def _reach_home(self) -> None:
        self._event = None
        self.position, self.between = 0, False
        self._sensors.set(HOME, 1)
        self._event = self._timeline.after(HOME_DWELL, self._pass_home)

    def _set_off(self) -> None:
        self._began = self._timeline.now
        self._sensors.set(HOME, 0)

    def _stop(self) -> None:
        """Stop at the last bin that was reached."""
        if self._event is not None:
            self._timeline.cancel(self._event)
            self._event = None
            passed = int((self._timeline.now - self._began) / self._half_bin)
            passed -= passed % 2
            if not self._sensors.levels[HOME]:
                self._move(passed if self._homing or self._asked > 0 else -passed)
        self._homing = False

    def _move(self, halves: int) -> None:
        at = 2 * self.position + self.between + halves
        self.position, self.between = at // 2 % self.positions, bool(at % 2)
        self._sensors.set(HOME, int(self._at_home))

    @property
    def _at_home(self) -> bool:
        return self.position == 0 and not self.between
