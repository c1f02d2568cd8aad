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
from core.sensors import Edges, later, since
from flash import Flash
from sampler import WORDS, Sampler
from samples import Samples

_WATCHDOG = 8388  # milliseconds: the most that an RP2040 can count
_LOOK = 4  # milliseconds between two looks at samples and reader
_LATE = 100  # milliseconds without a look, after which the next erase does not go by unseen
_WORKED = 80  # milliseconds at answers: each leaves about a kilobyte behind


class Board:
    root = ""

    def __init__(self, spec):
        self.spec = spec
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
        self.cable = lines.connect(spec)
        self.noise = noise.source(
            restart.chip(),
            machine.mem32,
            time.sleep_us,
            spec.NOISE_MICROSECONDS,
            machine.freq() // 1000000,
            oscillator.look,
        )
        # It cannot be stopped, so a developer at the prompt has none.
        self.watchdog = machine.WDT(timeout=_WATCHDOG) if spec.CONSOLE == "locked" else None
        self.worked = 0  # milliseconds at answers since garbage was last collected for their sake

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
        Flash.look = self._erased
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
        self._drain()  # a start-up test takes longer than the ring

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
        while True:
            self._look()
            data = self.cable.read()
            if data:
                began = self.now()
                device.receive(data)
                self._worked(since(self.now(), began), busy)
                return self._look()  # what came meanwhile, before anything is found to be late
            left = since(until, self.now())
            if left <= 0 or self.edges.head != self.edges.tail:
                return None
            self.cable.wait(min(left, _LOOK))

    def _look(self):
        line = self.reader_line
        while line.any():
            self.reader.feed(line.read(1)[0])
        self.motors.report(self.edges)
        self._drain()
        self.reader.tell_all(self.now())

    def _worked(self, milliseconds, busy):
        """Garbage is collected right behind an answer, where nothing moves: that takes 20 ms, and
        no host that pauses as long waits for it. What a dozen or two leave behind would fill the
        heap in the middle of one. At rest some 25 KB a second are left behind: that collects itself
        every few seconds, when nobody waits as a rule."""
        self.worked += milliseconds
        if self.worked >= _WORKED and not busy:
            self.worked = 0
            gc.collect()

    def _erased(self):
        """A block was erased, perhaps the second or third within one write."""
        if since(self.now(), self.samples.drained) >= _LATE:
            self._drain()

    def _drain(self):
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
