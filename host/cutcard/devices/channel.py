"""Frames over an open port, with the codec that driver and firmware share."""

from __future__ import annotations

import struct
from collections import deque

from cutcard.devices import wire
from cutcard.devices.deadline import Deadline
from cutcard.devices.ports import Line
from cutcard_firmware.core.link import frame

DRAIN_SECONDS = 0.05


class Channel:
    """Send and receive bodies of frames; drop and count garbage between frames.

    A tap receives unencrypted frames here. Encrypted frames are shown by the owner of the session.
    """

    def __init__(self, line: Line, tap: wire.Tap | None = None) -> None:
        self._line = line
        self._tap = tap
        self._splitter = frame.Splitter()
        self._bodies: deque[bytes] = deque()

    @property
    def dropped(self) -> int:
        count: int = self._splitter.dropped
        return count

    def send(self, body: bytes) -> None:
        self._show(True, body)
        self._line.write(frame.encode(body))

    def receive(self, deadline: Deadline) -> bytes | None:
        """Return the next body, or None when the deadline is over.

        Data that has already arrived is read first, so a deadline of zero still reads.
        """
        while not self._bodies:
            data = self._line.read(deadline.left)
            if not data and deadline.over:
                return None
            self._bodies.extend(self._splitter.feed(data))
        body = self._bodies.popleft()
        self._show(False, body)
        return body

    def _show(self, sent: bool, body: bytes) -> None:
        if self._tap is not None and (plain := read_clear(body)) is not None:
            self._tap(wire.clear(sent, *plain))

    def drain(self, deadline: Deadline) -> None:
        """Discard all incoming data until the line is quiet for a moment."""
        self._bodies.clear()
        while not deadline.over and self._line.read(DRAIN_SECONDS):
            pass

    def close(self) -> None:
        self._line.close()


def clear(kind: int, payload: bytes) -> bytes:
    """Return the body of a frame outside a session: counter 0, no tag."""
    return struct.pack("<BI", kind, 0) + payload


def read_clear(body: bytes) -> tuple[int, bytes] | None:
    """Return (kind, payload) of a frame outside a session, or None for a frame of a session."""
    if len(body) < 5 or body[1:5] != bytes(4):
        return None
    return body[0], body[5:]
