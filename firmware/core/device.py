"""What a shuffler and a shoe have in common: starting, the clock, jobs, faults and events.

Nothing here waits. Bytes and edges come in, `step` works off what they mean at this
moment, motor commands and bytes go out. Work that takes time is a job: a generator that
yields the sensors it waits for and how long, so that it reads from top to bottom.

One thing moves at a time, and the flash is written only while nothing moves that this
device drives: an erase stops a board's interrupts for half a card's passage.
"""

import struct

from . import messages as m
from . import state as st
from .health import HealthTests
from .link import Link
from .mouth import Mouth
from .sensors import (
    DOOR,
    EJECT,
    ENTRY,
    EXIT,
    FACE,
    FEED,
    GATE,
    HOMING,
    LEVELS,
    LIGHT,
    MOUTH,
    STALL,
    TURN,
    WRAP,
    Debounce,
    later,
    since,
)
from .source import NoiseFailure, RandomSource

FIRMWARE = 1
IDLE_STEP = 4000  # at the latest then the watchdog wants to be fed

EMPTY, LOADING, READY, UNLOADING, IN_FAULT, RECOVERING = range(len(m.MODES))
STORAGE_FULL = 1  # detail of state-lost: nothing was lost yet, but nothing more can be written


class Fault(Exception):
    """Raised by a job that meets one; `step` latches it."""

    def __init__(self, fault, detail=0):
        self.fault = fault
        self.detail = detail


