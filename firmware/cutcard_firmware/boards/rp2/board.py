"""A Raspberry Pi Pico or Pico 2 with the board interface of the core."""

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

_LOOK = 4  # milliseconds between two reads of samples and reader during work
_REST = 20  # and at rest: the ring stores the time of each edge, and the reaction may take longer
_LATE = 80  # milliseconds without a read, after which the samples are read before the next erase
_PAUSE = 5  # milliseconds without a byte that end a frame of the reader
_SILENCE = 2  # milliseconds after which a host pauses
_PAUSES = 16  # of the host, between two checks of the free memory
_SHORT = 40960  # bytes: less could be used up before the check after the next one


class Board:
    root = ""

    def __init__(self, spec, watchdog):
        """Start the board. `watchdog` runs already; None for a developer at the prompt."""
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
        self.received = 0  # time of the last bytes
        self.cable = lines.connect(spec)
        self.noise = noise.source(
            restart.chip(),
            machine.mem32,
            time.sleep_us,
            spec.NOISE_MICROSECONDS,
            machine.freq() // 1000000,
            oscillator.look,
        )
        self.pauses = 0  # since the last check of the free memory
        self.short = False  # the last check found little free memory

    # Interface of the core

    def now(self):
        return time.ticks_ms()  # modulo 2^30 on these boards, as the core requires

    def levels(self):
        """Return the levels of the sensors; later changes become edges."""
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
        """Show an amount on a controller's meter and panel, which report their displays."""
        self.reader_line.write(self.reader.frame_to(table, amount))

    def breathe(self):
        """Read the samples during a long computation: their ring is only a second long."""
        self._look()
        self.feed_watchdog()

    def send(self, data):
        self.cable.send(data)

    def fill(self, buf):
        self.noise.fill(buf)
        self._drain_if_late()  # a start-up test takes longer than the ring

    def fresh(self, size):
        """Return unpredictable bytes, independent of the noise that decides cards."""
        return os.urandom(size)

    def chip(self):
        import uctypes
        from chip import Chip

        sys.modules.pop("chip")  # unloads the code together with the chip
        return Chip(restart.chip(), uctypes.bytearray_at, self.flash)

    def feed_watchdog(self):
        """Feed the watchdog, but only if the samples are being read."""
        if self.edges.unseen:
            self.motors.cut()  # the core latches a fault at its next step
        if self.edges.lost or self.samples.stand_still():
            # the watchdog resets the board in a few seconds; until then all motors are off
            self.motors.cut()
        elif self.watchdog is not None:
            self.watchdog.feed()

    def wait(self, milliseconds, busy, device):
        """Sleep until an edge, bytes from the host, or the end of the time."""
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
        """Process bytes from the host; return whether there were any.

        The samples are read after that, and before any timeout is checked, so the host does not
        wait for them.
        """
        data = self.cable.read()
        if data:
            sent, counter = self.cable.unread, device.link.heard
            device.receive(data)
            if device.link.heard != counter:
                # A host sends a new command, with a tag, after it has read the last reply.
                self.cable.unread -= sent
        self._look()
        return data

    def _look(self):
        self._drain()
        self.motors.report(self.edges)  # of a turn: after the sensor edges that it caused
        self.reader.report_all(self.now())

    def _tidy_up(self):
        """Collect garbage while the host pauses and the machine is at rest.

        A collection takes 20 ms, and a check of the free memory 9. Each pause has time for one of
        the two, and they run rarely, so that few hosts ever wait for them. If a host never pauses,
        a collection runs when memory is full, once in more than a hundred questions.
        """
        if self.short:
            self.short = False
            gc.collect()
            return
        self.pauses += 1
        if self.pauses == _PAUSES:
            self.pauses = 0
            self.short = gc.mem_free() < _SHORT

    def _drain_if_late(self):
        """Read the samples during work that may take long.

        Such work is a noise test or an erase, perhaps the second or third within one write. Each
        read delays that work by half a millisecond.
        """
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

    # Assembly


def _wiring(kind):
    """Return the wiring for a kind of device; only its code is loaded."""
    if kind == "controller":
        import panel_wiring

        return panel_wiring
    import card_wiring

    return card_wiring
