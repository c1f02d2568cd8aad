"""The parts combined into one machine, according to its machine file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from cutcard.bench.plant.bins import Bins
from cutcard.bench.plant.cards import CUTTING, PlayingCard, Printer
from cutcard.bench.plant.listener import Listener
from cutcard.bench.plant.mouth import Mouth
from cutcard.bench.plant.passage import Passage
from cutcard.bench.plant.supply import Supply, chute, stack
from cutcard.bench.plant.works import Works
from cutcard.machines import Machine
from cutcard_firmware.core.devices.sensors import (
    ACTUATORS,
    CUT,
    EJECT,
    ENTRY,
    EXIT,
    FEED,
    HOMING,
    MOUTH,
    SENSORS,
    STALL,
    TRAY,
    TURN,
)

MOTORS = {"feed": (FEED,), "turn": (TURN, HOMING), "eject": (EJECT,)}
FIRST_FEED, FEED_GAP = 60, 60  # ms
FIRST_EJECT, EJECT_GAP = 100, 40  # ms
CHUTE_SPARE = 4  # cards that fit into the chute beyond its high mark and one more bin


class Plant(Works):
    """A shuffler or a shoe, with every card in it."""

    SENSOR_NAMES = SENSORS
    STEPS = ("feed", "enter", "turn", "eject", "exit", "draw")

    def __init__(self, machine: Machine, seed: str, bins: type[Bins] = Bins) -> None:
        super().__init__(machine, seed, ACTUATORS)
        self.printer = Printer()
        self.stalls: set[str] = set()
        self.tray: list[PlayingCard] = []
        self.pocket: list[PlayingCard] = []  # stolen cards, unseen by every sensor
        self.is_shoe = machine.kind == "shoe"
        self.pointer = 0  # the depth shown by a shoe's pointer, if it has one that turns
        self.supply = self._make_supply()
        self.mouth = Mouth(
            self.timeline, self.sensors, Random(f"{seed}/hand"), self.supply, self.step
        )
        self.bins = bins(
            self.timeline,
            self.sensors,
            Random(f"{seed}/bins"),
            mechanism=machine.mechanism,
            count=max(1, machine.whole("bins.count")),
            capacity=machine.whole("bins.capacity"),
            turn_ms=machine.whole("timing.turn_bin"),
            steps_bin=machine.whole("motor.steps_bin"),
            step=self.step,
            stands=self._stands,
        )
        self.listener = Listener(
            self.timeline, Random(f"{seed}/ear"), machine.whole("motor.steps_bin")
        )
        self.entry = self._make_entry()
        self.exit = self._make_exit()
        self._drives: tuple[Callable[[int], None], ...] = (
            self._drive_feed,
            self._drive_turn,
            self._drive_homing,
            self._drive_eject,
            self._drive_gate,
            self._show_light,
            self._point_cut,
            self._point_place,
        )

    def _make_supply(self) -> Supply:
        if self.is_shoe:
            return stack(self.sensors, self.machine.whole("bins.capacity"))
        room = self.machine.most_cards
        if self.machine.continuous:
            whole = self.machine.whole
            room = whole("chute.high") + whole("bins.capacity") + CHUTE_SPARE
        return chute(self.sensors, room)

    def _make_entry(self) -> Passage:
        return Passage(
            self.timeline,
            self.sensors,
            Random(f"{self.seed}/entry"),
            sensor=ENTRY,
            first=FIRST_FEED,
            gap=FEED_GAP,
            offers=self._has_tray,
            take=self._take_from_tray,
            fits=self.bins.takes,
            land=self.bins.receive,
            began=partial(self.step, "feed"),
            ended=partial(self.step, "enter"),
        )

    def _make_exit(self) -> Passage:
        passage = Passage(
            self.timeline,
            self.sensors,
            Random(f"{self.seed}/exit"),
            sensor=EXIT,
            first=FIRST_EJECT,
            gap=EJECT_GAP,
            offers=self.bins.offers,
            take=self.bins.release,
            fits=self.supply.has_room,
            land=self._land_in_chute,
            began=partial(self.step, "eject"),
            ended=partial(self.step, "exit"),
        )
        passage.works_loose = True
        return passage

    def _stands(self) -> None:
        self.listener.hear(TURN, 0)

    def _drive_gate(self, value: int) -> None:
        self.mouth.drive_gate(value == 1)

    def _show_light(self, value: int) -> None:
        """Do nothing: the light is only for the eye."""

    def _has_tray(self) -> bool:
        return bool(self.tray)

    def _take_from_tray(self) -> PlayingCard:
        card = self.tray.pop(0)
        self.look_at_tray()
        return card

    def _land_in_chute(self, card: PlayingCard) -> None:
        self.supply.add((card,))
        self.mouth.look()

    # Actions of the firmware

    def drive(self, actuator: int, value: int) -> None:
        if actuator < ACTUATORS:
            self.driven[actuator] = value
            self.listener.hear(actuator, value)
            self._drives[actuator](value)
            if self.stalls:
                self._look_for_stall()

    def _drive_feed(self, value: int) -> None:
        self.entry.drive(value == 1)

    def _drive_eject(self, value: int) -> None:
        self.exit.drive(value == 1)

    def _drive_turn(self, bins: int) -> None:
        if "turn" not in self.stalls:
            self._shear(bins)
            self.bins.turn(bins)

    def _drive_homing(self, value: int) -> None:
        if "turn" not in self.stalls:
            self._shear(value)
            self.bins.home(value)

    def _shear(self, moving: int) -> None:
        """Catch the card that is half way in or out of a moving wheel."""
        if moving:
            for passage in (self.entry, self.exit):
                if passage.inside:
                    passage.jam()

    def _point_cut(self, depth: int) -> None:
        if depth > 0 and self.mouth.hand:
            self.supply.cut(depth)

    def _point_place(self, depth: int) -> None:
        if depth > 0 and self.mouth.hand:
            self.place_cutting_card(depth)

    # Events from outside

    def stall(self, motor: str, stalled: bool) -> None:
        (self.stalls.add if stalled else self.stalls.discard)(motor)
        if motor == "feed":
            self.entry.stall(stalled)
        elif motor == "eject":
            self.exit.stall(stalled)
        elif stalled:
            self.bins.turn(0)
        self._look_for_stall()

    def _look_for_stall(self) -> None:
        stalled = any(self.driven[actuator] for motor in self.stalls for actuator in MOTORS[motor])
        self.sensors.set(STALL, int(stalled))

    def look_at_tray(self) -> None:
        if not self.is_shoe:
            self.sensors.set(TRAY, int(bool(self.tray)))

    def look(self) -> None:
        """Update sensors, rollers and the hand after a person has moved cards."""
        self.look_at_tray()
        self.supply.look()
        self.mouth.look()
        self.entry.go_on()
        self.exit.go_on()

    def settle_sensors(self, levels: list[int]) -> None:
        """Restore stored levels, with a free mouth: for a plant that is set up again."""
        for sensor, level in enumerate(levels):
            self.sensors.set(sensor, 0 if sensor in (MOUTH, CUT) else level)
        self.look()

    def put(self, cards: list[PlayingCard]) -> None:
        """Put cards at the back of the stack, or underneath those in the tray."""
        if self.is_shoe:
            self.supply.add(cards)
        else:
            self.tray.extend(cards)
        self.look()

    def place_cutting_card(self, depth: int) -> None:
        """Put an available or new cutting card into the stack."""
        for lying in (self.mouth.outside, self.pocket):
            for card in lying:
                if card.cutting:
                    lying.remove(card)
                    self.supply.place(card, depth)
                    return
        self.supply.place(self.printer.card(CUTTING), depth)
        self.mouth.look()

    # Positions

    def places(self) -> dict[str, list[PlayingCard]]:
        """Return every place of the machine with its cards. Bins are `bin 0`, `bin 1` ..."""
        found = {
            "tray": self.tray,
            "entry": self.entry.inside,
            "exit": self.exit.inside,
            "stack" if self.is_shoe else "chute": self.supply.cards,
            "mouth": self.mouth.passing,
            "outside": self.mouth.outside,
            "pocket": self.pocket,
        }
        if not self.is_shoe:
            for number, cell in enumerate(self.bins.cells):
                found[f"bin {number}"] = cell
        return found
