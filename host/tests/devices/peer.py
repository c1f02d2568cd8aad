"""A device's end of the wire on this computer: the firmware's own link, a memory, and a bad line.

It has a count of cards but no mechanics. It can reproduce every fault of a line or a device between
two frames.
"""

from __future__ import annotations

import os
import select
import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cutcard_firmware.core.link import frame
from cutcard_firmware.core.link.sessions import Link
from cutcard_firmware.core.schema import messages as m

SERIAL = b"peer0001"
KEY = bytes(range(32))


def kind_of(data: bytes) -> int:
    """Return the kind of an encoded frame: it is not encrypted, in and out of a session."""
    body: bytes = frame.decode(data.strip(b"\0"))
    return body[0]


class Memory:
    """The data that a device keeps across resets."""

    def __init__(self, key: bytes | None = KEY) -> None:
        self.key = key
        self.events: list[bytes] = []
        self.last_event = 0
        self.last_command = 0
        self.reply = b""
        self.boots = 0
        self.dealt = 0


class Peer:
    """A device in a thread; call `attach` with the file descriptor of a line."""

    def __init__(self, memory: Memory | None = None, kind: str = "shuffler") -> None:
        self.memory = memory or Memory()
        self.spec = SimpleNamespace(KIND=kind, NAME="peer-1")
        self.board = SimpleNamespace(serial=SERIAL, now=lambda: 0, fresh=os.urandom)
        self.firmware = 1
        self.ended = False
        self.refuse_with: tuple[str | int, int, int] | None = None  # name or number, then a and b
        self.mode = 2
        self.after_deal: Callable[[], None] = self.card
        self.commands: list[str] = []  # every command that reached the device, without repetitions
        self.lose: dict[int, int] = {}  # kind -> number of the next frames to lose
        self.double: set[int] = set()  # kinds that arrive twice
        self.noise = b""  # bytes before every frame
        self.deaf = False
        self.thinks = 0  # number of chunks of bytes to wait before the reply to a handshake
        self.stutter = 0  # number of the next chunks of bytes that arrive twice
        self.replies_before_reset: int | None = None
        self._answered = 0  # commands that had their first reply; a busy host repeats them
        self.sent: list[bytes] = []
        self._later: list[Callable[[], None]] = []
        self.write: Callable[[bytes], None] = lambda data: None
        self.lock = threading.RLock()
        self.start()

    # Power

    def start(self) -> None:
        """Start the device: its memory is kept, its session is lost."""
        self.memory.boots += 1
        self.link: Any = Link(self, self.send, self.memory.key)
        if self.memory.key:
            self.event("started", self.memory.boots, 0)

    # The interface that the link needs

    def provisioned(self, key: bytes) -> None:
        self.memory.key = key
        self.event("started", self.memory.boots, 0)

    def may_write(self) -> bool:
        return True

    def session_began(self, entropy: bytes) -> None:
        self._send_after(0)

    def obey(self, payload: bytes) -> bytes:
        fields: dict[str, Any] = m.unpack(m.FRAMES[m.COMMAND][1], payload)
        memory = self.memory
        keep = memory.last_event - fields["ack"]
        if 0 <= keep < len(memory.events):
            memory.events = memory.events[len(memory.events) - keep :]
        identity, op = fields["id"], fields["op"]
        name, _, arguments, result = m.COMMANDS[op]
        self.commands.append(name)
        values = m.unpack(arguments, fields["arguments"])
        if m.is_question(op):
            answer: bytes = m.pack(result, self._answer(name, values))
            return struct.pack("<IB", identity, 0) + answer
        if identity == memory.last_command:
            return memory.reply
        if self.refuse_with:
            error, a, b = self.refuse_with
            number = m.ERROR[error] if isinstance(error, str) else error
            return struct.pack("<IBII", identity, number, a, b)
        assert identity == memory.last_command + 1
        memory.last_command = identity
        memory.reply = struct.pack("<IB", identity, 0)
        if name == "deal":
            memory.dealt += 1
            self._later.append(self.after_deal)
        elif name == "load":
            self._later.append(lambda: self.event("loaded", values["decks"] * values["pack"]))
        return memory.reply

    def _answer(self, name: str, values: dict[str, Any]) -> tuple[int, ...]:
        if name == "status":
            memory = self.memory
            counts = (memory.last_event, memory.last_command, memory.boots)
            return (self.mode, 0, 0, 52, 52 - memory.dealt, memory.dealt, 8, 0, *counts)
        if name == "counters":
            return (0, 0, 0, 0, 0, 0, 0, 0)
        if name == "resend":
            self._send_after(values["after"])
        return ()

    # Events

    def card(self) -> None:
        self.event("card", self.memory.dealt % 52, 0)

    def event(self, name: str, *values: Any) -> None:
        with self.lock:
            code = m.EVENT_CODE[name]
            payload = bytes((code,)) + m.pack(m.EVENTS[code][1], values)
            self.memory.events.append(payload)
            self.memory.last_event += 1
            self.link.push_event(self.memory.last_event, payload)

    def _send_after(self, after: int) -> None:
        number = self.memory.last_event - len(self.memory.events)
        for payload in self.memory.events:
            number += 1
            if number > after:
                self.link.push_event(number, payload)

    # The line

    def send(self, data: bytes) -> None:
        kind = kind_of(data)
        self.sent.append(data)
        is_first = kind == m.REPLY and len(self.commands) > self._answered
        if is_first:
            self._answered = len(self.commands)
        if is_first and self.replies_before_reset is not None:
            self.replies_before_reset -= 1
            if self.replies_before_reset < 0:
                # Done and recorded; the power fails before the first byte of the reply.
                self.replies_before_reset = None
                self._later.clear()
                self._later.append(self.start)
                return
        if self.lose.get(kind):
            self.lose[kind] -= 1
            return
        with suppress(OSError):
            self.write(self.noise + data * (2 if kind in self.double else 1))

    def receive(self, data: bytes) -> None:
        with self.lock:
            if self.deaf:
                return
            self.link.receive(data)
            if self.stutter:
                self.stutter -= 1
                self.link.receive(data)
            if self.thinks:
                self.thinks -= 1
            while not self.thinks and self.link.go_on():
                pass
            while self._later:
                self._later.pop(0)()


