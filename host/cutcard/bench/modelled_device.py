"""The device on the bench: firmware, mechanics, flash, noise and clock, and their power.

The firmware sends requests and gets answers (`_serve` lists the requests). Its main loop ends each
turn with a wait; between two turns, time passes here, in the mechanics.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Protocol

from cutcard.bench.clock import Clock, board_time
from cutcard.bench.firmware import Interpreter
from cutcard.bench.flash import FlashImage, PowerCutError
from cutcard.bench.noise import BenchNoise, Chance
from cutcard.bench.plant import Works
from cutcard_firmware.core.schema.messages import CAUSES

WATCHDOG = 8388  # ms without being fed, like the RP2040's
PATIENCE = 30.0  # wall-clock seconds that the firmware may compute without a request
LATENCY = 4  # ms: the fastest main loop between two reads of its sensors
MOST_EDGES = 64  # in one answer: with the bytes it fits the board's buffer
MOST_BYTES = 256
CRASHES = 3  # consecutive starts that end before they were ready: then the power stays off

_DRIVE = Struct("<xBh")
_SHOW = Struct("<xBI")
_SEND = Struct("<xH")
_WAIT = Struct("<xIB")
_PROGRAM = Struct("<xHHH")
_NUMBER = Struct("<xH")
_WAITED = Struct("<IHH")
_EDGE = Struct("<IBB")
_STARTED = Struct("<IB")
_OK, _FAILED = b"\0", b"\1"


@dataclass
class Kit:
    """The parts of a device; a factory reset replaces them."""

    plant: Works
    flash: FlashImage
    micropython: Path  # the part of the chip outside the firmware
    noise: BenchNoise
    chance: Chance
    serial: bytes
    image: Path
    heap: str
    errors: Path
    stock: bool  # starts from its flash, like a board; else from the folder `image`


class Process(Protocol):
    """The process that runs the firmware, with file descriptors to watch."""

    output: int
    console: int

    @property
    def pid(self) -> int: ...


class Running(Protocol):
    """A device, as seen by the bench and the person at it."""

    kit: Kit
    ready: bool
    starts: int
    crashes: int
    noise_ahead: int
    turns: int
    gap: float  # milliseconds, the longest between two reads of the sensors; 0 if it cannot vary
    answer: float  # milliseconds from the host's last frame to its reply, likewise
    last_sent: float  # milliseconds on the bench's clock when it last sent bytes to its host
    on_change: Callable[[], None]
    on_crash: Callable[[], None]

    @property
    def interpreter(self) -> Process | None: ...

    @property
    def powered(self) -> bool: ...

    @property
    def gave_up(self) -> bool: ...

    @property
    def resting(self) -> bool: ...

    @property
    def advancing(self) -> bool: ...

    def power_on(self, cause: str = "power") -> None: ...

    def power_off(self) -> None: ...

    def renew(self, kit: Kit, clock: Clock) -> None: ...

    def hang(self) -> None: ...

    def advance(self, milliseconds: int) -> None: ...

    def from_host(self, data: bytes) -> None: ...

    def firmware_spoke(self) -> None: ...

    def pass_time(self) -> float | None: ...


class _RestartError(Exception):
    """The firmware has requested a reset, and gets no answer."""


class ModelledDevice:
    def __init__(self, kit: Kit, clock: Clock, to_host: Callable[[bytes], None]) -> None:
        self.kit = kit
        self.clock = clock
        self.to_host = to_host
        self.interpreter: Interpreter | None = None
        self.ready = False
        self.at_prompt = False  # MicroPython's prompt is on the cable: no firmware runs
        self.hung = False
        self.starts = 0
        self.crashes = 0
        self.turns = 0
        self.last_sent = 0.0
        self.gap = self.answer = 0.0  # the clock does not move while the firmware computes
        self.noise_ahead = 0  # noise is delivered only on request
        # called when the firmware's pipes are new
        self.on_change: Callable[[], None] = lambda: None
        self.on_crash: Callable[[], None] = lambda: None
        self._crashes_in_a_row = 0
        self._inbox = bytearray()
        self._requests = bytearray()
        self._waiting = False  # the firmware waits to be woken; it is our turn
        self._busy = False
        self._wake_at = 0
        self._fed_at = 0
        self._spoke_at = 0.0
        self._started_at = 0
        self._cause = 0
        self._advance_to: int | None = None

    # Power

    @property
    def powered(self) -> bool:
        return self.interpreter is not None

    def power_on(self, cause: str = "power") -> None:
        if self.interpreter is not None:
            return
        kit = self.kit
        self.interpreter = Interpreter(
            image=kit.image,
            flash=kit.flash.image,
            micropython=kit.micropython,
            heap=kit.heap,
            errors=kit.errors,
            stock=kit.stock,
        )
        self.starts += 1
        self.at_prompt = False
        self.ready = self.hung = self._waiting = False
        self._cause = CAUSES.index(cause)
        self._requests.clear()
        self._inbox.clear()
        kit.plant.sensors.edges.clear()
        self._started_at = self._fed_at = kit.plant.timeline.now
        self._spoke_at = time.monotonic()
        self.on_change()

    def power_off(self) -> None:
        """Cut the power: motors stop, the interpreter is killed, cards and flash stay unchanged."""
        if self.interpreter is None:
            return
        if not self.at_prompt:
            self._keep_words()
        gone, self.interpreter = self.interpreter, None
        self.ready = self._waiting = self.hung = False
        self.on_change()
        gone.kill()
        self._inbox.clear()
        self.kit.plant.power_off()

    def renew(self, kit: Kit, clock: Clock) -> None:
        """Replace the device by another on the same cable, still switched off."""
        self.power_off()
        self.kit = kit
        self.clock = clock
        self.starts = self.crashes = self.turns = self._crashes_in_a_row = 0
        self._advance_to = None

    @property
    def gave_up(self) -> bool:
        """Return whether the firmware crashed at every start, so that the bench no longer starts
        it."""
        return self._crashes_in_a_row >= CRASHES

    def reset(self, cause: str) -> None:
        self.power_off()
        self.power_on(cause)

    def _crashed(self) -> None:
        """Handle the end of the firmware: reset it, as a board does."""
        assert self.interpreter is not None
        if self.at_prompt:  # Ctrl-D there is a soft reset
            self.reset("reset")
            return
        self.crashes += 1
        self._crashes_in_a_row += 1
        self.on_crash()
        if self.gave_up:
            self.power_off()
        else:
            self.reset("reset")

    def _restarts(self) -> None:
        """Reset on the firmware's request: for a new image, or because it cannot start."""
        if not self.ready:
            self._crashes_in_a_row += 1
        if self.gave_up:
            self.power_off()
        else:
            self.reset("reset")

    # Host side

    def from_host(self, data: bytes) -> None:
        if self.interpreter is None:
            return
        if self.at_prompt:
            os.write(self.interpreter.console, data)
        else:
            self._inbox += data

    def prompt_spoke(self) -> None:
        """Read MicroPython's output: the prompt's text goes to the host, main.py's is dropped."""
        assert self.interpreter is not None
        if not self.at_prompt:
            self._keep_words()
            return
        try:
            data = os.read(self.interpreter.console, 65536)
        except BlockingIOError:  # the output was of another process, before a reset
            return
        except OSError:  # it has ended
            data = b""
        if data:
            self.to_host(data)
        else:
            self._crashed()

    def _keep_words(self) -> None:
        """Store the firmware's output, for the text of a crash."""
        assert self.interpreter is not None
        with suppress(OSError):
            while self.interpreter.console >= 0:
                data = os.read(self.interpreter.console, 65536)
                with self.kit.errors.open("ab") as errors:
                    errors.write(data)

    # Firmware side

    def firmware_spoke(self) -> None:
        """Read from the interpreter, or notice that it has ended."""
        interpreter = self.interpreter
        if interpreter is None:
            return
        data = os.read(interpreter.output, 65536)
        if not data:
            self._crashed()
            return
        requests = self._requests
        requests += data
        at = 0
        try:
            while at < len(requests):
                size = self._size(requests, at)
                if at + size > len(requests):
                    break
                self._serve(requests[at], bytes(requests[at : at + size]))
                at += size
        except PowerCutError:
            self.power_off()
            return
        except _RestartError:
            self._restarts()
            return
        del requests[:at]
        self._spoke_at = time.monotonic()

    @staticmethod
    def _size(requests: bytearray, at: int) -> int:
        """Return the size of the request that begins there; more than available if it is
        incomplete."""
        op = requests[at]
        if op in b"SFRCX":
            return 1
        if op == 0x44:
            return 4
        if op in b"WV":
            return 6
        if op in b"ENU":
            return 3
        if op == 0x54:
            return 3 + (requests[at + 1] | requests[at + 2] << 8 if len(requests) > at + 2 else 0)
        if op == 0x50:
            return 7 + (requests[at + 5] | requests[at + 6] << 8 if len(requests) > at + 6 else 0)
        raise AssertionError(f"the firmware wrote {bytes(requests[at : at + 40])!r} to its channel")

    def _serve(self, op: int, request: bytes) -> None:
        kit = self.kit
        if op == 0x57:  # W: sleep, at most for this time
            self.turns += 1
            milliseconds, busy = _WAIT.unpack(request)
            self._waiting = True
            self._busy = bool(busy)
            self._wake_at = kit.plant.timeline.now + milliseconds
        elif op == 0x44:  # D: drive a motor
            kit.plant.drive(*_DRIVE.unpack(request))
        elif op == 0x56:  # V: show an amount on a table's displays
            kit.plant.show(*_SHOW.unpack(request))
        elif op == 0x46:  # F: feed the watchdog
            self._fed_at = kit.plant.timeline.now
        elif op == 0x54:  # T: bytes to the host
            self.last_sent = float(kit.plant.timeline.now)
            self.to_host(request[_SEND.size :])
        elif op == 0x50:  # P: program
            block, offset, _ = _PROGRAM.unpack_from(request)
            self._answer(self._try(kit.flash.program, block, offset, request[_PROGRAM.size :]))
        elif op == 0x45:  # E: erase
            self._answer(self._try(kit.flash.erase, *_NUMBER.unpack(request)))
        elif op == 0x4E:  # N: noise
            self._answer(kit.noise.take(*_NUMBER.unpack(request)))
        elif op == 0x55:  # U: the chip's own random bytes
            self._answer(kit.chance.take(*_NUMBER.unpack(request)))
        elif op == 0x53:  # S: the state at the start
            head = _STARTED.pack(self._board_time(kit.plant.timeline.now), self._cause)
            self._answer(head + kit.serial + bytes(kit.plant.sensors.lines))
        elif op == 0x52:  # R: ready
            self.ready = True
            self._crashes_in_a_row = 0
        elif op == 0x43:  # C: there is no image; the prompt is on the cable
            self.ready = self.at_prompt = True
            self._crashes_in_a_row = 0
        elif op == 0x58:  # X: reset
            raise _RestartError

    @staticmethod
    def _try(operation: Callable[..., None], *arguments: object) -> bytes:
        try:
            operation(*arguments)
        except ValueError:
            return _FAILED
        return _OK

    def _answer(self, data: bytes) -> None:
        assert self.interpreter is not None
        with suppress(BrokenPipeError):  # it has ended; the next read of its output shows it
            os.write(self.interpreter.input, data)

    def _board_time(self, now: int) -> int:
        return board_time(now - self._started_at)

    # Clock side

    @property
    def resting(self) -> bool:
        """Return whether the machine is at rest and the firmware waits only for the host."""
        at_rest = self.kit.plant.timeline.next_time() is None
        if self.interpreter is None or self.at_prompt:
            return at_rest
        return at_rest and self._waiting and not (self._busy or self._inbox or self.hung)

    @property
    def advancing(self) -> bool:
        return self._advance_to is not None

    def advance(self, milliseconds: int) -> None:
        """Let this much time pass even if no event asks for it."""
        self._advance_to = self.kit.plant.timeline.now + milliseconds
        self.clock.skip(milliseconds)

    def hang(self) -> None:
        """Stop running the firmware until the watchdog resets it."""
        self.hung = True

    def pass_time(self) -> float | None:
        """Run due events; return the seconds until the next one, or None if only a message causes
        more."""
        if self.interpreter is None or self.at_prompt:
            return self._pass(None)
        timeline = self.kit.plant.timeline
        if self.hung:
            bite = self._fed_at + WATCHDOG
            wait = self._pass(bite)
            if self.hung and timeline.now >= bite:
                self.reset("watchdog")
                return 0.0
            return wait
        if self._waiting:
            wait = None
            if self.clock.real or not (self._inbox or self.kit.plant.sensors.edges):
                wait = self._pass(self._wake_at)
            if not self._waiting or self.hung:  # an event cut the power, or hung the firmware
                return 0.0
            if not (self._inbox or self.kit.plant.sensors.edges or timeline.now >= self._wake_at):
                return wait
            self._wake()
        if time.monotonic() - self._spoke_at > PATIENCE:
            self.reset("watchdog")
            return 0.0
        return PATIENCE

    def _wake(self) -> None:
        sensors = self.kit.plant.sensors
        edges = sensors.edges[:MOST_EDGES]
        del sensors.edges[:MOST_EDGES]
        data = bytes(self._inbox[:MOST_BYTES])
        del self._inbox[:MOST_BYTES]
        answer = _WAITED.pack(self._board_time(self.kit.plant.timeline.now), len(edges), len(data))
        for moment, sensor, value in edges:
            answer += _EDGE.pack(self._board_time(moment), sensor, value)
        self._waiting = False
        self._spoke_at = time.monotonic()
        self._answer(answer + data)

    def _pass(self, until: int | None) -> float | None:
        """Run events in order: to the first edge, to `until`, or until all is at rest.

        An idle firmware does not make time pass; a busy one does.
        """
        timeline = self.kit.plant.timeline
        edges = self.kit.plant.sensors.edges
        running = self.interpreter
        urgent = until is not None and (self._busy or self.hung or self.clock.real)
        while True:
            goal = event = timeline.next_time()
            if until is not None and (urgent if event is None else until < event):
                goal = until
            stop = self._advance_to
            if stop is not None and (goal is None or stop < goal):
                goal = stop
            if goal is None or not self.clock.reached(goal):
                timeline.now = max(timeline.now, self.clock.passed(timeline.now))
                return None if goal is None else self.clock.seconds_until(goal)
            if goal == event:
                timeline.run_next()
            else:
                timeline.now = max(timeline.now, goal)
            if stop is not None and goal >= stop:
                self._advance_to = None
                return 0.0
            if goal == until or self.interpreter is not running:
                return 0.0
            if edges and until is not None and not self.hung:
                urgent = True
                until = min(until, edges[0][0] + LATENCY)
