"""The bench's board: motors, sensors, noise, flash and cable are at the other end of a pipe."""

import struct
import sys

from core.devices.sensors import LEVELS, Edges
from micropython import const, heap_lock, heap_unlock

_EDGE = const(6)  # bytes: time, sensor, value
_WAIT_HEAD = const(8)  # time, number of edges, number of bytes from the host


class Board:
    def __init__(self, channel, root, flash, micropython):
        self._channel = channel
        self.root = root
        self.flash = flash
        self._micropython = micropython  # the part of the chip before the files, an open file
        self.edges = Edges()
        self._drive = bytearray(4)
        self._send = bytearray(3)
        self._wait = bytearray(6)
        channel.add(b"S")
        channel.ask(13 + LEVELS)
        answer = channel.answer
        self._now, self.cause = struct.unpack_from("<IB", answer)
        self.serial = bytes(answer[5:13])
        self._levels = bytes(answer[13 : 13 + LEVELS])

    def now(self):
        return self._now

    def levels(self):
        return self._levels

    def drive(self, actuator, value):
        struct.pack_into("<BBh", self._drive, 0, 0x44, actuator, value)
        self._channel.add(self._drive)

    def show(self, table, amount):
        """Show an amount on a controller's meter and panel; they report their displays."""
        self._channel.add(struct.pack("<BBI", 0x56, table, amount))

    def breathe(self):
        """Do nothing: the bench's clock does not move during a long computation."""

    def send(self, data):
        struct.pack_into("<BH", self._send, 0, 0x54, len(data))
        self._channel.add(self._send, data)

    def fill(self, buf):
        self._channel.add(struct.pack("<BH", 0x4E, len(buf)))
        self._channel.ask(len(buf))
        buf[:] = memoryview(self._channel.answer)[: len(buf)]

    def fresh(self, size):
        """Return random bytes for handshakes, independent of the noise that decides cards."""
        self._channel.add(struct.pack("<BH", 0x55, size))
        self._channel.ask(size)
        return bytes(memoryview(self._channel.answer)[:size])

    def chip(self):
        from chip import Chip

        sys.modules.pop("chip")  # unloads the code together with the chip
        return Chip(self.flash, self._micropython)

    def feed_watchdog(self):
        self._channel.add(b"F")

    def ready(self):
        self._channel.add(b"R")

    def wait(self, milliseconds, busy, device):
        """Sleep until an edge, bytes from the host, or the end of the time."""
        channel = self._channel
        struct.pack_into("<BIB", self._wait, 0, 0x57, milliseconds, 1 if busy else 0)
        channel.add(self._wait)
        channel.ask(_WAIT_HEAD)
        answer = channel.answer
        self._now = answer[0] | answer[1] << 8 | answer[2] << 16 | answer[3] << 24
        edges = answer[4] | answer[5] << 8
        size = answer[6] | answer[7] << 8
        at = _WAIT_HEAD + edges * _EDGE
        if edges or size:
            channel.fetch(_WAIT_HEAD, edges * _EDGE + size)
        if edges:
            # A sensor's interrupt must not allocate. Here that would raise an error.
            heap_lock()
            _interrupt(self.edges, answer, edges)
            heap_unlock()
        if size:
            device.receive(bytes(answer[at : at + size]))


def _interrupt(ring, answer, edges):
    """Run a board's interrupt handler for each edge."""
    at = _WAIT_HEAD
    while edges:
        time = answer[at] | answer[at + 1] << 8 | answer[at + 2] << 16 | answer[at + 3] << 24
        ring.push(time, answer[at + 4], answer[at + 5])
        at += _EDGE
        edges -= 1
