"""Bins, shelves or slots, and the wheel or lift that brings one of them to the feeder."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from cutcard.bench.plant.cards import PlayingCard
from cutcard.bench.plant.sensors import Sensors
from cutcard.bench.plant.timeline import Event, Timeline
from cutcard_firmware.core.sensors import HASTE, HOME, SLOT

HOME_DWELL = 60  # ms that bin 0 can be seen at the feeder while homing goes on
SQUEEZE = 2  # so many cards more than its capacity a bin takes before the entry jams


class Bins:
    """Positions are what the motor counts: one a bin, two a shelf (on top, underneath)."""

    def __init__(
        self,
        timeline: Timeline,
        sensors: Sensors,
        chance: Random,
        mechanism: str,
        count: int,
        capacity: int,
        turn_ms: int,
        every_turn_ms: int,
        step: Callable[[str], None],
    ) -> None:
        self._timeline = timeline
        self._sensors = sensors
        self._chance = chance
        self._step = step
        self.shelves = mechanism == "shelves"
        self.capacity = capacity
        self.turn_ms = turn_ms
        self.every_turn_ms = every_turn_ms  # however far it goes; 0: as far as it goes
        self.positions = 2 * count if self.shelves else count
        self.cells: list[list[PlayingCard]] = [[] for _ in range(count)]
        self.held: set[int] = set()  # bins that do not let their cards go
        self.position = 0
        self.stuck = False  # the wheel does not turn on its own again until cleared
        self.sticking = ""  # what the next turn does wrong: "stuck", "short" or "slip"
        self._event: Event | None = None
        self._asked = 0
        self._a_bin = turn_ms  # of the turn under way
        self._began = 0
        self._homing = False
        sensors.set(HOME, 1)

    @property
    def moving(self) -> bool:
        return self._event is not None

    @property
    def here(self) -> int:
        """The bin (shelf, slot) at the feeder."""
        return self.position // 2 if self.shelves else self.position

    # cards

    def takes(self) -> bool:
        return not self.moving and len(self.cells[self.here]) < self.capacity + SQUEEZE

    def receive(self, card: PlayingCard) -> None:
        cell = self.cells[self.here]
        if self.shelves and self.position % 2 == 0:
            cell.insert(0, card)
        else:
            cell.append(card)

    def offers(self) -> bool:
        return not self.moving and self.here not in self.held and bool(self.cells[self.here])

    def release(self) -> PlayingCard:
        return self.cells[self.here].pop(0)

    # movement

    def turn(self, value: int) -> None:
        """Move on by so many bins, in haste or not; 0 stops where the wheel is."""
        self._stop()
        if value == 0:
            return
        hasty, bins = divmod(abs(value), HASTE)
        bins = bins if value > 0 else -bins
        takes = (self.every_turn_ms or abs(bins) * self.turn_ms) // (1 + hasty)
        self._step("turn")
        self._asked = bins
        if self.stuck:
            return
        going = bins
        if self.sticking in ("stuck", "short"):
            going = int(self._chance.random() * abs(bins)) * (1 if bins > 0 else -1)
        elif self.sticking == "slip":
            going = bins + 1
        self._set_off()
        self._a_bin = max(1, takes // abs(bins))
        self._event = self._timeline.after(takes, lambda: self._arrive(going, self.sticking))

    def _arrive(self, bins: int, fault: str) -> None:
        self._event = None
        self._move(bins)
        if fault == "stuck":
            self.stuck = True
        else:
            self._sensors.report(SLOT, abs(self._asked if fault == "slip" else bins) & 255)
        if fault:
            self.sticking = ""

    def home(self, on: bool) -> None:
        self._stop()
        if on and not self.stuck:
            self._homing = True
            self._began = self._timeline.now
            if self.position == 0:
                self._event = self._timeline.after(HOME_DWELL, self._pass_home)
            else:
                self._pass_home()

    def _pass_home(self) -> None:
        self._set_off()
        left = (self.positions - self.position) or self.positions
        self._event = self._timeline.after(left * self.turn_ms, self._reach_home)

    def _reach_home(self) -> None:
        self._event = None
        self.position = 0
        self._sensors.set(HOME, 1)
        self._event = self._timeline.after(HOME_DWELL, self._pass_home)

    def _set_off(self) -> None:
        self._began = self._timeline.now
        self._sensors.set(HOME, 0)

    def _stop(self) -> None:
        """Stand still at the last bin that was reached."""
        if self._event is not None:
            self._timeline.cancel(self._event)
            self._event = None
            a_bin = self.turn_ms if self._homing else self._a_bin
            passed = (self._timeline.now - self._began) // a_bin
            if not self._sensors.levels[HOME]:
                self._move(passed if self._homing or self._asked > 0 else -passed)
        self._homing = False

    def _move(self, bins: int) -> None:
        self.position = (self.position + bins) % self.positions
        self._sensors.set(HOME, int(self.position == 0))
