"""The parts on the board's pins: the bench's mechanics, by levels, step pulses and UART frames.

Each kind of machine has its own. Outputs come in as they change (`output`), bytes of UART 1 as they
are sent (`hear`); `levels` and `frames` are the board's next inputs.
"""

from __future__ import annotations

from typing import Any

from cutcard.bench.plant import Panel, Plant, Works
from cutcard.chip.wheel import Wheel
from cutcard.machines import Machine
from cutcard_firmware.boards.rp2.checksum import crc8
from cutcard_firmware.core.devices.sensors import (
    EJECT,
    FEED,
    GATE,
    LAMP,
    LEVELS,
    LIGHT,
    METER,
    PANEL,
    READ,
    TABLES,
    TOGETHER,
    TURN,
)

LOW, HIGH = 0, 1  # states of a pin
FROM_READER = 0xCA
AT_ONE_MOMENT = 0x80
TO_DISPLAY, FROM_DISPLAY, OF_PANEL = 0xD5, 0xD6, 0x10
_DISPLAY_FRAME = 7
_LOOKS = 100  # milliseconds: after these, the longest wait of the firmware has ended visibly
_RAMP = 4  # period of the first pulses of a turn, in multiples of the period at full speed
_SEARCH = 3  # the same for a search for home
_STANDS = 1.5  # multiples of that without a pulse: the wheel is at rest, perhaps between two legs


class Wiring:
    """Lights and sensors, which every machine has."""

    def __init__(self, machine: Machine, works: Works) -> None:
        self.works = works
        self.pins = machine.pins["pico"]
        self.names = {gpio: name for name, gpio in self.pins.items()}
        timings = [value for key, value in machine.values.items() if key.startswith("timing.")]
        self.patience = 1000 * (max(map(int, timings)) + _LOOKS)  # microseconds
        self.high: dict[str, bool] = {}
        self._shown: dict[int, int] = {}
        self._sensors = {
            sensor: self.pins[name.replace("-", "_")]
            for sensor, name in enumerate(works.SENSOR_NAMES)
            if name.replace("-", "_") in self.pins
        }

    @property
    def unanswered(self) -> list[tuple[int, int]]:
        """Return the pins and states whose changes the machine does not react to.

        The board continues after such a change, and reports it later.
        """
        lights = ("light_ready", "light_fault")
        return [(self.pins[name], state) for name in lights for state in (LOW, HIGH)]

    @property
    def steps(self) -> tuple[int, int] | None:
        """Return a motor's pin, and the next pulse that the machine reacts to, counted from now.

        The board makes earlier pulses by itself, and reports them later.
        """
        return None

    def output(self, micros: float, gpio: int, state: int) -> None:
        """Handle a change of a pin. A pin that is now an input is kept low by its resistor."""
        name = self.names.get(gpio, "")
        level = state == HIGH
        if self.high.get(name, False) != level:
            self.high[name] = level
            self.changed(micros, name, level)

    def changed(self, micros: float, name: str, level: bool) -> None:
        if name in ("light_ready", "light_fault"):
            ready, fault = (self.high.get(f"light_{which}", False) for which in ("ready", "fault"))
            self.works.drive(LIGHT, ready | fault << 1)

    def all_low(self, micros: float) -> None:
        """Set all outputs low: the board was reset, or has no power."""
        for name in [name for name, level in self.high.items() if level]:
            self.high[name] = False
            self.changed(micros, name, False)

    def forget(self) -> None:
        """Forget the levels sent, for another board."""
        self._shown.clear()

    def seen(self) -> dict[str, Any]:
        """Return high outputs and the levels sent to the board, for a snapshot of it."""
        return {
            "high": [name for name, level in self.high.items() if level],
            "shown": list(self._shown.items()),
        }

    def see(self, micros: float, seen: dict[str, Any]) -> None:
        """Restore the state in `seen`."""
        for name in seen["high"]:
            self.high[name] = True
            self.changed(micros, name, True)
        self._shown = {int(gpio): level for gpio, level in seen["shown"]}

    @property
    def unseen(self) -> bool:
        """Return whether there are levels or frames not sent to the board yet."""
        return bool(self._changed_levels() or self.works.sensors.edges)

    def levels(self) -> list[tuple[int, int]]:
        """Return the changes of the sensors' pins since the last call."""
        changed = self._changed_levels()
        self._shown.update(changed)
        return changed

    def _changed_levels(self) -> list[tuple[int, int]]:
        lines = self.works.sensors.lines
        new = [(gpio, lines[s]) for s, gpio in self._sensors.items() if s < LEVELS]
        return [(gpio, level) for gpio, level in new if self._shown.get(gpio) != level]

    def pin_levels(self) -> dict[int, int]:
        """Return the level of every known pin: outputs of the board, and sensors as sent to it."""
        outputs = {self.pins[name]: int(level) for name, level in self.high.items() if name}
        return {**outputs, **self._shown}

    def frames(self) -> bytes:
        """Return the frames of reader or displays since the last call."""
        edges = self.works.sensors.edges
        said = [(sensor, value) for _, sensor, value in edges if sensor >= LEVELS]
        edges.clear()
        return self.encode(said) if said else b""

    def encode(self, said: list[tuple[int, int]]) -> bytes:
        raise NotImplementedError

    def hear(self, data: bytes) -> None:
        """Ignore the data: a reader receives no frames."""

    def pass_time(self, micros: float) -> None:
        """Let processes end that end by themselves after inactivity."""

    @property
    def drives(self) -> bool:
        """Return whether a motor has current. A gate does not count, because it may stay open
        forever."""
        return any(self.high.get(name) for name in ("feed", "eject", "turn_enable"))


