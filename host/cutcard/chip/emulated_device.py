"""A device on the emulated chip, with the power, cable and clock of the bench's own device.

Time passes in the emulator, up to the next event of the mechanics, which receive each change of the
board's pins at its time. A sleeping board with a machine at rest and a silent host uses no
processor: its time does not pass.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cutcard.bench.clock import Clock
from cutcard.bench.flash import BLOCK, PowerCutError
from cutcard.bench.modelled_device import CRASHES, Kit
from cutcard.bench.person.words import WordError
from cutcard.chip.emulator import BoardOutput, Emulator
from cutcard.chip.vcd import Recording
from cutcard.chip.wiring import HIGH, Wiring, wiring_of

SLICE = 10_000  # microseconds at most between two reads from the host
LONG_SLICE = 500_000  # the same while the board only waits
QUIET = 150_000  # microseconds without activity: all work is over
HAND = 30_000  # microseconds that a hand is ahead of the program that requests its work
ASLEEP = 0.5  # of a slice: a board that only waits sleeps more than this
NOISE = 1 << 16  # samples of the random bit that are transferred together


class SwitchedOffError(Exception):
    """The power failed during an action of the board: the rest of the action never happened."""


class ChipDevice:
    def __init__(
        self, kit: Kit, clock: Clock, to_host: Callable[[bytes], None], plug: Callable[[bool], None]
    ) -> None:
        self.kit = kit
        self.clock = clock
        self.to_host = to_host
        self.plug = plug  # connects or disconnects its USB port
        self.interpreter: Emulator | None = None
        self.ready = False
        self.hung = False
        self.starts = self.crashes = self.turns = 0
        self.gap = 0.0  # milliseconds, the longest between two reads of the pin samples
        self.answer = 0.0  # milliseconds from the host's last frame to the board's reply
        self.last_sent = 0.0
        self.on_change: Callable[[], None] = lambda: None
        self.on_crash: Callable[[], None] = lambda: None
        self.said = b""  # by UART 0, if the host does not use it
        self.halted = ""
        self._in_vain = 0  # consecutive starts that ended before it was ready
        self.wiring = wiring_of(kit.plant.machine, kit.plant)
        self.by_uart = kit.plant.machine.values["board.link"] == "uart"
        self._spare: Emulator | None = None  # without power, for the next start
        self._powered = 0  # number of times that the power was switched
        self._running = False
        self._inbox = bytearray()
        self._advance_to: int | None = None
        self.erase_time = 0  # milliseconds; 0: the typical time of the flash's maker
        self.recording: Recording | None = None  # of the pins, for a logic viewer
        self._begin()

    def _begin(self) -> None:
        """Reset the board's own time, which begins with its power."""
        self._powered += 1
        self.ready = self.hung = self._running = self.plugged = False
        self.now = 0.0  # microseconds
        self._began = self.kit.plant.timeline.now
        self._sign = 0.0  # the time of the last event
        self._asked: float | None = None  # the time of the host's last frame, until it is answered
        self._moved = 0.0  # the last change of a pin, by either side
        self._hand = -float(HAND)  # the last change by a hand: no motor ran
        self._asleep = False
        self.noise_ahead = 0  # samples transferred and not read yet
        self._inbox.clear()

    # Power

    @property
    def powered(self) -> bool:
        return self.interpreter is not None

    @property
    def gave_up(self) -> bool:
        return bool(self.halted)

    def power_on(self, cause: str = "power") -> None:
        if self.interpreter is None:
            self.halted = ""
            self._in_vain = 0
            self._switch_on(None)

    def _switch_on(self, snapshot: Path | None) -> None:
        kit = self.kit
        board = self._spare or Emulator()
        self._spare = None
        files = (kit.micropython, kit.flash.image)
        board.power_on(files, kit.serial, snapshot, self.wiring.unanswered)
        self.starts += 1
        self._begin()
        if snapshot is None:
            self.wiring.forget()
        kit.plant.sensors.edges.clear()
        self.interpreter = board
        self.on_change()

    def look(self, address: int = 0, words: int = 0) -> dict[str, Any]:
        """Return registers and memory as a debugger does, which stops the board; time does not
        pass."""
        if self.interpreter is None:
            raise WordError("the board has no power", "power restore")
        while self._running:
            self.firmware_spoke()
        return self.interpreter.look(address, words)

    def save(self, board: Path) -> None:
        """Save the board in its current state, at rest, without its flash."""
        assert self.interpreter is not None
        assert self.resting
        self.interpreter.save(board)

    def known(self) -> dict[str, Any]:
        """Return the state kept here for a saved board."""
        return {
            "now": self.now,
            "gap": self.gap,
            "noise_left": self.noise_ahead,
            "noise_taken": self.kit.noise.taken,
            "milliseconds": self.kit.plant.timeline.now,
        }

    def resume(self, board: Path, kept: dict[str, Any]) -> None:
        """Continue a saved board; its mechanics have not moved yet."""
        self._switch_on(board)
        self.kit.noise.take(kept["noise_taken"])
        self.kit.plant.timeline.now = kept["milliseconds"]
        self._go_on(kept)
        self.wiring.see(self.now, kept)
        self.plug(True)

    def put_back(self, kit: Kit, wiring: Wiring, board: Path, known: dict[str, Any]) -> None:
        """Continue a saved board, with its mechanics restored."""
        self.kit, self.wiring = kit, wiring
        self.halted = ""
        self.crashes = self._in_vain = 0
        self._switch_on(board)
        self.starts = 1
        self._go_on(known)
        self.plug(True)

    def _go_on(self, known: dict[str, Any]) -> None:
        self.clock.skip(known["milliseconds"])
        self._began = known["milliseconds"] - int(known["now"] // 1000)
        self.now = known["now"]
        self.gap = known["gap"]
        self.noise_ahead = known["noise_left"]
        self._asleep = self.ready = self.plugged = True
        self._sign = self.now - QUIET
        self._moved = self.now - self.wiring.patience

    def power_off(self) -> None:
        """Cut the power: motors stop, cards and flash stay unchanged."""
        board, self.interpreter = self.interpreter, None
        if board is None:
            return
        if self._running:
            board.wait_for_answer()  # its actions of that time are lost with the power
        self._spare = board
        self._begin()
        self.wiring.all_low(self.now)
        self.kit.plant.power_off()
        self.plug(False)
        self.on_change()

    def close(self) -> None:
        self.power_off()
        if self._spare is not None:
            self._spare.close()
            self._spare = None

    def renew(self, kit: Kit, clock: Clock) -> None:
        """Replace the device by another on the same cable, switched off."""
        self.power_off()
        self.kit = kit
        self.clock = clock
        self.wiring = wiring_of(kit.plant.machine, kit.plant)
        self.starts = self.crashes = self.turns = 0
        self.gap = 0.0
        self.halted = ""
        self.erase_time = 0
        self._advance_to = None

    def reset(self, cause: str) -> None:
        self.power_off()
        self.power_on(cause)

    def hang(self) -> None:
        """Hang the processor until the watchdog resets it."""
        self.hung = True

    # Host side

    def from_host(self, data: bytes) -> None:
        if self.interpreter is not None:
            self._inbox += data

    # Clock side

    @property
    def resting(self) -> bool:
        """Return whether no part moves, the board was inactive for a while, and it sleeps."""
        at_rest = self.kit.plant.timeline.next_time() is None
        if self.interpreter is None:
            return at_rest
        quiet = self._asleep and self.now - self._sign >= QUIET
        # Any wait of the firmware began with a pin: a motor that runs, a sensor that stays.
        quiet = quiet and self.now - self._moved >= self.wiring.patience
        awaited = self._inbox or self.hung or self.wiring.unseen or self.wiring.drives
        return at_rest and quiet and not awaited

    @property
    def advancing(self) -> bool:
        return self._advance_to is not None

    def advance(self, milliseconds: int) -> None:
        self._advance_to = self.kit.plant.timeline.now + milliseconds
        self.clock.skip(milliseconds)

    def pass_time(self) -> float | None:
        """Let time pass; return the seconds until more passes, or None to wait for a message.

        The board can send a message, too. With a real clock a board is never ahead of the wall
        clock, and its time always passes.
        """
        if self.interpreter is None:
            self._pass_without_power()
            return None
        now = self.kit.plant.timeline.now
        if self._running:
            return None
        if self.clock.real and not self.clock.reached(now):
            return self.clock.seconds_until(now)
        if self.clock.real or self.advancing or not self.resting or not self.ready:
            self._run(self.interpreter)
        return None

    def _run(self, board: Emulator) -> None:
        timeline = self.kit.plant.timeline
        until = self.now + (LONG_SLICE if self.resting else SLICE)
        for event in (timeline.next_time(), self._advance_to):
            if event is not None:
                until = min(until, max(self.now + 1, self._board_time(event)))
        request: dict[str, object] = {"until": until}
        if pins := self.wiring.levels():
            request["pins"] = pins
            self._sign = self._moved = self.now
            self._record(pins)
            if not (self.wiring.drives or self.wiring.high.get("gate")):
                self._hand = self.now
        if frames := self.wiring.frames():
            request["uart"] = frames
            self._sign = self._moved = self.now
        heard = self.plugged or self.by_uart
        if self._inbox and heard and self.now - self._hand >= HAND:
            request["link" if self.by_uart else "usb"] = bytes(self._inbox)
            self._inbox.clear()
            self._sign = self._asked = self.now
        if self.kit.noise.changed:
            request["anew"] = True  # data transferred before is not read any more
        if self.noise_ahead < NOISE // 2 or self.kit.noise.changed:
            request["noise"] = self.kit.noise.take(NOISE)
            self.kit.noise.changed = False
        if steps := self.wiring.steps:
            request["steps"] = steps
        if self.hung:
            request["hung"] = True
        if self.erase_time:
            request["erase"] = self.erase_time
        self._running = True
        self.turns += 1
        board.request(**request)

    def firmware_spoke(self) -> None:
        """Handle output of the emulator after some time has passed."""
        if self.interpreter is None:
            return
        try:
            said = self.interpreter.answer()
        except EOFError:
            self.halted = "the emulator has ended"
            self.power_off()
            self._spare = None
            return
        if said is None:
            return
        self._running = False
        try:
            self._happened(said)
        except PowerCutError:
            self.power_off()
        except SwitchedOffError:
            return

    def _happened(self, said: BoardOutput) -> None:
        power = self._powered
        for what, address, content in said.flash:
            self._flash(what, address, content)
        for micros, gpio, state in said.pins:
            self._catch_up(micros)
            self.wiring.output(micros, gpio, state)
            self._require_power(power)
            self._record([(gpio, int(state == HIGH))], micros)
        if said.pins or said.flash or said.usb or said.link or said.uart or said.events:
            self._sign = said.now
        if said.pins:
            self._moved = said.now
        passed = said.now - self.now
        if passed > SLICE / 2:
            self._asleep = said.busy < ASLEEP * passed
        self.noise_ahead = said.noise
        self.gap = max(self.gap, said.gap / 1000)
        self._catch_up(said.now)
        self.wiring.pass_time(said.now)
        if said.uart:
            self.wiring.hear(said.uart)
        self._require_power(power)
        self._hear_host_side(said)
        for event in said.events:
            self._event(event)
            self._require_power(power)
        if not self.ready and self._asleep and self.now - self._sign >= QUIET:
            self.ready = self.plugged or self.by_uart
        if self._advance_to is not None and self.kit.plant.timeline.now >= self._advance_to:
            self._advance_to = None

    def _require_power(self, power: int) -> None:
        if self._powered != power:
            raise SwitchedOffError

    def _record(self, levels: list[tuple[int, int]], micros: float | None = None) -> None:
        if self.recording is not None:
            now = self.now if micros is None else micros
            self.recording.write(self._began * 1000 + now, levels)

    def _hear_host_side(self, said: BoardOutput) -> None:
        to_host, other = (said.link, said.usb) if self.by_uart else (said.usb, said.link)
        if to_host:
            if self._asked is not None:
                self.answer = (said.now - self._asked) / 1000
                self._asked = None
            self.last_sent = self._began + said.now / 1000
            self.to_host(to_host)
        if other:
            with self.kit.errors.open("ab") as words:  # console output without a reader
                words.write(other)

    def _event(self, event: str) -> None:
        if event == "plugged":
            self.plugged = True
            self.plug(True)
        elif event == "reset":
            self._resets()
        else:
            self.halted = event
            self.on_crash()

    def _resets(self) -> None:
        """Restart the board. A board that never becomes ready would do so forever."""
        self.starts += 1
        self._in_vain = 0 if self.ready else self._in_vain + 1
        self.ready = self.hung = self.plugged = False
        self.wiring.all_low(self.now)
        self._inbox.clear()
        self.plug(False)
        if self._in_vain >= CRASHES:
            self.halted = "it starts and never comes up"
            self.power_off()

    def _flash(self, what: str, address: int, content: bytes) -> None:
        """Write every flash change into the file immediately; the board may stop at any time."""
        kit = self.kit
        first = kit.micropython.stat().st_size // BLOCK
        block = address // BLOCK - first
        if block < 0:
            raise AssertionError(f"the firmware writes over MicroPython, at {address:#x}")
        if what == "erase":
            kit.flash.erase(block)
        else:
            kit.flash.program(block, address % BLOCK, content)

    def _board_time(self, milliseconds: int) -> float:
        return (milliseconds - self._began) * 1000.0

    def _catch_up(self, micros: float) -> None:
        """Run the mechanics' events up to that time."""
        power = self._powered
        timeline = self.kit.plant.timeline
        now = self._began + int(micros // 1000)
        while (event := timeline.next_time()) is not None and event <= now:
            timeline.run_next()
            self._require_power(power)
            self._sign = micros
        timeline.now = max(timeline.now, now)
        self.now = max(self.now, micros)

    def _pass_without_power(self) -> None:
        timeline = self.kit.plant.timeline
        while timeline.next_time() is not None:
            timeline.run_next()
        if self._advance_to is not None:
            timeline.now = max(timeline.now, self._advance_to)
            self._advance_to = None
