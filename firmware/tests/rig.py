"""The core and the bench's model of the mechanics in one CPython process, for property tests.

Every behaviour is shown in the real interpreter by `hil_tests`; here thousands of
histories a minute can be tried. Commands go straight to `device.obey`, past the link.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

from cutcard.bench.plant import Plant
from cutcard.machines import Machine, find
from cutcard.machines.spec import spec_text
from firmware.core import messages as m
from firmware.core.app import build
from firmware.core.sensors import WRAP, Edges

START = WRAP - 3000


@dataclass
class Reply:
    error: str
    a: int = 0
    b: int = 0
    result: dict[str, Any] | None = None


class Board:
    """A board whose flash is a folder and whose motors move the plant."""

    serial = b"rig00001"

    def __init__(self, plant: Plant, root: Path, noise: Random, cause: str) -> None:
        self.plant = plant
        self.root = str(root)
        self.cause = m.CAUSES.index(cause)
        self.edges = Edges()
        self.noise = noise
        self.stuck_noise = False

    def now(self) -> int:
        return (self.plant.timeline.now + START) % WRAP

    def drive(self, actuator: int, value: int) -> None:
        self.plant.drive(actuator, value)

    def send(self, data: bytes) -> None:
        """Nobody is on the line."""

    def fill(self, buffer: bytearray) -> None:
        for at in range(len(buffer)):
            buffer[at] = 0 if self.stuck_noise else self.noise.getrandbits(1)

    def levels(self) -> bytes:
        return bytes(self.plant.sensors.lines)


class Rig:
    def __init__(self, root: Path, machine: str | Machine = "carousel-38", seed: int = 0) -> None:
        self.root = root
        self.machine = find(machine) if isinstance(machine, str) else machine
        self.plant = Plant(self.machine, str(seed))
        names: dict[str, Any] = {}
        exec(spec_text(self.machine), names)
        self.spec = SimpleNamespace(**names)
        self.noise = Random(seed)
        self.events: list[tuple[int, str, dict[str, Any]]] = []
        self.seen = 0
        self.power_on()
        self.device.provisioned(bytes(32))
        self.device.link.key = bytes(32)
        self._collect()

    def power_on(self, cause: str = "power") -> None:
        self.board = Board(self.plant, self.root, self.noise, cause)
        self.device = build(self.spec, self.board)
        self._collect()

    def power_off(self) -> None:
        self.plant.power_off()

    def command(self, name: str, acknowledge: bool = True, **arguments: int) -> Reply:
        op = m.OP[name]
        fields = m.COMMANDS[op][2]
        identity = 0 if op in m.QUESTIONS else self.device._status()[9] + 1
        head = struct.pack("<IBI", identity, op, self.seen if acknowledge else 0)
        payload = head + m.pack(fields, [arguments[field] for field, _ in fields])
        reply = self.device.obey(payload)
        error = reply[4]
        self._collect()
        if error:
            return Reply(m.ERRORS[error][0], *struct.unpack("<II", reply[5:]))
        return Reply("ok", result=m.unpack(m.COMMANDS[op][3], reply[5:]))

    def run(self, limit: int = 10_000_000) -> None:
        """Until nothing moves and nobody waits for anything but a command."""
        end = self.plant.timeline.now + limit
        while self.plant.timeline.now < end:
            wait = self.step()
            following = self.plant.timeline.next_time()
            if following is None and not self.device.busy:
                return
            until = self.plant.timeline.now + wait
            if following is None or (self.device.busy and until < following):
                self.plant.timeline.now = until
            else:
                self.plant.timeline.run_next()
        raise AssertionError("it never comes to rest")

    def step(self) -> int:
        edges = self.plant.sensors.edges
        for time, sensor, value in edges:
            self.board.edges.push((time + START) % WRAP, sensor, value)
        edges.clear()
        wait: int = self.device.step(self.board.now())
        self._collect()
        return wait

    def put(self, decks: int, pack: int = 52) -> None:
        cards = [card for _ in range(decks) for card in self.plant.printer.deck(pack)]
        self.plant.put(cards)

    def return_all(self) -> int:
        back = [card for card in self.plant.mouth.outside if not card.cutting]
        self.plant.mouth.outside.clear()
        self.plant.put(back)
        return len(back)

    def status(self) -> dict[str, Any]:
        result = self.command("status", acknowledge=False).result
        assert result is not None
        return result

    def names(self) -> list[str]:
        return [name for _, name, _ in self.events]

    def _collect(self) -> None:
        state = self.device.state
        number = state.get(2) - len(state.events)
        for payload in state.events:
            number += 1
            if number > self.seen:
                name, fields = m.EVENTS[payload[0]]
                self.events.append((number, name, m.unpack(fields, payload[1:])))
                self.seen = number