class CardWiring(Wiring):
    """A gate and a reader, as in shufflers and shoes."""

    works: Plant

    def changed(self, micros: float, name: str, level: bool) -> None:
        super().changed(micros, name, level)
        actuator = {"feed": FEED, "eject": EJECT, "gate": GATE}.get(name)
        if actuator is not None:
            self.works.drive(actuator, int(level))

    def encode(self, said: list[tuple[int, int]]) -> bytes:
        """Encode the cards of one read as one frame."""
        codes = [value for sensor, value in said if sensor == READ]
        together = TOGETHER in codes
        codes = [code for code in codes if code != TOGETHER]
        if not codes:
            return b""
        return framed(FROM_READER, bytes([len(codes) | AT_ONE_MOMENT * together, *codes]))


class ShufflerWiring(CardWiring):
    """A wheel on a stepper."""

    def __init__(self, machine: Machine, works: Plant) -> None:
        super().__init__(machine, works)
        assert isinstance(works.bins, Wheel)
        self.wheel = works.bins
        self.wheel.stand_at(works.bins.position)
        self.period = machine.whole("timing.turn_bin") * 1000 / self.wheel.steps_bin
        self.stands_after = _STANDS * _RAMP * self.period
        works.listener.counts_pulses = True
        self._pulses = 0
        self._last = 0.0  # pulse, and the first: microseconds of the board
        self._first = 0.0
        self._began = 0.0  # the same on the machine's clock
        self._searches = True

    @property
    def unanswered(self) -> list[tuple[int, int]]:
        """Return the unanswered pins: a step is made when its pulse begins."""
        return [*super().unanswered, (self.pins["turn_step"], LOW)]

    @property
    def steps(self) -> tuple[int, int] | None:
        """Return the awaited pulse: the first two show the kind of the turn."""
        return self.pins["turn_step"], self.wheel.unseen_steps if self._pulses >= 2 else 1

    def changed(self, micros: float, name: str, level: bool) -> None:
        super().changed(micros, name, level)
        if name == "turn_step" and level and self.high.get("turn_enable"):
            self.pass_time(micros)
            self._pulse(micros)

    def _pulse(self, micros: float) -> None:
        self._pulses += 1
        if self._pulses == 1:
            self._first, self._began, self._searches = micros, self.works.timeline.now, True
            self.works.drive(TURN, 1)
        elif self._pulses == 2 and micros - self._last > (_RAMP + _SEARCH) / 2 * self.period:
            self._searches = False
            self.wheel.counted()
        self._last = micros
        if "turn" not in self.works.stalls:
            self.wheel.pulse(-1 if self.high.get("turn_direction") else 1)

    def pass_time(self, micros: float) -> None:
        if self._pulses and micros - self._last > self.stands_after:
            ended = self._began + (self._last - self._first) / 1000
            self.works.listener.turned(self._began, ended, self._pulses, home=self._searches)
            self._pulses = 0
            self.works.drive(TURN, 0)
            self.works.look()

    @property
    def drives(self) -> bool:
        return super().drives or bool(self._pulses)


