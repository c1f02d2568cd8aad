"""A Raspberry Pi Pico or Pico 2 as the core knows a board."""

import gc
import os
import sys
import time

import lines
import machine
import noise
import oscillator
import pins
import restart
import rp2
from core.devices.sensors import Edges, later, since
from flash import Flash
from sampler import WORDS, Sampler
from samples import Samples

_LOOK = 4  # milliseconds between two looks at samples and reader while something is under way
_REST = 20  # and at rest: a ring keeps when each edge was, and who acts on it has a person's time
_LATE = 80  # milliseconds without a look, after which the next erase does not go by unseen
_PAUSE = 5  # milliseconds without a byte that end a frame of the reader
_SILENCE = 2  # milliseconds after which a host pauses
_PAUSES = 16  # of the host, from one look at how much memory is left to the next
_SHORT = 40960  # bytes: less could be used up before the look after the next


class Board:
    root = ""

    def __init__(self, spec, watchdog):
        """`watchdog` runs already; None for a developer at the prompt."""
        self.spec = spec
        self.watchdog = watchdog
        self.serial = machine.unique_id()
        self.cause = restart.cause(machine)
        self.flash = rp2.Flash()
        self.edges = Edges()
        wiring = _wiring(spec.KIND)
        self.reader = wiring.reader(self.edges)
        self.sampler = Sampler()
        self.gpios = pins.sensors(spec.PINS, wiring.SENSORS)
        self.samples = Samples(
            self.sampler.words, self.sampler.first, WORDS, self.gpios, self.edges, self.reader
        )
        self.motors = wiring.motors(spec, self.now)
        self.reader_line = lines.uart(spec, 1, wiring.LINE, 256)
        self.received = 0  # when it last had bytes
        self.cable = lines.connect(spec)
        self.noise = noise.source(
            restart.chip(),
            machine.mem32,
            time.sleep_us,
            spec.NOISE_MICROSECONDS,
            machine.freq() // 1000000,
            oscillator.look,
        )
        self.pauses = 0  # since it was last looked how much memory is left
        self.short = False  # little was

    # What the core calls

    def now(self):
        return time.ticks_ms()  # modulo 2^30 on these boards, as the core wants it

    def levels(self):
        """The sensors as they are; what changes from here on becomes edges."""
        word = 0
        for gpio in self.gpios:
            if gpio is not None and machine.Pin(gpio).value():
                word |= 1 << gpio
        self.samples.begin(word, self.sampler.position(), self.now())
        Flash.look = self._drain_if_late
        return self.samples.levels()

    def drive(self, actuator, value):
        self.motors.drive(actuator, value)

    def show(self, table, amount):
        """On a controller's meter and panel, which say what they show."""
        self.reader_line.write(self.reader.frame_to(table, amount))

    def breathe(self):
        """In a long computation: the ring of samples is only a second long."""
        self._look()
        self.feed_watchdog()

    def send(self, data):
        self.cable.send(data)

    def fill(self, buf):
        self.noise.fill(buf)
        self._drain_if_late()  # a start-up test takes longer than the ring

    def fresh(self, size):
        """Bytes that nobody can know beforehand, apart from the noise that decides cards."""
        return os.urandom(size)

    def chip(self):
        import uctypes
        from chip import Chip

        sys.modules.pop("chip")  # the code goes when the chip does
        return Chip(restart.chip(), uctypes.bytearray_at, self.flash)

    def feed_watchdog(self):
        """Only a main loop that comes by here, and whose eyes are open, is healthy."""
        if self.edges.unseen:
            self.motors.cut()  # the core latches a fault as soon as it comes by
        if self.edges.lost or self.samples.stand_still():
            self.motors.cut()  # the watchdog bites in a few seconds; until then nothing moves
        elif self.watchdog is not None:
            self.watchdog.feed()

    def wait(self, milliseconds, busy, device):
        """Sleep until an edge, bytes from the host, or until the time is over."""
        until = later(self.now(), milliseconds)
        if not busy:
            self.motors.rest()
        pause = _LOOK if busy else _SILENCE
        while not self._hear(device):
            left = since(until, self.now())
            if left <= 0 or self.edges.head != self.edges.tail:
                return
            if self.cable.wait(min(left, pause)) and pause == _SILENCE:
                pause = _REST
                self._tidy_up()

    def _hear(self, device):
        """Whether the host has said something, which is obeyed. What came meanwhile is looked at
        behind that, before anything is found to be late: so nobody waits for the look."""
        data = self.cable.read()
        if data:
            sent, counter = self.cable.unread, device.link.heard
            device.receive(data)
            if device.link.heard != counter:
                # A host sends a new command, with a tag, when it has read the answer to the last.
                self.cable.unread -= sent
        self._look()
        return data

    def _look(self):
        self._drain()
        self.motors.report(self.edges)  # of a turn: behind what the wheel passed in it
        self.reader.report_all(self.now())

    def _tidy_up(self):
        """The host pauses, and nothing moves. To collect garbage takes 20 ms, and 9 to look whether
        there is much: one of the two is done in a pause, and seldom, so that few hosts ever wait
        for it. One that never pauses leaves it to the memory that is full, once in more than a
        hundred questions."""
        if self.short:
            self.short = False
            gc.collect()
            return
        self.pauses += 1
        if self.pauses == _PAUSES:
            self.pauses = 0
            self.short = gc.mem_free() < _SHORT

    def _drain_if_late(self):
        """In what may take long: noise is looked at, or a block was erased, perhaps the second or
        third within one write. Each look costs whoever waits half a millisecond."""
        if since(self.now(), self.samples.drained) >= _LATE:
            self._drain()

    def _drain(self):
        """Read the reader's line first: `samples` puts its frames into passages.

        A frame's bytes come without a pause. If the line has been silent for longer, the bytes so
        far are no frame.
        """
        line, now = self.reader_line, self.now()
        if line.any():
            self.received = now
            while line.any():
                self.reader.feed(line.read(1)[0])
        elif self.reader.filled >= 0 and since(now, self.received) > _PAUSE:
            self.reader.forget()
        position = self.sampler.position()
        self.samples.drain(position, self.now())

    # Putting it together


def _wiring(kind):
    """What hangs on the pins: only the code for that is loaded."""
    if kind == "controller":
        import panel_wiring

        return panel_wiring
    import card_wiring

    return card_wiring