class Device:
    firmware = FIRMWARE
    supply_sensor: int  # shows that a card lies where the hand can draw it

    def __init__(self, spec, board, bins):
        self.spec = spec
        self.board = board
        self.now = board.now()
        self.edges = board.edges
        self.levels = Debounce(spec.DEBOUNCE, board.levels())
        self.state = st.State(board.root, bins)
        self.mouth = Mouth(self)
        self.outbox = []  # events that are noted and not told yet
        self.job = None
        self.walk = None  # an attestation that is under way: it goes on while no job does
        self.waits_for = 0  # the job's sensors, a bit each
        self.wait_began = 0
        self.wait_limit = 0
        self.rest_since = [self.now] * LEVELS  # when each sensor last changed
        self.gate = 0
        self.nonces = 0
        self.drained = 0  # cards that left while the machine was being emptied
        self.cards_in = 0
        self.cards_out = 0
        self.cycled = self.now
        self._start()

    # What each kind of device does in its own way

    def inside(self):
        """Cards inside, as far as is known."""
        raise NotImplementedError

    def in_bins(self):
        raise NotImplementedError

    def room(self):
        """Cards that it can hold."""
        raise NotImplementedError

    def idle(self):
        """Nothing is under way and nothing is wrong: go on with what the mode is about."""
        raise NotImplementedError

    def unsure(self):
        """A fault struck: mark what can no longer be trusted."""
        raise NotImplementedError

    def recovery(self):
        """The job that ends in a verified count."""
        raise NotImplementedError

    def running_out(self):
        """The job that ends with the machine empty."""
        raise NotImplementedError

    def walk_on(self):
        """One step of an attestation."""
        raise NotImplementedError

    # Starting

    def _start(self):
        state = self.state
        self._motors_off()
        key = state.read("/key")
        self.link = Link(self, self.board.send, key)
        lost = False
        if key:
            try:
                state.load()
            except st.StateLost:
                lost = True
        state.add(st.BOOTS, 1)
        written = self._open_source()
        if not key:
            return
        self.emit("started", state.get(st.BOOTS), self.board.cause)
        watchdog = m.CAUSES[self.board.cause] == "watchdog"
        if lost:
            self.fault("state-lost")
        elif watchdog or self.was_moving():
            intent = state.get(st.INTENT)
            self._unsure_after_power_cut()
            self.fault("watchdog" if watchdog else "power-lost", intent)
        if not written:
            self.fault("state-lost", STORAGE_FULL)
        if self.source.failed:
            self.fault("random-source")
        self._first_look()
        self._try_commit()
        self._show()

    def was_moving(self):
        """The state is one of something under way: what the motors did last is not known."""
        state = self.state
        return (
            state.get(st.INTENT)
            or state.get(st.ARMED)
            or state.get(st.MODE) in (UNLOADING, RECOVERING)
        )

    def _first_look(self):
        """What sensors show already will not change: a door that stands open tells no edge."""
        for sensor in (DOOR, FACE, MOUTH):
            if self.levels.stable[sensor]:
                self._changed(self.now, sensor, 1)

    def _open_source(self):
        spec = self.spec
        self.source = RandomSource(
            self.board,
            st.Seed(self.state),
            HealthTests(spec.RCT, spec.APT, spec.WINDOW),
            self.board.serial + struct.pack("<I", self.state.get(st.BOOTS)),
            spec.SAMPLES,
        )
        try:
            # The count of starts is durable before anything is drawn from it.
            if self.link.key:
                self.commit()
            self.source.restart()
        except NoiseFailure:
            pass
        except st.StorageFull:
            return False
        return True

    def _unsure_after_power_cut(self):
        """Somebody may have taken the card that was called: one fewer may be inside."""
        state = self.state
        gate_was_open = state.get(st.ARMED) or state.get(st.MODE) in (UNLOADING, RECOVERING)
        if gate_was_open:
            self.may_have_left(1)
        state.set(st.ARMED, 0)
        state.set(st.BURNING, 0)

    def may_have_left(self, cards):
        """So many of the supply are inside or outside: nobody can tell before they are counted."""
        state = self.state
        cards = min(cards, state.get(st.SUPPLY))
        state.add(st.SUPPLY, -cards)
        state.add(st.SLACK, cards)
        state.add(st.OUTSIDE, cards)

    # The clock's side

    @property
    def busy(self):
        return (
            self.job is not None
            or self.walk is not None
            or self.levels.pending != 0
            or self.mouth.covered
            or self._at_rest_too_long() is not None
        )

    def step(self, now):
        """Work off what has happened until `now`; milliseconds until there is more to do."""
        self.now = now
        while True:
            edge = self.edges.pop()
            if edge is None:
                break
            time, sensor, value = edge
            self._settle(time)
            if sensor < LEVELS:
                self.levels.edge(time, sensor, value)
            else:
                self._safely(self._report, time, sensor, value)
        self._settle(now)
        self._safely(self._timeouts)
        self._safely(self._housekeeping)
        if self.walk is not None and self.job is None:
            self.walk_on()
            return 0
        return self._next_step()

    def _safely(self, act, *arguments):
        """No room to write, or no randomness: stop, latched, wherever it was noticed."""
        try:
            act(*arguments)
        except st.StorageFull:
            self.fault("state-lost", STORAGE_FULL)
        except NoiseFailure:
            self.fault("random-source")

    def _settle(self, now):
        while True:
            change = self.levels.settle(now)
            if change is None:
                return
            time, sensor, level = change
            self.rest_since[sensor] = time
            self._safely(self._changed, time, sensor, level)

    def _changed(self, time, sensor, level):
        if sensor == DOOR and level:
            self.fault("door-open")
        elif sensor == STALL and level:
            if self.moving is None:
                self.fault("sensor-stuck", STALL)
            else:
                self.fault("motor-stall", self.moving)
        elif self.mouth.takes(sensor):
            self.mouth.changed(time, sensor, level)
        if self.job is not None and self.waits_for & 1 << sensor:
            self._resume((time, sensor, level))
        elif sensor in (ENTRY, EXIT) and not level and self.state.get(st.MODE) != IN_FAULT:
            # A card passed that nobody waited for: the loop was late, or somebody helped.
            self.state.set(st.UNKNOWN, 1)
            self.fault("extra-card", sensor)

    def _report(self, time, sensor, value):
        if self.mouth.takes(sensor):
            self.mouth.read(value)
        elif self.job is not None and self.waits_for & 1 << sensor:
            self._resume((time, sensor, value))

    def _timeouts(self):
        if self.job is not None and since(self.now, self.wait_began) >= self.wait_limit:
            self._resume(None)
        self.mouth.timeout(self.now)
        stuck = self._at_rest_too_long()
        if stuck is not None and stuck[0] <= 0:
            self.fault(stuck[1], stuck[2])

    def _housekeeping(self):
        for sensor in range(LEVELS):
            # A time half the clock's circle ago would look like one to come.
            if since(self.now, self.rest_since[sensor]) > WRAP >> 2:
                self.rest_since[sensor] = later(self.now, -(WRAP >> 3))
        if self.state.get(st.MODE) == IN_FAULT:
            return
        if self.job is None:
            self.idle()
            if since(self.now, self.cycled) >= self.spec.CYCLE:
                self._cycle_source()

    def _cycle_source(self):
        """Between draws the generator moves on by itself: when a card is called decides it too."""
        self.cycled = self.now
        try:
            if not self.source.failed:
                self.source.cycle()
        except NoiseFailure:
            self.fault("random-source")

    def _next_step(self):
        least = IDLE_STEP
        if self.job is not None:
            least = min(least, self.wait_limit - since(self.now, self.wait_began))
        for left in (self.levels.due(self.now), self.mouth.due(self.now)):
            if left is not None:
                least = min(least, left)
        stuck = self._at_rest_too_long()
        if stuck is not None:
            least = min(least, stuck[0])
        return max(least, 0)

    def _at_rest_too_long(self):
        """(milliseconds left, fault, detail) for a sensor that says what cannot be, or None."""
        if self.state.get(st.MODE) == IN_FAULT or self.job is not None:
            return None
        for sensor in (ENTRY, EXIT):
            if self.levels.stable[sensor]:
                return self._left(sensor), "sensor-stuck", sensor
        return self.supply_disagrees()

    def _left(self, sensor):
        return self.spec.STUCK - since(self.now, self.rest_since[sensor])

    def supply_disagrees(self):
        """Where the chute's sensor and the count of cards in it say different things."""
        if self.state.get(st.MODE) != READY or self.mouth.covered:
            return None
        sensor = self.supply_sensor
        there = self.levels.stable[sensor]
        if there and not self.state.get(st.SUPPLY):
            return self._left(sensor), "extra-card", sensor
        if not there and self.state.get(st.SUPPLY):
            return self._left(sensor), "missing-card", sensor
        return None

    # Jobs

    def start(self, job):
        self.job = job
        self._resume(None)

    def _resume(self, event):
        job = self.job
        try:
            wanted = job.send(event)
            if self.job is job:
                self.waits_for, self.wait_limit = wanted
                self.wait_began = self.now
        except StopIteration:
            if self.job is job:
                self.job = None
        except Fault as fault:
            self.fault(fault.fault, fault.detail)
        except NoiseFailure:
            self.fault("random-source")
        except st.StorageFull:
            self.fault("state-lost", STORAGE_FULL)

    def drive(self, actuator, value):
        if actuator in (FEED, TURN, HOMING, EJECT):
            self.moving = actuator if value else None
        self.board.drive(actuator, value)

    def open_gate(self, is_open):
        if self.gate != is_open:
            self.gate = is_open
            self.board.drive(GATE, is_open)

    def drain(self):
        """Wait until the hand has taken every card that lies in the mouth's reach."""
        self.open_gate(1)
        supply = self.supply_sensor
        stable, raw = self.levels.stable, self.levels.raw
        # The last card leaves the chute before it has passed the mouth: both must be quiet.
        while stable[supply] or raw[supply] or self.mouth.covered or raw[MOUTH]:
            yield (1 << supply | 1 << MOUTH, IDLE_STEP)
        self.open_gate(0)
        missing = self.state.get(st.SUPPLY)  # seen to go in, and not seen to come out
        self.state.set(st.SUPPLY, 0)
        self.state.set(st.SLACK, missing)
        if missing:
            raise Fault("missing-card", supply)

    # Faults and events

    def fault(self, name, detail=0, faces=b""):
        """Latch: motors off, gate shut, cards where they are. The first cause is kept."""
        state = self.state
        self._motors_off()
        self.job = None
        if state.get(st.MODE) == IN_FAULT:
            return
        mode = state.get(st.MODE)
        if mode in (LOADING, READY, EMPTY):
            state.set(st.BACK_TO, mode)
        state.set(st.MODE, IN_FAULT)
        state.set(st.FAULT, m.FAULT[name])
        state.set(st.DETAIL, detail)
        state.set(st.ARMED, 0)
        state.set(st.BURNING, 0)
        self.unsure()
        self.emit("fault", m.FAULT[name], detail, faces)
        self._try_commit()
        self._show()

    def recovered(self):
        """The count is verified: back to where the fault struck."""
        state = self.state
        state.set(st.MODE, state.get(st.BACK_TO))
        state.set(st.FAULT, 0)
        state.set(st.DETAIL, 0)
        self.emit("recovered", self.inside(), state.get(st.OUTSIDE))
        self.commit()
        self._show()

    def trust_no_count(self):
        """Everything will come out: only what is seen from now on counts."""
        self.state.set(st.UNKNOWN, 1)
        self.state.set(st.SUPPLY, 0)
        self.state.set(st.SLACK, 0)

    def verify(self):
        """Inside and outside make the pack, as near as sensors know; else a count mismatch."""
        state = self.state
        supply = state.get(st.PACK) - state.get(st.OUTSIDE) - self.in_bins()
        least = state.get(st.SUPPLY)
        if not least <= supply <= least + state.get(st.SLACK):
            raise Fault("count-mismatch", self.inside())
        state.set(st.SUPPLY, supply)
        state.set(st.SLACK, 0)

    def ran_out(self, cards, expected):
        """Everything has left through the mouth: the machine is empty and knows it."""
        if expected is not None and cards != expected:
            self.trust_no_count()
            raise Fault("count-mismatch", cards)
        state = self.state
        self.forget_the_pack()
        state.set(st.FAULT, 0)
        state.set(st.DETAIL, 0)
        state.set(st.MODE, EMPTY)
        self.emit("unloaded", cards)
        self.commit()
        self._show()

    def forget_the_pack(self):
        """Nothing is inside any more."""
        for place in (st.PACK, st.OUTSIDE, st.SUPPLY, st.SLACK, st.UNKNOWN, st.INTENT, st.DEALT):
            self.state.set(place, 0)
        self.state.set(st.CUTS, 0)
        self.state.set(st.CUTS + 1, 0)
        self.state.set(st.BACK_TO, EMPTY)

    def emit(self, name, *values):
        """Note an event. It is told when it is durable: see `commit`."""
        code = m.EVENT_CODE[name]
        payload = bytes((code,)) + m.pack(m.EVENTS[code][1], values)
        self.state.add_event(payload)
        self.outbox.append((self.state.get(st.LAST_EVENT), payload))

    def commit(self):
        self.state.commit()
        # Writing took its time on a board; what starts now is timed from now.
        self.now = self.board.now()
        while self.outbox:
            self.link.push_event(*self.outbox.pop(0))

    def _try_commit(self):
        """A fault holds in memory too: it is written, and told, when there is room again."""
        try:  # noqa: SIM105
            self.commit()
        except st.StorageFull:
            pass

    def _motors_off(self):
        self.moving = None
        self.gate = 0
        for actuator in (FEED, TURN, HOMING, EJECT, GATE):
            self.board.drive(actuator, 0)

    def _show(self):
        mode = self.state.get(st.MODE)
        self.board.drive(LIGHT, 2 if mode == IN_FAULT else 1 if mode == READY else 0)