class ShoeWiring(CardWiring):
    """A pointer on a stepper shows a depth.

    No wire shows the action of the hand there; the person knows it (`cut` and `place` without a
    depth).
    """

    def __init__(self, machine: Machine, works: Plant) -> None:
        super().__init__(machine, works)
        self.steps_card = machine.whole("motor.steps_card")
        self._most = (machine.whole("bins.capacity") + 1) * self.steps_card
        self._at = self._most // 2  # steps from its stop; unknown before a start

    @property
    def unanswered(self) -> list[tuple[int, int]]:
        step = self.pins["pointer_step"]
        return [*super().unanswered, (step, LOW), (step, HIGH)]

    def changed(self, micros: float, name: str, level: bool) -> None:
        super().changed(micros, name, level)
        if name == "pointer_step" and level:
            way = -1 if self.high.get("pointer_direction") else 1
            self._at = max(0, min(self._most, self._at + way))
            self.works.pointer = round(self._at / self.steps_card)

    def seen(self) -> dict[str, Any]:
        return {**super().seen(), "pointer": self._at}

    def see(self, micros: float, seen: dict[str, Any]) -> None:
        super().see(micros, seen)
        self._at = seen["pointer"]
        self.works.pointer = round(self._at / self.steps_card)


class PanelWiring(Wiring):
    """Lamps in the buttons, and one line to all displays."""

    works: Panel

    def __init__(self, machine: Machine, works: Panel) -> None:
        super().__init__(machine, works)
        self._heard = bytearray()
        self._amounts: dict[int, bytearray] = {}

    def changed(self, micros: float, name: str, level: bool) -> None:
        super().changed(micros, name, level)
        if name.startswith("lamp_"):
            self.works.drive(LAMP + int(name.removeprefix("lamp_")) - 1, int(level))

    def encode(self, said: list[tuple[int, int]]) -> bytes:
        """Encode each reading, four bytes of one display, as a frame."""
        frames = b""
        for sensor, value in said:
            amount = self._amounts.setdefault(sensor, bytearray())
            amount.append(value)
            if len(amount) == 4:
                del self._amounts[sensor]
                frames += framed(FROM_DISPLAY, bytes([_place(sensor)]) + amount)
        return frames

    def hear(self, data: bytes) -> None:
        self._heard += data
        while len(self._heard) >= _DISPLAY_FRAME:
            frame = bytes(self._heard[:_DISPLAY_FRAME])
            if frame == framed(TO_DISPLAY, frame[1:-1]):
                self.works.show(frame[1], int.from_bytes(frame[2:6], "little"))
                del self._heard[:_DISPLAY_FRAME]
            else:
                del self._heard[0]


def _place(sensor: int) -> int:
    if sensor >= PANEL:
        return sensor - PANEL + 1 | OF_PANEL
    assert METER <= sensor < METER + TABLES
    return sensor - METER + 1


def framed(start: int, body: bytes) -> bytes:
    return bytes([start]) + body + bytes([crc8(body, len(body))])


def wiring_of(machine: Machine, works: Works) -> Wiring:
    if isinstance(works, Panel):
        return PanelWiring(machine, works)
    assert isinstance(works, Plant)
    return (ShoeWiring if works.is_shoe else ShufflerWiring)(machine, works)
