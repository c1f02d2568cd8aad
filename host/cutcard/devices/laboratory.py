"""Laboratory mode: raw noise, raw output and scaled draws of a device.

with device.laboratory() as laboratory:
    laboratory.output(1_000_000)

The device must hold no cards. It reports the mode and deals no cards in it. When it leaves the
mode, its random source is seeded again, so data taken here reveals nothing about later cards.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType

from cutcard.devices.connection import Connection
from cutcard.devices.deadline import Deadline

PIECE_BYTES = 192  # the most bytes of one reply
PIECE_SECONDS = 10.0
FIRST_SAMPLES = 1088  # of a start, kept by the device for a host that asks for them
LEAVE_SECONDS = 30.0  # the start-up test takes new noise
WHOLE_SPAN = 1 << 32
_BITS = [bytes(byte >> 7 - i & 1 for i in range(8)) for byte in range(256)]


@dataclass
class Laboratory:
    """Streams that yield at most the requested amount.

    `gaps` lists the data lost on the line: the device never sends a byte twice.
    """

    connection: Connection
    gaps: list[str] = field(default_factory=list)
    _expected: dict[str, int] = field(default_factory=dict)

    def __enter__(self) -> Laboratory:
        self.enter()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.leave()

    def enter(self) -> None:
        self.connection.command("laboratory", 1, deadline=Deadline(PIECE_SECONDS))

    def restart(self) -> None:
        """Restart the board in laboratory mode; returns when its next start is certain."""
        self.connection.command("laboratory", 2, deadline=Deadline(PIECE_SECONDS))

    def enter_after_restart(self) -> None:
        """Enter laboratory mode after a start out of it: `noise` begins with its first samples."""
        self._expected.clear()  # the device counts from its start
        self.connection.command("laboratory", 3, deadline=Deadline(LEAVE_SECONDS))

    def leave(self) -> None:
        """Leave laboratory mode; return when the source has passed its start-up test again."""
        self.connection.command("laboratory", 0, deadline=Deadline(LEAVE_SECONDS))

    def noise(self, samples: int) -> Iterator[bytes]:
        """Yield raw samples, one per byte, as the tools of SP 800-90B expect them."""
        for packed in self._pieces("raw_noise", -(-samples // 8)):
            bits = b"".join(_BITS[byte] for byte in packed)[:samples]
            samples -= len(bits)
            yield bits

    def output(self, size: int) -> Iterator[bytes]:
        """Yield bytes of the generator, as draws use them."""
        return self._pieces("raw_output", size)

    def draws(self, span: int, number: int) -> Iterator[tuple[int, ...]]:
        """Yield draws from 0 to span - 1."""
        width, code = (1, "B") if span <= 1 << 8 else (2, "H") if span <= 1 << 16 else (4, "I")
        while number:
            most = min(number, PIECE_BYTES // width)
            data = self._piece("scaled_draws", span % WHOLE_SPAN, most)
            found = struct.unpack(f"<{len(data) // width}{code}", data)
            number -= len(found)
            yield found

    def _pieces(self, what: str, size: int) -> Iterator[bytes]:
        while size > 0:
            data = self._piece(what, PIECE_BYTES)[:size]
            size -= len(data)
            yield data

    def _piece(self, what: str, *arguments: int) -> bytes:
        found = self.connection.ask(what, *arguments, deadline=Deadline(PIECE_SECONDS))
        data: bytes = found["data"]
        expected = self._expected.get(what, found["at"])
        if found["at"] != expected:
            self.gaps.append(f"{what}: {found['at'] - expected} bytes after byte {expected}")
        self._expected[what] = found["at"] + len(data)
        return data
