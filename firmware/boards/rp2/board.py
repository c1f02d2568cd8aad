"""A Raspberry Pi Pico or Pico 2 as the core knows a board."""

import sys
import time

import lines
import machine
import noise
import pins
import programs
import restart
import rp2
from core.sensors import Edges, later, since
from motors import Motors, ShoeMotors, Stepper
from reader import Reader
from sampler import WORDS, Sampler
from samples import Samples

_WATCHDOG = 8388  # milliseconds: the most that an RP2040 can count
_LOOK = 4  # milliseconds between two looks at samples and reader
_TURNER, _HOMER = 1, 2  # state machines of the first PIO; the sampler has the first of them


class Board:
    root = ""

    def __init__(self, spec):
        self.spec = spec
        self.serial = machine.unique_id()
        self.cause = restart.cause(machine)
        self.edges = Edges()
        self.reader = Reader(self.edges)
        self.sampler = Sampler()
        self.gpios = pins.sensors(spec.PINS)
        self.samples = Samples(
            self.sampler.words, self.sampler.first, WORDS, self.gpios, self.edges, self.reader
        )
        self.motors = self._wire(spec, spec.PINS)
        self.reader_line = lines.uart(spec, 1, "reader", 256)
        self.cable = lines.connect(spec)
        self.noise = noise.source(
            restart.chip(),
            machine.mem32,
            time.sleep_us,
            spec.NOISE_MICROSECONDS,
            machine.freq() // 1000000,
        )
        # It cannot be stopped, so a developer at the prompt has none.
        self.watchdog = machine.WDT(timeout=_WATCHDOG) if spec.CONSOLE == "locked" else None

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
        return self.samples.levels()

    def drive(self, actuator, value):
        self.motors.drive(actuator, value)

    def send(self, data):
        self.cable.send(data)

    def fill(self, buf):
        self.noise.fill(buf)
        self._drain()  # a start-up test takes longer than the ring

    def chip(self):
        import uctypes
        from chip import Chip

        sys.modules.pop("chip")  # the code goes when the chip does
        return Chip(restart.chip(), uctypes.bytearray_at, rp2.Flash())

    def feed_watchdog(self):
        """Only a main loop that comes by here, and whose eyes are open, is healthy."""
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
                return device.receive(data)
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

    def _drain(self):
        position = self.sampler.position()
        self.samples.drain(position, self.now())

    # Putting it together

    def _wire(self, spec, wiring):
        outputs = pins.outputs(wiring)
        guards = pins.guards(wiring)
        stepper = self._stepper(wiring)
        motors = self._motors(spec, wiring, outputs, guards, stepper)
        stepper.machine.irq(motors.turned, hard=True)
        for guard in guards:
            guard.irq(motors.cut, machine.Pin.IRQ_RISING, hard=True)
        return motors

    def _motors(self, spec, wiring, outputs, guards, stepper):
        if spec.KIND == "shoe":
            return ShoeMotors(spec, outputs, guards, stepper)
        homer = self._homer(wiring)
        return Motors(spec, outputs, guards, stepper, homer, self.now, time.sleep_ms)

    def _stepper(self, wiring):
        step = wiring["pointer_step"] if "pointer_step" in wiring else wiring["turn_step"]

        def load():
            return rp2.StateMachine(
                _TURNER, programs.turn, freq=programs.STEP_HZ, set_base=machine.Pin(step)
            )

        return Stepper(load)

    def _homer(self, wiring):
        def load():
            return rp2.StateMachine(
                _HOMER,
                programs.home,
                freq=programs.STEP_HZ,
                set_base=machine.Pin(wiring["turn_step"]),
                jmp_pin=machine.Pin(wiring["home"]),
            )

        return Stepper(load)
