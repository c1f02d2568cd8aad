"""The cable waits for a host that does not read or write only for a limited time."""

from cable import Cable


class Host:
    """Both streams and both polls of a cable, from the other end."""

    def __init__(self):
        self.to_device = bytearray()
        self.from_device = []
        self.reads = True
        self.polled = []
        self.cable = Cable(self, self, Poll(self.readable), Poll(self.writable))

    def readable(self, milliseconds):
        return len(self.to_device) > 0

    def writable(self, milliseconds):
        self.polled.append(milliseconds)
        return self.reads

    def readinto(self, buf):
        assert len(self.to_device) >= len(buf), "a board would wait here"
        for at in range(len(buf)):
            buf[at] = self.to_device[at]
        self.to_device = self.to_device[len(buf) :]
        return len(buf)

    def write(self, data):
        self.from_device.append(bytes(data))
        return len(data)


class Poll:
    def __init__(self, ready):
        self.ready = ready

    def poll(self, milliseconds=-1):
        return [1] if self.ready(milliseconds) else []

    def ipoll(self, milliseconds=-1):
        return iter(self.poll(milliseconds))


def test_all_received_bytes_are_read():
    host = Host()
    host.to_device.extend(b"\x00\x03abc\x00")
    assert host.cable.read() == b"\x00\x03abc\x00"
    assert host.cable.read() == b""


def test_more_than_a_frame_comes_in_parts():
    host = Host()
    host.to_device.extend(bytes(range(256)) * 2)
    assert host.cable.read() + host.cable.read() == bytes(range(256)) * 2


def test_a_frame_is_sent_as_it_is():
    host = Host()
    host.cable.send(b"\x00frame\n\x00")
    assert host.from_device == [b"\x00frame\n\x00"]


class UsbHost(Host):
    """MicroPython's port: a write without room waits up to half a second for each 64 bytes."""

    ROOM = 256

    def __init__(self):
        super().__init__()
        self.waiting = bytearray()  # in the port's buffer
        self.waited = 0

    def writable(self, milliseconds):
        if self.reads:
            self.take()
        elif len(self.waiting) >= self.ROOM:
            self.waited += milliseconds
        return len(self.waiting) < self.ROOM

    def write(self, data):
        if self.reads:
            self.take()
        for at in range(0, len(data), 64):
            part = data[at : at + 64]
            if len(part) > self.ROOM - len(self.waiting):
                self.waited += 500
            self.waiting.extend(part[: self.ROOM - len(self.waiting)])
        return len(data)

    def take(self):
        self.from_device.append(bytes(self.waiting))
        self.waiting = bytearray()


def test_host_that_stops_reading_costs_one_wait_of_50_ms_whatever_the_frames_sizes():
    for size in (7, 63, 64, 65, 100, 200, 256):
        host = UsbHost()
        host.reads = False
        for _ in range(24):
            host.cable.send(bytes(size))
        assert host.waited <= 52, (size, host.waited)


def test_host_that_reads_again_gets_whole_frames():
    host = UsbHost()
    host.reads = False
    for _ in range(24):
        host.cable.send(b"\x00an event\x00")
    host.reads = True
    host.take()
    host.from_device.clear()
    host.cable.send(b"\x00another\x00")
    host.take()
    assert b"".join(host.from_device) == b"\x00another\x00"


def test_frames_up_to_256_unread_bytes_are_written_immediately():
    host = Host()
    for _ in range(3):
        host.cable.unread = 0
        host.cable.send(bytes(200))
        host.cable.send(bytes(56))
    assert [len(part) for part in host.from_device] == [200, 56] * 3
    assert host.polled == []


def test_host_that_sends_and_does_not_read_costs_no_more():
    host = UsbHost()
    host.reads = False
    for _ in range(24):
        host.to_device.extend(b"?")
        assert host.cable.read() == b"?"
        host.cable.send(bytes(100))
    assert host.waited <= 52, host.waited


def test_host_that_asks_nothing_gets_each_frame_byte_by_byte():
    host = Host()
    host.cable.send(bytes(256))
    host.cable.send(b"event")
    assert host.from_device == [bytes(256), b"e", b"v", b"e", b"n", b"t"]
