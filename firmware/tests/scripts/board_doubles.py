"""Stand-ins for a board's pins, registers, generators and streams."""

from core.devices.sensors import Edges


def under_locked_heap(function, *arguments):
    """Call like an interrupt: in MicroPython, an allocation raises an error."""
    try:
        import micropython
    except ImportError:  # CPython, which has no heap to lock
        function(*arguments)
        return
    first = arguments[0]
    second = arguments[1] if len(arguments) > 1 else None
    micropython.heap_lock()
    try:
        # Not `function(*arguments)`, which allocates.
        if second is None:
            function(first)
        else:
            function(first, second)
    finally:
        micropython.heap_unlock()


def pending(edges):
    """Remove and return all pending edges, oldest first."""
    out = []
    while True:
        edge = edges.pop()
        if edge is None:
            return out
        out.append(edge)


class Pin:
    def __init__(self, level=0):
        self.level = level

    def value(self, level=None):
        if level is None:
            return self.level
        self.level = 1 if level else 0


class Interrupt:
    """One interrupt, at the moment `at`: before that access to a pin, a generator or the clock.

    `happens` is called at that moment. `handle` follows, delayed while interrupts are off.
    """

    def __init__(self, at, happens, handle):
        self.left = at
        self.happens = happens
        self.handle = handle
        self.is_off = False
        self.waits = False

    def moment(self):
        self.left -= 1
        if self.left == 0:
            self.happens()
            self.waits = True
        if self.waits and not self.is_off:
            self.waits = False
            self.handle()

    def mask(self):
        self.moment()
        self.is_off = True
        return "state"

    def unmask(self, state):
        assert state == "state"
        self.is_off = False
        self.moment()


def watched(double, interrupt, *names):
    """Make each call of these methods a moment at which the interrupt may occur."""

    def at_a_moment(method):
        def call(*arguments):
            interrupt.moment()
            return method(*arguments)

        return call

    for name in names:
        setattr(double, name, at_a_moment(getattr(double, name)))
    return double


class Generator:
    """A state machine of the PIO that stores its words and runs on request."""

    def __init__(self):
        self.words = []
        self.running = False

    def load(self):
        self.words = []
        self.running = False
        return self

    def put(self, word):
        self.words.append(word)

    def active(self, value):
        self.running = bool(value)


class Registers:
    """`machine.mem32`: records writes in order, and returns prepared values."""

    def __init__(self, reads=None):
        self.reads = reads or {}
        self.written = []

    def __getitem__(self, address):
        given = self.reads.get(address, 0)
        return given() if callable(given) else given

    def __setitem__(self, address, value):
        self.written.append((address, value))
        self.reads[address] = value


class Spec:
    """The part of a machine's description that boards read."""

    STEPS_BIN = 16
    STEPS_CARD = 4
    TURN_BIN = 12
    LEGS = ()
    CAPACITY = 10


class Clock:
    def __init__(self):
        self.time = 0

    def now(self):
        return self.time

    def sleep_ms(self, milliseconds):
        self.time += milliseconds


def edges():
    return Edges()
