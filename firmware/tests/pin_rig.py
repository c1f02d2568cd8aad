"""The board's own code between the core and the mechanics: motors by pins and generators,
sensors by samples of all pins, faces by the reader's frames.

Time passes in steps of a millisecond, also while the main loop is blocked. Writing flash takes as
long as an erase; during it, interrupts wait and the hand at the mouth continues to draw cards.
"""

from __future__ import annotations

import sys
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cutcard_firmware.core.app import build
from cutcard_firmware.core.devices.sensors import (
    DOOR,
    EJECT,
    FEED,
    GATE,
    HALF,
    HOMING,
    LEVELS,
    READ,
    SLOT,
    SLOWLY,
    TOGETHER,
    TURN,
)
from firmware.tests.rig import Board, Rig

# The board's modules import each other as they do on a board.
FIRMWARE = Path(__file__).parents[1] / "cutcard_firmware"
sys.path += [str(FIRMWARE / part) for part in ("", "boards/rp2")]
from boards.rp2 import steps
from boards.rp2.checksum import crc8
from boards.rp2.motors import Motors, Stepper
from boards.rp2.reader import AT_ONE_MOMENT, Reader
from boards.rp2.reader import START as FRAME
from boards.rp2.samples import Samples

RING = 1024


class Output:
    """An output pin that reports its changes."""

    def __init__(self, moves: Any = None) -> None:
        self.level = 0
        self.moves = moves

    def value(self, level: int | None = None) -> int | None:
        if level is None:
            return self.level
        if self.moves is not None and level != self.level:
            self.moves(int(level))
        self.level = int(level)
        return None


class Generator:
    """A state machine of the PIO that starts and stops its motor."""

    def __init__(self, moves: Any) -> None:
        self.moves = moves
        self.words: list[int] = []

    def load(self) -> Generator:
        self.words = []
        return self

    def put(self, word: int) -> None:
        self.words.append(word)

    def active(self, on: int) -> None:
        self.moves(self.words if on else None)


class PinBoard(Board):
    """The rig's board, but all signals pass through pins."""

    def __init__(self, rig: PinRig, spec: SimpleNamespace, *rest: Any) -> None:
        super().__init__(*rest)
        self.line = bytearray()
        self.ended = False  # a turn has ended and its interrupt is pending
        self.door = Output()
        self.direction = Output()
        outputs = {name: Output() for name in ("turn_enable", "light_ready", "light_fault")}
        outputs["turn_direction"] = self.direction
        for name, actuator in (("feed", FEED), ("eject", EJECT), ("gate", GATE)):
            outputs[name] = Output(lambda level, a=actuator: self.plant.drive(a, level))
        self.turner, self.homer = Generator(self._turn), Generator(self._home)
        self.motors = Motors(
            spec,
            outputs,
            [self.door],
            Stepper(self.turner.load),
            Stepper(self.homer.load),
            self.now,
            rig.pass_time,
            lambda: None,
            lambda: None,
            lambda _: None,
        )
        self.steps, self.legs = spec.STEPS_BIN, spec.LEGS
        self.reader = Reader(self.edges)
        self.words = array("I", bytes(4 * RING))
        self.taken = 0
        gpios = list(range(11, 11 + LEVELS))
        self.samples = Samples(self.words, 0, RING, gpios, self.edges, self.reader)

    def drive(self, actuator: int, value: int) -> None:
        self.motors.drive(actuator, value)

    def levels(self) -> bytes:
        self.samples.begin(self._word(), self.taken % RING, self.now())
        return bytes(self.samples.levels())

    def millisecond(self) -> None:
        """Run the hardware for a millisecond."""
        self.words[self.taken % RING] = self._word()
        self.taken += 1
        codes: list[int] = []
        for _, sensor, value in self.plant.sensors.edges:
            if sensor == SLOT:
                self.ended = True
            elif sensor == READ:
                codes.append(value)
        self.plant.sensors.edges.clear()
        if codes:
            together = codes[0] == TOGETHER
            seen = codes[1:] if together else codes
            body = bytes([len(seen) | (AT_ONE_MOMENT if together else 0), *seen])
            self.line += bytes([FRAME]) + body + bytes([crc8(body, len(body))])

    def look(self) -> None:
        """Run the pending interrupts, then do the same as `Board._look` of a real board."""
        opens = self.plant.sensors.lines[DOOR] > self.door.level
        self.door.level = self.plant.sensors.lines[DOOR]
        if opens:
            self.motors.cut(self.door)
        if self.ended:
            self.ended = False
            self.motors.turned()
        for byte in self.line:
            self.reader.feed(byte)
        self.line.clear()
        self.samples.drain(self.taken % RING, self.now())
        self.motors.report(self.edges)
        self.reader.report_all(self.now())

    def _word(self) -> int:
        return sum(level << 11 + at for at, level in enumerate(self.plant.sensors.lines))

    def _turn(self, words: list[int] | None) -> None:
        if words is None:
            self.plant.drive(TURN, 0)
        else:
            pulses = steps.pulses(words)
            bins, over = divmod(2 * pulses if self.legs else pulses, self.steps)
            assert over == 0
            if self.legs:
                bins += HALF
            self.plant.drive(TURN, -bins if self.direction.level else bins)

    def _home(self, words: list[int] | None) -> None:
        pace = 0 if words is None else 1 if len(words) > 1 else SLOWLY
        self.plant.drive(HOMING, pace)


class PinRig(Rig):
    """A rig in which each write of the state blocks the main loop for `erase` milliseconds."""

    erase = 0
    erases = 0

    def power_on(self, cause: str = "power") -> None:
        self.board: PinBoard = PinBoard(self, self.spec, self.plant, self.root, self.noise, cause)
        self.device = build(self.spec, self.board)
        self._watch_commits()
        self._watch_draws()
        self._collect()
        commit = self.device.state.commit

        def slow() -> None:
            if self.device.state._changed:
                self.erases += 1
                self.pass_time(self.erase)
            commit()

        self.device.state.commit = slow

    def pass_time(self, milliseconds: int) -> None:
        timeline = self.plant.timeline
        for _ in range(milliseconds):
            end = timeline.now + 1
            while (following := timeline.next_time()) is not None and following <= end:
                timeline.run_next()
            timeline.now = end
            self.board.millisecond()

    def step(self) -> int:
        self.board.look()
        wait: int = self.device.step(self.board.now())
        self._collect()
        return wait

    def put(self, decks: int, pack: int = 52) -> None:
        super().put(decks, pack)
        self.pass_time(50)
        self.run()

    def _once(self) -> bool:
        wait = self.step()
        all_seen = self.board.samples.at == self.board.taken % RING
        if all_seen and self.plant.timeline.next_time() is None and not self.device.busy:
            return True
        self.pass_time(max(min(wait, 4), 1))
        return False


__all__ = ["AT_ONE_MOMENT", "FRAME", "PinBoard", "PinRig", "Reader", "crc8"]
