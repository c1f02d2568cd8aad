"""The core and the bench's model of the mechanics in one CPython process, for property tests.

`hil_tests` show every behaviour in the real interpreter; this rig runs thousands of histories a
minute. Commands bypass the link and call `device.obey`.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from cutcard.bench.plant import Works, works_of
from cutcard.bench.plant.cards import PlayingCard
from cutcard.machines import Machine, find
from cutcard.machines.spec import spec_text
from cutcard_firmware.core.app import build
from cutcard_firmware.core.devices.sensors import LEVELS, WRAP, Edges
from cutcard_firmware.core.image.attest import PIECE
from cutcard_firmware.core.schema import messages as m
from cutcard_firmware.core.storage import state as st
from firmware.tests.scripts.folder_flash import FolderFlash

START = WRAP - 3000
QUIET_HOUR = 3_600_000  # ms; every machine that can stop does so within this time
PATIENCE = 20_000  # ms after which a card at an open gate counts as not taken


class PowerCut(Exception):
    """The power failed during a commit."""


@dataclass
class Reply:
    error: str
    a: int = 0
    b: int = 0
    result: dict[str, Any] | None = None


def machine_with(name: str, **values: int) -> Machine:
    """Return a shipped machine with other numbers: `chute_low=3` sets `chute.low`."""
    shipped = find(name)
    changed = {key.replace("_", ".", 1): value for key, value in values.items()}
    return replace(shipped, values={**shipped.values, **changed})


def spec_of(machine: str | Machine) -> SimpleNamespace:
    """Return the module that the firmware imports as `machine_spec`."""
    names: dict[str, Any] = {}
    exec(spec_text(find(machine) if isinstance(machine, str) else machine), names)
    return SimpleNamespace(**names)


# Small, so that a few commands fill bins, empty the chute and use the same bin again.
SMALL_CAROUSEL = machine_with(
    "carousel-38", bins_count=7, bins_capacity=10, chute_low=3, chute_high=8, decks_most=1
)


class Board:
    """A board with a folder for its flash; its motors move the plant."""

    serial = b"rig00001"

    def __init__(self, plant: Works, root: Path, noise: Random, cause: str) -> None:
        self.plant = plant
        self.root = str(root)
        self.flash = FolderFlash(self.root)
        self.cause = m.CAUSES.index(cause)
        self.edges = Edges()
        self.noise = noise
        self.stuck_noise = False
        self.said: list[bytes] = []
        self.ahead = START  # of the plant's time; a test may set the clock back

    def now(self) -> int:
        return self.clock_at(self.plant.timeline.now)

    def clock_at(self, time: int) -> int:
        return (time + self.ahead) % WRAP

    def drive(self, actuator: int, value: int) -> None:
        self.plant.drive(actuator, value)

    def send(self, data: bytes) -> None:
        self.said.append(data)

    def fill(self, buffer: bytearray) -> None:
        for at in range(len(buffer)):
            buffer[at] = 0 if self.stuck_noise else self.noise.getrandbits(1)

    def fresh(self, size: int) -> bytes:
        return os.urandom(size)

    def breathe(self) -> None:
        """Return immediately: in a rig, a computation delays no other work."""

    def levels(self) -> bytes:
        return bytes(self.plant.sensors.lines)

    def chip(self) -> Chip:
        return Chip()


class Chip:
    """Three blank blocks without files, for attestation without a flash."""

    blocks, first, files = 3, 3, None

    def read(self, block: int, offset: int) -> bytes:
        return b"\xff" * PIECE

    def close(self) -> None:
        pass


class Rig:
    """A device at a table. The power fails in `cut_in` commits, before or after the write."""

    board_type = Board
    plant: Any

    def __init__(self, root: Path, machine: str | Machine = "carousel-38", seed: int = 0) -> None:
        root.mkdir(exist_ok=True)
        self.root = root
        self.machine = find(machine) if isinstance(machine, str) else machine
        self.plant = works_of(self.machine, str(seed))
        self.spec = spec_of(self.machine)
        self.noise = Random(seed)
        self.events: list[tuple[int, str, dict[str, Any]]] = []
        self.seen = 0
        self.cut_in: int | None = None
        self.cut_before_write = True
        self.draws: list[tuple[int, int]] = []  # bound and result of each random draw
        self.last_payload = b""
        self.power_on()
        self.device.provisioned(bytes(32))
        self.device.link.key = bytes(32)
        self._collect()

    # power

    def power_on(self, cause: str = "power") -> None:
        self.board = self.board_type(self.plant, self.root, self.noise, cause)
        self.device = build(self.spec, self.board)
        self._watch_commits()
        self._watch_draws()
        self._collect()

    def power_off(self) -> None:
        self.plant.power_off()
        self.cut_in = None

    def power_cycle(self, cause: str = "power", hand_finishes: bool = False) -> None:
        """Switch off and on; in between, a hand may finish drawing a card that is half out."""
        self.power_off()
        if hand_finishes:
            while self.plant.timeline.next_time() is not None:
                self.plant.timeline.run_next()
        self.plant.sensors.edges.clear()
        self.power_on(cause)

    def _watch_commits(self) -> None:
        commit = self.device.state.commit

        def counted() -> None:
            writes = self.device.state._changed
            if writes and self.cut_in is not None:
                self.cut_in -= 1
                if self.cut_in == 0:
                    if not self.cut_before_write:
                        commit()
                    raise PowerCut
            commit()

        self.device.state.commit = counted

    def _watch_draws(self) -> None:
        below = self.device.source.below

        def noted(n: int) -> int:
            number: int = below(n)
            self.draws.append((n, number))
            return number

        self.device.source.below = noted

    # the host

    def payload(self, name: str, identity: int | None = None, **arguments: int | bytes) -> bytes:
        op = m.OP[name]
        fields = m.COMMANDS[op][2]
        if identity is None:
            identity = 0 if m.is_question(op) else self.device.cmd_status()[9] + 1
        head = struct.pack("<IBI", identity, op, self.seen)
        tail: bytes = m.pack(fields, [arguments[field] for field, _ in m.fields(fields)])
        return head + tail

    def command(self, name: str, **arguments: int | bytes) -> Reply:
        self.last_payload = self.payload(name, **arguments)
        return self.obey(self.last_payload)

    def obey(self, payload: bytes) -> Reply:
        if m.is_question(payload[4]) or self.device.may_write():
            reply = self.device.obey(payload)
        else:
            reply = self._obey_later(payload)
        error = reply[4]
        self._collect()
        if error:
            return Reply(m.ERRORS[error].split()[0], *struct.unpack("<II", reply[5:]))
        return Reply("ok", result=m.unpack(m.COMMANDS[payload[4]][3], reply[5:]))

    def _obey_later(self, payload: bytes) -> bytes:
        """Run until the machine rests, then obey: the link delays commands while a motor moves."""
        replies: list[bytes] = []
        link = self.device.link
        link._answer = lambda _, held: replies.append(self.device.obey(held))
        link.held = b"", payload
        while not replies:
            self._once()
        return replies[0]

    def status(self) -> dict[str, Any]:
        result = self.obey(self.payload("status")).result
        assert result is not None
        return result

    @property
    def mode(self) -> str:
        return m.MODES[self.device.state.get(st.MODE)]

    @property
    def fault(self) -> str:
        return m.FAULTS[self.device.state.get(st.FAULT)]

    def names(self) -> list[str]:
        return [name for _, name, _ in self.events]

    def events_of(self, name: str) -> list[dict[str, Any]]:
        """Return the fields of each event of this name so far."""
        return [fields for _, event, fields in self.events if event == name]

    def _collect(self) -> None:
        """Record the new events, as a host that is always connected would receive them."""
        state = self.device.state
        number = state.get(st.LAST_EVENT) - len(state.events)
        for payload in state.events:
            number += 1
            if number > self.seen:
                name, fields = m.EVENTS[payload[0]]
                self.events.append((number, name, m.unpack(fields, payload[1:])))
                self.seen = number

    # time

    def run(self, limit: int = QUIET_HOUR) -> None:
        """Run until the machine rests and waits only for a command or a hand."""
        end = self.plant.timeline.now + limit
        nothing_since = self.plant.timeline.now
        while self.plant.timeline.now < end:
            if self._once():
                return
            if self.plant.timeline.next_time() is not None:
                nothing_since = self.plant.timeline.now
            if (
                getattr(self.device, "gate", 0)
                and self.plant.timeline.now > nothing_since + PATIENCE
            ):
                return
        raise AssertionError("it never comes to rest")

    def run_for(self, milliseconds: int) -> None:
        """Run for this time, or until the machine rests if that is earlier."""
        end = self.plant.timeline.now + milliseconds
        while self.plant.timeline.now < end and not self._once():
            pass

    def _once(self) -> bool:
        """Step and run the next event of the plant; return True if the machine rests."""
        wait = self.step()
        following = self.plant.timeline.next_time()
        if following is None and not self.device.busy:
            return True
        until = self.plant.timeline.now + wait
        if following is None or (self.device.busy and until < following):
            self.plant.timeline.now = until
        else:
            self.plant.timeline.run_next()
        return False

    def step(self) -> int:
        edges = self.plant.sensors.edges
        for time, sensor, value in edges:
            self.board.edges.push(self.board.clock_at(time), sensor, value)
        edges.clear()
        wait: int = self.device.step(self.board.now())
        self._collect()
        return wait

    # the person at the machine

    def put(self, decks: int, pack: int = 52) -> None:
        cards = [card for _ in range(decks) for card in self.plant.printer.deck(pack)]
        self.plant.put(cards)

    def return_cards(self, most: int = 1000) -> int:
        """Put up to `most` playing cards from the table into the tray, in the order dealt."""
        back = [card for card in self.plant.mouth.outside if not card.cutting][:most]
        for card in back:
            self.plant.mouth.outside.remove(card)
        self.plant.put(back)
        return len(back)

    def turn_over(self, place: int) -> None:
        """Turn the card at this place of the chute or the stack face up."""
        for card in self.plant.supply.cards[place : place + 1]:
            card.face_up = not card.cutting
        self.plant.look()

    def set_right(self) -> None:
        """Do everything that hands can do: release, close, clear, turn cards over."""
        plant = self.plant
        plant._armed.clear()
        for sensor in range(LEVELS):
            plant.sensors.release(sensor)
        for motor in ("feed", "turn", "eject"):
            plant.stall(motor, False)
        plant.set_door(False)
        plant.bins.stuck, plant.bins.sticking = False, ""
        plant.bins.held.clear()
        for passage in (plant.entry, plant.exit):
            passage.misfeeds, passage.double_next = 0.0, ""
            plant.mouth.outside.extend(passage.clear())
        for card in plant.supply.cards:
            card.face_up = False
        plant.look()
        self.board.stuck_noise = False
        self.run_for(1000)

    # the true state of the mechanics

    def inside(self) -> int:
        """Count the playing cards in bins, chute or stack, and moving between them."""
        plant = self.plant
        places = [*plant.bins.cells, plant.exit.inside, plant.supply.cards]
        return sum(not card.cutting for place in places for card in place)

    def outside(self) -> int:
        """Return the number of cards outside: the pack less the cards in the machine."""
        pack: int = self.device.state.get(st.PACK)
        return pack - self.inside()

    def picture(self) -> dict[str, list[int]]:
        """Return the numbers of the cards in each place."""
        return {
            place: [card.number for card in cards] for place, cards in self.plant.places().items()
        }

    def check_cards(self) -> None:
        """Check that each printed card is in exactly one place."""
        everywhere: list[PlayingCard] = [
            card for cards in self.plant.places().values() for card in cards
        ]
        assert sorted(card.number for card in everywhere) == list(
            range(len(self.plant.printer.cards))
        )

    def check_counts(self) -> None:
        """Check the device's count of each place, unless it is in a fault or counting again."""
        state = self.device.state
        if self.mode in ("fault", "recovering", "unloading"):
            return
        stack = [card for card in self.plant.supply.cards if not card.cutting]
        assert state.get(st.SLACK) == 0
        assert state.get(st.SUPPLY) == (0 if self.mode == "empty" else len(stack))
        assert self.device.inside() + state.get(st.OUTSIDE) == state.get(st.PACK)
        if self.plant.is_shoe:
            return
        if self.mode == "empty":
            assert self.inside() == 0
        if self.machine.continuous:
            believed = [state.get(st.BIN + b) for b in range(len(self.plant.bins.cells))]
            assert believed == [len(cell) for cell in self.plant.bins.cells]
        else:
            assert self.device.in_bins() == sum(len(cell) for cell in self.plant.bins.cells)
