"""The cable neither waits for a host that is silent nor for one that does not read."""

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


def test_what_has_come_is_read_whole():
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


def test_a_host_that_does_not_read_costs_one_wait_and_no_more():
    host = Host()
    host.reads = False
    for _ in range(24):
        host.cable.send(b"event")
    assert host.from_device == []
    assert sum(host.polled) == 50
    host.reads = True
    host.cable.send(b"event")
    assert host.from_device == [b"event"]
