"""The effects of the actuators' numbers on pins and step generators.

Every output is safe when it is low, and a resistor keeps it low while the board resets. The first
edge of a guard (door, stall) switches every motor off: `cut` is the interrupt handler. A motor
starts with interrupts off, and only if no guard is high or has cut the motors since the core last
took a report of one.

A garbage collection takes 20 milliseconds, and the next card may follow within 40. So one runs
before each movement that must be stopped in time, and never during it.

The pins and generators are parameters, so this module runs without a board.
"""

import steps
from core.devices.sensors import (
    EJECT,
    FEED,
    GATE,
    GUARDED,
    HALF,
    HOMING,
    LIGHT,
    POINT_CUT,
    POINT_PLACE,
    SLOT,
    SLOWLY,
    TURN,
)

_POINTER_PERIOD = 2000  # microseconds a step
_WAKE = 2  # milliseconds until a sleeping driver obeys


class Stepper:
    """Pulses counted in hardware. `load()` returns a new state machine at rest."""

    def __init__(self, load):
        self.load = load
        self.machine = load()

    def prepare(self, words):
        self.machine = self.load()
        for word in words:
            self.machine.put(word)

    def run(self, on):
        self.machine.active(on)


class Guarded:
    """Motors that a guard cuts.

    `mask()` switches interrupts off, `unmask(its result)` on.
    """

    def __init__(self, guards, now, mask, unmask):
        self.guards = guards  # the door first, as the core numbers them
        self.guard = None  # the first that cut the motors, until the core has taken the report
        self.reported = False
        self.now = now
        self.mask = mask
        self.unmask = unmask

    def stop(self):
        """Switch off the current of everything that a guard cuts; allocates no memory."""
        raise NotImplementedError

    def start(self, switch):
        """Call `switch(1)`, unless a guard is high or has cut the motors.

        The core, which expects a movement, then gets a report.
        """
        state = self.mask()
        for guard in self.guards:
            if guard.value():
                self.guard = self.guard or guard
        if self.guard is None:
            switch(1)
        else:
            self.reported = False
        self.unmask(state)

    def report(self, edges):
        """Report a guard to the core; its level may be low again, as a stall's is without
        current."""
        if self.guard is None:
            return
        if not self.reported:
            self.reported = True
            edges.push(self.now(), GUARDED, self.guards.index(self.guard))
        elif edges.head == edges.tail:  # the core has taken the report
            state = self.mask()
            if self.reported:
                self.guard = None
            self.unmask(state)

    # Interrupt handler: it must not allocate.

    def cut(self, guard=None):
        """Stop all motors and close the gate, because of a guard or a blocked main loop."""
        if guard is not None:
            self.guard = self.guard or guard
            self.reported = False
        self.stop()


