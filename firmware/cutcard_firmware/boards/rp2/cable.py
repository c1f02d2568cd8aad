"""Bytes to and from the host, over USB or a UART: both are streams that can be polled.

A host that does not read must not hold the machine up: a frame that finds no room is dropped.
The host misses its number, or its reply, and asks again.
"""

_MOST = 256  # a frame; the host has one under way at a time
_PATIENCE = 50  # milliseconds that a frame waits for room


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
        for _ in self.writable.ipoll(self.patience):
            self.patience = _PATIENCE
            self.outgoing.write(data)
            return
        # Nobody reads: wait once, not for each of two dozen events.
        self.patience = 0

    def drain(self):
        """Let what was sent get out before the board is reset."""
        self.writable.poll(_PATIENCE)
        self.readable.poll(_PATIENCE)