class SocketPeer(Peer):
    """A peer at a TCP port, one host at a time: a second one gets an error and is disconnected."""

    def __init__(self, memory: Memory | None = None, kind: str = "shuffler") -> None:
        super().__init__(memory, kind)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._connection: socket.socket | None = None
        self._unplugged = threading.Event()
        self._wake, self._woken = os.pipe()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def port(self) -> str:
        return f"socket://127.0.0.1:{self._server.getsockname()[1]}"

    def unplug(self) -> None:
        """Pull the cable. The next connection plugs it in again."""
        self._unplugged.clear()
        os.write(self._woken, b"u")
        self._unplugged.wait()

    def close(self) -> None:
        if self._thread.is_alive():
            os.write(self._woken, b"q")
            self._thread.join()
            for end in (self._wake, self._woken):
                os.close(end)

    def _serve(self) -> None:
        while True:
            ends: list[Any] = [self._wake, self._server]
            if self._connection:
                ends.append(self._connection)
            ready, _, _ = select.select(ends, [], [])
            if self._wake in ready:
                if os.read(self._wake, 1) == b"q":
                    break
                self._drop()
                self._unplugged.set()
            elif self._connection in ready:
                self._read()
            elif self._server in ready:
                self._accept()
        self._drop()
        self._server.close()

    def _accept(self) -> None:
        connection, _ = self._server.accept()
        if self._connection is not None:
            connection.sendall(b"busy\n")
            connection.close()
            return
        self._connection = connection
        self.write = connection.sendall

    def _read(self) -> None:
        assert self._connection is not None
        try:
            data = self._connection.recv(4096)
        except OSError:
            data = b""
        if data:
            self.receive(data)
        else:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


class PtyPeer(Peer):
    """A peer at a pseudo-terminal, under a name that vanishes with it, like udev's names."""

    def __init__(self, link: Path, memory: Memory | None = None) -> None:
        super().__init__(memory)
        self._master, self._slave = os.openpty()
        self._wake, self._woken = os.pipe()
        self._link = link
        link.symlink_to(os.ttyname(self._slave))
        self.port = str(link)
        self.write = lambda data: _write_all(self._master, data)
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            ready, _, _ = select.select([self._master, self._wake], [], [])
            if self._wake in ready:
                return
            self.receive(os.read(self._master, 4096))

    def vanish(self) -> None:
        """Remove the board and its name permanently."""
        self._link.unlink()
        os.write(self._woken, b"q")
        self._thread.join()
        os.close(self._master)
        os.close(self._slave)

    def close(self) -> None:
        if self._thread.is_alive():
            self.vanish()
        for end in (self._wake, self._woken):
            os.close(end)


def _write_all(end: int, data: bytes) -> None:
    while data:
        data = data[os.write(end, data) :]
