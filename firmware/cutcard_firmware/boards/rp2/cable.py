"""Bytes to and from the host, over USB or a UART: both are streams that can be polled.

A host that does not read must not delay the machine: a frame without room in the buffer is dropped,
or cut short. The host detects the missing number or reply, and asks again.

A write over USB waits for half a second and more if a part of it does not fit, and `poll` only
promises room for one byte. So a frame is written in one piece only if it fits into the port's
buffer with all frames that the host may not have read yet. Other frames are written byte by byte.
"""

_MOST = 256  # bytes of a frame; the host sends one at a time
_ROOM = 256  # bytes of the USB port's send buffer
_PATIENCE = 50  # milliseconds that a frame waits for room
_NEXT = 2  # for each byte after the first: a reading host takes up to 64 in that time


class Cable:
    """The cable. `readable` and `writable` are poll objects on which the two streams are
    registered."""

    def __init__(self, incoming, outgoing, readable, writable):
        self.outgoing = outgoing
        self.readable = readable
        self.writable = writable
        # Stored once, because each lookup of a bound method allocates an object.
        self.ready = readable.ipoll
        self.take = incoming.readinto
        self.one = bytearray(1)
        self.heard = memoryview(bytearray(_MOST))
        self.patience = _PATIENCE
        self.unread = 0  # bytes that the host may not have read yet: see `Board._hear`

    def read(self):
        """Return the available bytes, without waiting.

        A read of more than one byte would wait for all of them; `ipoll` is `poll` without a new
        list for each call.
        """
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
        """Sleep until bytes arrive; return True if the time was over first. Allocates no memory."""
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
                # The host does not read: wait once, not for each of two dozen events.
                self.patience = 0
                return
            one[0] = byte
            self.outgoing.write(one)
            wait = _NEXT
        self.patience = _PATIENCE

    def drain(self):
        """Wait until the sent bytes have left, before the board is reset."""
        self.writable.poll(_PATIENCE)
        self.readable.poll(_PATIENCE)
