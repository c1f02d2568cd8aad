"""What the actuators' numbers do to pins and step generators.

Every output is safe when it is low, and low is where a resistor holds it while the board
resets. Nothing that could hurt a finger starts while a guard (door, stall) is high, whatever
the core believes: `cut` is their interrupt handler, and `drive` looks again.

A collection of garbage takes 20 milliseconds, and a card that follows another comes within 40: so
there is one before each thing that must be stopped in time, and none is due while it runs.

The pins and generators are handed in, so that this runs without a board.
"""

import steps
from core.sensors import (
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
    TURN,
)

_POINTER_PERIOD = 2000  # microseconds a step
_WAKE = 2  # milliseconds until a driver that slept obeys
_HOMING_PACE = (5, 4)  # of a turn's period: the core allows one and a half


class Stepper:
    """Pulses counted in hardware. `load()` gives the state machine afresh, standing still."""

    def __init__(self, load):
        self.load = load
        self.machine = load()

    def go(self, words):
        self.machine = self.load()
        for word in words:
            self.machine.put(word)
        self.machine.active(1)

    def stop(self):
        self.machine.active(0)


class Motors:
    def __init__(self, spec, outputs, guards, turner, homer, now, sleep_ms, collect):
        self.feed = outputs["feed"]
        self.eject = outputs["eject"]
        self.gate = outputs["gate"]
        self.enable = outputs["turn_enable"]
        self.direction = outputs["turn_direction"]
        self.ready = outputs["light_ready"]
        self.trouble = outputs["light_fault"]
        self.movers = (self.feed, self.eject, self.gate, self.enable)
        self.guards = guards  # the door first, as the core numbers them
        self.guard = None  # the one that has cut the motors, until the core is told
        self.turner = turner
        self.homer = homer
        self.now = now
        self.sleep_ms = sleep_ms
        self.collect = collect
        self.tidy = False  # no garbage is left of the card before
        self.steps = spec.STEPS_BIN
        self.period = spec.TURN_BIN * 1000 // spec.STEPS_BIN
        self.turning = 0  # bins, or half bins, of the turn under way
        self.over = False  # the generator has said that its turn is over
        self.over_at = 0

    def drive(self, actuator, value):
        if value and actuator in (FEED, EJECT):
            self._tidy_up()  # where no turn came before
        if actuator == LIGHT:
            self.ready.value(value & 1)
            self.trouble.value(value >> 1)
        elif value and self.guarded():
            return
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

    def guarded(self):
        return any(guard.value() for guard in self.guards)

    def report(self, edges):
        """Tell the core of a guard, which may have gone with the current, and of a turn's end."""
        if self.guard is not None:
            edges.push(self.now(), GUARDED, self.guards.index(self.guard))
            self.guard = None
        if self.over:
            self.over = False
            if self.turning:
                edges.push(self.over_at, SLOT, self.turning & 255)
                self.turning = 0

    def rest(self):
        """Nothing is under way: take the current off the wheel."""
        self.enable.value(0)

    # Interrupt handlers: they allocate nothing.

    def cut(self, guard=None):
        """The door opened or a motor stalled: everything stands, the gate is shut."""
        self.guard = self.guard or guard
        for mover in self.movers:
            mover.value(0)
        self.turner.stop()
        self.homer.stop()

    def turned(self, machine=None):
        self.over_at = self.now()
        self.over = True

    def _turn(self, value):
        self.turner.stop()
        self.over = False
        self.turning = abs(value) & HALF - 1
        if value:
            self._hold()
            self.direction.value(value < 0)
            pulses = self.turning * self.steps >> abs(value) // HALF
            self.turner.go(steps.turn(pulses, self.period))
            self._tidy_up()  # the pulses are counted without us

    def _home(self, value):
        self.homer.stop()
        if value:
            self._hold()
            self.direction.value(0)
            times, of = _HOMING_PACE
            self.homer.go((steps.pace(self.period * times // of),))

    def _run(self, motor, value):
        if value:
            self._hold()
        motor.value(value)
        self.tidy = self.tidy and bool(value)

    def _open(self, value):
        """The gate: no hand is so quick that it has a card before the collection is over."""
        self.gate.value(value)
        if not value:
            self.tidy = False
        elif not (self.feed.value() or self.eject.value()):
            self._tidy_up()

    def _tidy_up(self):
        if not self.tidy:
            self.collect()
            self.tidy = True

    def _hold(self):
        """Current for the wheel: to turn it, or to hold it while a card goes in or out."""
        if not self.enable.value():
            self.enable.value(1)
            self.sleep_ms(_WAKE)


class ShoeMotors:
    """A shoe has a gate, lights, and a pointer that shows the hand a depth."""

    def __init__(self, spec, outputs, guards, pointer, collect):
        self.gate = outputs["gate"]
        self.direction = outputs["pointer_direction"]
        self.ready = outputs["light_ready"]
        self.trouble = outputs["light_fault"]
        self.guards = guards
        self.pointer = pointer
        self.collect = collect
        self.steps = spec.STEPS_CARD
        self.under_way = False
        self.wanted = self.where = 0
        # Where it stands nobody knows: back against its stop, however far that is.
        self._step(-(spec.CAPACITY + 1) * spec.STEPS_CARD)

    def drive(self, actuator, value):
        if actuator == LIGHT:
            self.ready.value(value & 1)
            self.trouble.value(value >> 1)
        elif actuator == GATE:
            self.gate.value(1 if value and not self.guarded() else 0)
            if value:
                self.collect()
        elif actuator in (POINT_CUT, POINT_PLACE):
            self.wanted = value * self.steps

    def guarded(self):
        return any(guard.value() for guard in self.guards)

    def report(self, edges):
        """The pointer goes where it was last sent, one move at a time."""
        if not self.under_way and self.wanted != self.where:
            change = self.wanted - self.where
            self.where = self.wanted
            self._step(change)

    def rest(self):
        pass

    # Interrupt handlers: they allocate nothing.

    def cut(self, guard=None):
        self.gate.value(0)

    def turned(self, machine=None):
        self.under_way = False

    def _step(self, count):
        self.under_way = True
        self.direction.value(count < 0)
        self.pointer.go(steps.turn(abs(count), _POINTER_PERIOD))
