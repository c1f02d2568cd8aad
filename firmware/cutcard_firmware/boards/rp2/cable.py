"""Bytes to and from the host, over USB or a UART: both are streams that can be polled.

A host that does not read must not hold the machine up: a frame that finds no room is dropped, or
cut short. The host misses its number, or its reply, and asks again.

A write over USB waits for half a second and more if a part of it finds no room, and `poll` only
promises room for one byte. So a frame is written at once only if it fits into the port's buffer
with all frames that the host may not have read yet. Any other is written byte by byte.
"""

_MOST = 256  # a frame; the host has one under way at a time
_ROOM = 256  # bytes of the USB port's buffer for what it sends
_PATIENCE = 50  # milliseconds that a frame waits for room
_NEXT = 2  # and each of its bytes after the first: a host that reads takes up to 64 in that time


class Cable:
    """`readable` and `writable` are poll objects on which the two streams are registered."""

    def __init__(self, incoming, outgoing, readable, writable):
        self.outgoing = outgoing
        self.readable = readable
        self.writable = writable
        # Each time that a method is asked for by name alone, it is an object more in memory.
        self.ready = readable.ipoll
        self.take = incoming.readinto
        self.one = bytearray(1)
        self.heard = memoryview(bytearray(_MOST))
        self.patience = _PATIENCE
        self.unread = 0  # bytes that the host may not have read: see `Board._hear`

    def read(self):
        """What has come, without waiting. A read of more than one byte would wait for them; `ipoll`
        is `poll` without a list for each of them."""
        ready, take, one, heard = self.ready, self.take, self.one, self.heard
        size = 0
        while size < _MOST:
            for _ in ready(0):
                break
            else:
                break
            take(one)
            heard[size] = one[0]
            size += 1
        return bytes(heard[:size]) if size else b""

    def wait(self, milliseconds):
        """Sleep until something has come, or the time is over: True. Leaves no garbage behind."""
        for _ in self.ready(milliseconds):
            return False
        return True

    def send(self, data):
        if self.unread <= _ROOM:
            self.unread += len(data)
        if self.unread <= _ROOM:
            self.outgoing.write(data)
            self.patience = _PATIENCE
            return
        wait, one = self.patience, self.one
        for byte in data:
            for _ in self.writable.ipoll(wait):
                break
            else:
                # Nobody reads: wait once, not for each of two dozen events.
                self.patience = 0
                return
            one[0] = byte
            self.outgoing.write(one)
            wait = _NEXT
        self.patience = _PATIENCE

    def drain(self):
        """Let what was sent get out before the board is reset."""
        self.writable.poll(_PATIENCE)
        self.readable.poll(_PATIENCE)
