"""The bench gives a blank device its key over the wire, before it reports that it is ready."""

from __future__ import annotations

import secrets
import struct
from collections.abc import Callable
from pathlib import Path

from cutcard import private_files
from cutcard_firmware.core.link.frame import Splitter, encode
from cutcard_firmware.core.schema import messages as m


class ProvisionError(Exception):
    """The device did not accept its key."""


class Provisioning:
    """The dialogue hello, welcome, provision, provisioned. `done`: the device has its key."""

    def __init__(self, key_file: Path, send: Callable[[bytes], None]) -> None:
        self._file = key_file
        self._send = send
        self._splitter = Splitter()
        self.lost_key = False  # it has no key any more, although its key file exists
        self.done = False

    def begin(self) -> None:
        fields = (m.VERSION, m.fingerprint(), secrets.token_bytes(16))
        self._say(m.HELLO, m.pack(m.FRAMES[m.HELLO][1], fields))

    def receive(self, data: bytes) -> None:
        for body in self._splitter.feed(data):
            kind, payload = body[0], body[5:]
            if kind == m.WELCOME:
                self._welcomed(m.unpack(m.FRAMES[m.WELCOME][1], payload)["provisioned"])
            elif kind == m.PROVISIONED:
                self.done = True
            elif kind == m.REFUSE:
                refused = m.unpack(m.FRAMES[m.REFUSE][1], payload)
                raise ProvisionError(f"the device refused: {m.ERRORS[refused['error']].split()[0]}")

    def _welcomed(self, provisioned: int) -> None:
        if provisioned:
            self.done = True
        else:
            # The key is written first: otherwise, a bench ended in between would leave a device
            # with an unknown key. A key that the device did not accept is replaced the next time.
            self.lost_key = self._file.exists()
            key = secrets.token_bytes(32)
            write_key(self._file, key)
            self._say(m.PROVISION, key)

    def _say(self, kind: int, payload: bytes) -> None:
        self._send(encode(struct.pack("<BI", kind, 0) + payload))


def write_key(file: Path, key: bytes) -> None:
    """Write a key file that only its owner can read, from its first byte on."""
    private_files.replace(file, key.hex() + "\n")


def read_key(file: Path) -> bytes | None:
    return bytes.fromhex(file.read_text()) if file.exists() else None