class Motors(Guarded):
    def __init__(self, spec, outputs, guards, turner, homer, now, sleep_ms, collect, mask, unmask):
        super().__init__(guards, now, mask, unmask)
        self.feed = outputs["feed"]
        self.eject = outputs["eject"]
        self.gate = outputs["gate"]
        self.enable = outputs["turn_enable"]
        self.direction = outputs["turn_direction"]
        self.ready = outputs["light_ready"]
        self.trouble = outputs["light_fault"]
        self.movers = (self.feed, self.eject, self.gate, self.enable)
        self.turner = turner
        self.homer = homer
        self.sleep_ms = sleep_ms
        self.collect = collect
        self.tidy = False  # no garbage of the previous card remains
        self.steps = spec.STEPS_BIN
        self.period = spec.TURN_BIN * 1000 // spec.STEPS_BIN
        self.turning = 0  # bins, or half bins, of the current turn
        self.over = False  # the generator has reported the end of its turn
        self.over_at = 0

    def drive(self, actuator, value):
        if value and actuator in (FEED, EJECT):
            self._tidy_up()  # if no turn came before
        if actuator == LIGHT:
            self.ready.value(value & 1)
            self.trouble.value(value >> 1)
        elif actuator == TURN:
            self._turn(value)
        elif actuator == HOMING:
            self._home(value)
        elif actuator == FEED:
            self._run(self.feed, value)
        elif actuator == EJECT:
            self._run(self.eject, value)
        elif actuator == GATE:
            self._open(value)

    def report(self, edges):
        """Report a guard, and the end of a turn."""
        super().report(edges)
        if self.over:
            self.over = False
            if self.turning:
                edges.push(self.over_at, SLOT, self.turning & 255)
                self.turning = 0

    def rest(self):
        """Switch the current of the wheel off while no work is active."""
        self.enable.value(0)

    # Interrupt handlers: they must not allocate.

    def stop(self):
        for mover in self.movers:
            mover.value(0)
        self.turner.run(0)
        self.homer.run(0)

    def turned(self, machine=None):
        self.over_at = self.now()
        self.over = True

    def _turn(self, value):
        self.turner.run(0)
        self.over = False
        self.turning = abs(value) & HALF - 1
        if value:
            self._hold()
            self.direction.value(value < 0)
            pulses = self.turning * self.steps >> abs(value) // HALF
            self.turner.prepare(steps.turn(pulses, self.period))
            self.start(self.turner.run)
            self._tidy_up()  # the pulses are counted in hardware

    def _home(self, value):
        self.homer.run(0)
        if value:
            self._hold()
            self.direction.value(0)
            self.homer.prepare(steps.search(self.period, value == SLOWLY))
            self.start(self.homer.run)

    def _run(self, motor, value):
        if value:
            self._hold()
            self.start(motor.value)
        else:
            motor.value(0)
            self.tidy = False

    def _open(self, value):
        """Move the gate. A hand is never fast enough to take a card before the collection ends."""
        if not value:
            self.gate.value(0)
            self.tidy = False
            return
        self.start(self.gate.value)
        if not (self.feed.value() or self.eject.value()):
            self._tidy_up()

    def _tidy_up(self):
        if not self.tidy:
            self.collect()
            self.tidy = True

    def _hold(self):
        """Switch the current of the wheel on: to turn it, or to hold it while a card enters or
        leaves."""
        if not self.enable.value():
            self.start(self.enable.value)
            self.sleep_ms(_WAKE)


class ShoeMotors(Guarded):
    """The motors of a shoe: a gate, lights, and a pointer that shows the hand a depth."""

    def __init__(self, spec, outputs, guards, pointer, now, collect, mask, unmask):
        super().__init__(guards, now, mask, unmask)
        self.gate = outputs["gate"]
        self.direction = outputs["pointer_direction"]
        self.ready = outputs["light_ready"]
        self.trouble = outputs["light_fault"]
        self.pointer = pointer
        self.collect = collect
        self.steps = spec.STEPS_CARD
        self.under_way = False
        self.wanted = self.where = 0
        # The position is unknown: move it back against its stop, by the longest distance.
        self._step(-(spec.CAPACITY + 1) * spec.STEPS_CARD)

    def drive(self, actuator, value):
        if actuator == LIGHT:
            self.ready.value(value & 1)
            self.trouble.value(value >> 1)
        elif actuator == GATE:
            if value:
                self.start(self.gate.value)
                self.collect()
            else:
                self.gate.value(0)
        elif actuator in (POINT_CUT, POINT_PLACE):
            self.wanted = value * self.steps

    def report(self, edges):
        """Report a guard; move the pointer to its last target, one move at a time."""
        super().report(edges)
        if not self.under_way and self.wanted != self.where:
            change = self.wanted - self.where
            self.where = self.wanted
            self._step(change)

    def rest(self):
        pass

    # Interrupt handlers: they must not allocate.

    def stop(self):
        self.gate.value(0)

    def turned(self, machine=None):
        self.under_way = False

    def _step(self, count):
        self.under_way = True
        self.direction.value(count < 0)
        self.pointer.prepare(steps.turn(abs(count), _POINTER_PERIOD))
        self.pointer.run(1)
