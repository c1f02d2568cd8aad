"""Both ends of a line for the fuzz targets: a device that receives frames, and a host that does."""

from __future__ import annotations

import atexit
import shutil
import struct
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cutcard.devices import handshake
from cutcard.devices.channel import clear
from cutcard.devices.deadline import Deadline
from cutcard_firmware.core.crypto import session_keys
from cutcard_firmware.core.crypto.x25519 import BASE
from cutcard_firmware.core.link import frame
from cutcard_firmware.core.link.sessions import Link
from cutcard_firmware.core.schema import messages as m
from firmware.tests.rig import SMALL_CAROUSEL, Rig
from tests.fuzz.edits import Instructions

CLEAR = (m.HELLO, m.AUTH, m.PROVISION)
COMMANDS_A_RIG = 200  # then a new rig, so that an input's effect depends on a short history


class DeviceEnd:
    """The firmware's link with a device that echoes each command. Sealed frames are valid."""

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.spec = SimpleNamespace(KIND="shuffler", NAME="fuzzed")
        self.board = SimpleNamespace(serial=b"fuzzed01", now=lambda: 0, fresh=bytes)
        self.ended = False
        self.firmware = 1
        self.said: list[bytes] = []
        self.link = Link(self, self.said.append, key)
        self.session: Any = None
        self.sent = 0

    def may_write(self) -> bool:
        return True

    def hear(self, kind: int, payload: bytes) -> None:
        """Receive a frame: kinds 0 to 2 clear, 3 a valid handshake, 4 raw bytes, others sealed."""
        before = len(self.said)
        if kind < len(CLEAR):
            self._frame(clear(CLEAR[kind], payload))
        elif kind == 3:
            self.begin()
        elif kind == 4:
            self.link.receive(payload)
        elif self.session is not None:
            self.sent += 1
            self._frame(self.session.seal(m.COMMAND, self.sent, payload)[:249])
        for said in self.said[before:]:
            assert len(said) <= m.MAX_FRAME
            assert frame.decode(said[1:-1]) is not None

    def _frame(self, body: bytes) -> None:
        self.link.receive(frame.encode(body[: frame.MAX_BODY]))
        while self.link.go_on():
            pass

    def begin(self) -> None:
        hello = bytes((m.VERSION,)) + m.fingerprint() + bytes(16)
        self._frame(clear(m.HELLO, hello))
        welcome = frame.decode(self.said[-1][1:-1])[5:]
        said = session_keys.transcript(hello, welcome, bytes(32), BASE)
        self._frame(clear(m.AUTH, bytes(32) + BASE + session_keys.proof(self.key, b"host", said)))
        public = frame.decode(self.said[-1][1:-1])[5:37]
        said = session_keys.transcript(said, public)
        # Our public number is the base point, so the shared secret is the device's public number.
        secret = session_keys.session_secret(self.key, said, public)
        self.session = session_keys.Session(secret, said, b"host")
        self.sent = 0

    # the methods that the link calls

    def session_began(self, entropy: bytes) -> None:
        pass

    def provisioned(self, key: bytes) -> None:
        raise AssertionError("a device with a key took another")

    def obey(self, payload: bytes) -> bytes:
        return struct.pack("<IB", 0, 0) + payload[:100]


class _Greeter:
    """A channel that answers any request with one prepared frame."""

    def __init__(self, body: bytes) -> None:
        self._bodies = [body]

    def send(self, body: bytes) -> None:
        pass

    def receive(self, deadline: Deadline) -> bytes | None:
        return self._bodies.pop() if self._bodies else None


def greet(data: bytes) -> None:
    kind = m.REFUSE if data[:1] == b"\5" else m.WELCOME
    channel: Any = _Greeter(clear(kind, data))
    welcome = handshake.identify(channel, "fuzzed", Deadline(0))
    handshake.check_schema(welcome, "fuzzed")
    channel = _Greeter(clear(m.ACCEPT, data[:32]))
    handshake.authenticate(channel, "fuzzed", bytes(32), welcome, Deadline(0))


_rigs: list[Rig] = []
_folder = Path(tempfile.mkdtemp(prefix="cutcard-fuzz-"))
atexit.register(shutil.rmtree, _folder, ignore_errors=True)


def _rig() -> Rig:
    if not _rigs or len(_rigs[0].draws) > COMMANDS_A_RIG * 10:
        _rigs.clear()
        rig = Rig(_folder / str(len(list(_folder.iterdir()))), SMALL_CAROUSEL)
        rig.put(1)
        rig.run()
        rig.command("load", decks=1, pack=52)
        rig.run()
        _rigs.append(rig)
    return _rigs[0]


def obey(instructions: Instructions) -> None:
    """Send commands of any content: each gets an answer, and the number of cards is constant."""
    rig = _rig()
    while instructions.left:
        op, ahead, size = instructions.below(256), instructions.below(3), instructions.below(40)
        arguments = bytes(instructions.below(256) for _ in range(size))
        identity = rig.device.cmd_status()[9] + 1 if ahead == 0 else ahead - 1
        reply = rig.device.obey(struct.pack("<IBI", identity, op, rig.seen) + arguments)
        assert len(reply) >= 5
        rig._collect()
        rig.run_for(200)
    rig.check_cards()
