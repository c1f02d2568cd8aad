"""The common part of shufflers and shoes: jobs, the mouth, and a count that must agree.

Work that takes time is a job: a generator that yields its awaited sensors and a time limit, so it
reads from top to bottom. Only one motor moves at a time. The flash is written only while no motor
of this device moves: an erase stops a board's interrupts for half a card's passage, and a motor
that should stop after one card would send the next. The hand at the mouth may continue: a card that
leaves is recorded when the job ends, and the gate is closed until then, so that never more than one
card is outside unrecorded.
"""

from ..module_loading import forget
from ..schema import messages as m
from ..storage import state as st
from ..devices.commands import HostedDevice, Refusal
from ..devices.device import (
    EMPTY,
    IDLE_STEP,
    IN_FAULT,
    LOADING,
    READY,
    RECOVERING,
    STORAGE_FULL,
    UNLOADING,
)
from .mouth import Mouth
from ..devices.sensors import (
    DOOR,
    EJECT,
    ENTRY,
    EXIT,
    FACE,
    FEED,
    GATE,
    GUARDED,
    HOMING,
    MOUTH,
    STALL,
    TRAY,
    TURN,
    since,
)
from ..random.source import NoiseFailure

HEAD = 32  # bytes of the head of a journal
MOST_CALLED = 250  # cards that one `deal` may call for


class Fault(Exception):
    """Raised by a job that meets a fault; `step` latches it."""

    def __init__(self, fault, detail=0):
        self.fault = fault
        self.detail = detail


class CardDevice(HostedDevice):
    way_out = ("recover", "unload")
    supply_sensor: int  # detects a card within reach of the hand

    def __init__(self, spec, board, bins):
        self.mouth = Mouth(self)
        self.gate = 0
        self.job = None
        self.next_job = None  # commanded during another job
        self.waits_for = 0  # the job's sensors, a bit each
        self.wait_began = 0
        self.wait_limit = 0
        self.moving = None  # the motor that runs
        self.unwritten = False  # a card has left, and this is not recorded yet
        self.drained = 0  # cards that left while the machine was being emptied
        self.cards_in = 0
        self.cards_out = 0
        state = st.State(board.root, bins, board.flash)
        state.chains_events = True
        super().__init__(spec, board, state)

    # Interface of each machine

    def inside(self):
        """Return the number of cards inside, as far as is known."""
        raise NotImplementedError

    def in_bins(self):
        raise NotImplementedError

    def room(self):
        """Return the number of cards that fit into the machine."""
        raise NotImplementedError

    def recovery(self):
        """Return the job that recovers from a fault and ends in a verified count."""
        raise NotImplementedError

    def running_out(self):
        """Return the job that unloads all cards."""
        raise NotImplementedError

    # Starting

    def was_busy(self):
        """Return whether the last action of the motors before a power cut is unknown."""
        state = self.state
        return (
            state.get(st.INTENT)
            or state.get(st.ARMED)
            or state.get(st.MODE) in (UNLOADING, RECOVERING)
        )

    def _first_look(self):
        """Read the initial levels of sensors: a door that is already open sends no edge."""
        for sensor in (DOOR, FACE, MOUTH):
            if self.levels.stable[sensor]:
                self._changed(self.now, sensor, 1)

    def unsure_after_power_cut(self):
        """A called card may have been taken: one fewer may be inside."""
        state = self.state
        gate_was_open = state.get(st.ARMED) or state.get(st.MODE) in (UNLOADING, RECOVERING)
        if gate_was_open:
            self.may_have_left(1)
        self.call_none()

    def resting(self):
        return self.job is None

    def may_write(self):
        return self.moving is None

    def commit(self):
        super().commit()
        self.unwritten = False

    def write_down(self):
        """Record that a card has left: now, or when the job that moves a motor ends."""
        if self.may_write():
            self.commit()
        else:
            self.unwritten = True
            self.open_gate(0)

    def breathe(self):
        """Obey a delayed command between two movements of a job.

        The record of a card that has left is delayed further: it is written with the next record,
        which halves the wear of the flash.
        """
        while self.link.wants():
            yield (0, 0)

    def may_have_left(self, cards):
        """Note cards that may be inside or outside, until they are counted."""
        state = self.state
        cards = min(cards, state.get(st.SUPPLY))
        state.add(st.SUPPLY, -cards)
        state.add(st.SLACK, cards)
        state.add(st.OUTSIDE, cards)

    # Clock side

    @property
    def busy(self):
        return (
            self.job is not None
            or self.walk is not None
            or self.levels.pending != 0
            or self.mouth.covered
            or self._at_rest_too_long() is not None
            or 0 < self.writes_later() < IDLE_STEP
        )

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
            # A card passed unexpectedly: the loop was late, or a person helped.
            self.state.set(st.UNKNOWN, 1)
            self.fault("extra-card", sensor)

    def _report(self, time, sensor, value):
        if self.mouth.takes(sensor):
            self.mouth.read(value)
        elif sensor == GUARDED:
            # All motors are off and the gate is closed now, and a stall's level ends with its
            # current. Even between two movements of a job, the wheel had current, which held it in
            # place.
            if self.moving is not None or self.gate or self.job is not None:
                self._changed(time, DOOR + value, 1)
        elif self.job is not None and self.waits_for & 1 << sensor:
            self._resume((time, sensor, value))

    def _timeouts(self):
        if self.job is not None and since(self.now, self.wait_began) >= self.wait_limit:
            self._resume(None)
        self.mouth.timeout(self.now)
        stuck = self._at_rest_too_long()
        if stuck is not None and stuck[0] <= 0:
            self.fault(stuck[1], stuck[2])

    def due(self):
        left = super().due()
        left.append(self.mouth.due(self.now))
        if self.job is not None:
            left.append(self.wait_limit - since(self.now, self.wait_began))
        stuck = self._at_rest_too_long()
        if stuck is not None:
            left.append(stuck[0])
        if self.job is None:
            left.append(self.writes_later() or None)
        return left

    def writes_later(self):
        """Return the milliseconds until a delayed record is written; 0 if there is none."""
        return 0

    def _at_rest_too_long(self):
        """Return (milliseconds left, fault, detail) for an impossible sensor level, or None."""
        if self.state.get(st.MODE) == IN_FAULT or self.job is not None:
            return None
        for sensor in (ENTRY, EXIT):
            if self.levels.stable[sensor]:
                return self._left(sensor), "sensor-stuck", sensor
        return self.supply_disagrees()

    def _left(self, sensor):
        return self.spec.STUCK - since(self.now, self.rest_since[sensor])

    def supply_disagrees(self):
        """Return the fault and its due time if the chute's sensor and count disagree, or None."""
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
        """Begin a job after the current one has ended: a card is never left half-way."""
        if self.job is None:
            self.job = job
            self._resume(None)
        else:
            self.next_job = job

    def _resume(self, event):
        job = self.job
        try:
            wanted = job.send(event)
            if self.job is job:
                self.waits_for, self.wait_limit = wanted
                self.wait_began = self.now
        except StopIteration:
            if self.job is job:
                self.job, self.next_job = self.next_job, None
                if self.job is not None:
                    self._resume(None)
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
        """Wait until every card within reach of the mouth has been taken."""
        self.open_gate(1)
        supply = self.supply_sensor
        stable, raw = self.levels.stable, self.levels.raw
        # The last card leaves the chute before it has passed the mouth: both must be quiet.
        while stable[supply] or raw[supply] or self.mouth.covered or raw[MOUTH]:
            yield (1 << supply | 1 << MOUTH, IDLE_STEP)
        self.open_gate(0)
        missing = self.state.get(st.SUPPLY)  # entered, but has not left
        self.state.set(st.SUPPLY, 0)
        self.state.set(st.SLACK, missing)
        if missing:
            raise Fault("missing-card", supply)

    # Counting

    def recovered(self):
        """End the fault: the count is verified, and play continues where it stopped."""
        state = self.state
        state.set(st.MODE, state.get(st.BACK_TO))
        state.set(st.FAULT, 0)
        state.set(st.DETAIL, 0)
        self.emit("recovered", self.inside(), state.get(st.OUTSIDE))
        self.commit()
        self._show()

    def trust_no_count(self):
        """Discard the counts: all cards come out, and only those seen from now on count."""
        self.state.set(st.UNKNOWN, 1)
        self.state.set(st.SUPPLY, 0)
        self.state.set(st.SLACK, 0)

    def verify(self):
        """Check that inside and outside make up the pack, as far as the sensors can detect."""
        state = self.state
        supply = state.get(st.PACK) - state.get(st.OUTSIDE) - self.in_bins()
        least = state.get(st.SUPPLY)
        if not least <= supply <= least + state.get(st.SLACK):
            raise Fault("count-mismatch", self.inside())
        state.set(st.SUPPLY, supply)
        state.set(st.SLACK, 0)

    def ran_out(self, cards, expected):
        """Record that all cards have left through the mouth: the machine is empty."""
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
        """Forget the pack: the machine is empty."""
        for place in (st.PACK, st.OUTSIDE, st.SUPPLY, st.SLACK, st.UNKNOWN, st.INTENT, st.DEALT):
            self.state.set(place, 0)
        self.state.set(st.CUTS, 0)
        self.state.set(st.CUTS + 1, 0)
        self.state.set(st.BACK_TO, EMPTY)

    def stop(self):
        """Switch the motors off and close the gate."""
        self.job = self.next_job = None
        self.moving = None
        self.gate = 0
        for actuator in (FEED, TURN, HOMING, EJECT, GATE):
            self.board.drive(actuator, 0)

    # Questions and commands of the host

    def cmd_status(self):
        state = self.state
        return (
            state.get(st.MODE),
            state.get(st.FAULT),
            state.get(st.DETAIL),
            state.get(st.PACK),
            self.inside(),
            state.get(st.OUTSIDE),
            state.get(st.SUPPLY),
            state.get(st.ARMED),
            state.get(st.LAST_EVENT),
            state.get(st.LAST_COMMAND),
            state.get(st.BOOTS),
        )

    def passed(self):
        return self.cards_in, self.cards_out

    def cmd_deal(self, cards):
        self.require_mode(READY)
        if not 1 <= cards <= MOST_CALLED:
            raise Refusal("too-many", cards, MOST_CALLED)
        if self.state.get(st.ARMED):
            raise Refusal("still-armed", self.state.get(st.ARMED))
        if cards > self.inside():
            raise Refusal("not-enough-cards", cards, self.inside())
        if self.state.full:
            raise Refusal("event-store-full", len(self.state.events))
        self.state.set(st.ARMED, cards)

    def cmd_disarm(self):
        if self.mouth.covered:
            raise Refusal("not-clear", MOUTH)
        self.call_none()

    def cmd_round(self, begins, head):
        """Begin or end a round. At its beginning, the host may send the head of its journal."""
        if begins > 1 or len(head) not in ((0, HEAD) if begins else (0,)):
            raise ValueError("round")
        self.cycle_source()
        self.state.set(st.ROUND, begins)
        if head:
            self.state.bear_witness(head)

    def cmd_witness(self):
        return self.state.get(st.WITNESSED), self.state.witness

    def cmd_chains(self):
        state = self.state
        return state.get(st.WITNESSED), state.witness, state.last_chained(), state.sent

    def cmd_signed(self, head):
        if self.state.get(st.ARMED):  # a card that leaves must not wait for a signature
            raise Refusal("still-armed", self.state.get(st.ARMED))
        from . import statement

        try:
            return statement.signed(self, head)
        except st.StorageFull:
            raise Refusal("storage-full")
        finally:
            forget("cards.statement", "devices.signing")

    def cmd_recover(self, outside):
        self.require_mode(IN_FAULT)
        fault = m.FAULTS[self.state.get(st.FAULT)]
        if fault == "state-lost":
            raise Refusal("in-fault", self.state.get(st.FAULT), self.state.get(st.DETAIL))
        if outside > self.state.get(st.PACK):
            raise Refusal("not-enough-cards", outside, self.state.get(st.PACK))
        self._require_clear()
        self._restart_source()
        self.state.set(st.MODE, RECOVERING)
        self.state.set(st.OUTSIDE, outside)
        self.call_none()
        return self.recovery()

    def cmd_unload(self):
        mode = self.state.get(st.MODE)
        waits = mode == LOADING and self.job is None  # waits for cards that will not come any more
        if not waits:
            self.require_mode(READY, IN_FAULT, EMPTY)
        if self.state.get(st.ARMED) and mode != IN_FAULT:
            raise Refusal("still-armed", self.state.get(st.ARMED))
        self._require_clear()
        if mode == IN_FAULT:
            self._restart_source()
            self.trust_no_count()
        else:
            self.state.set(st.BACK_TO, mode)
        self.state.set(st.MODE, UNLOADING)
        self.call_none()
        return self.running_out()

    def require_at_rest(self):
        """Refuse unless no card is inside, according to the count and every sensor."""
        self.require_mode(EMPTY)
        self._require_clear()
        for sensor in (TRAY, self.supply_sensor):
            if self.levels.stable[sensor] or self.levels.raw[sensor]:
                raise Refusal("not-clear", sensor)

    def _require_clear(self):
        # During a job, a card at the entry or the exit is the job's card.
        for sensor in (MOUTH, FACE, DOOR, STALL) + (() if self.job else (ENTRY, EXIT)):
            if self.levels.stable[sensor] or self.levels.raw[sensor]:
                raise Refusal("not-clear", sensor)

    def _take_on(self, decks, pack):
        """Set the pack of an empty machine."""
        state = self.state
        self.require_mode(EMPTY)
        self._require_pack(decks, pack)
        self._require_clear()
        if not self.levels.stable[TRAY]:
            raise Refusal("tray-empty")
        state.set(st.PACK, decks * pack)
        state.set(st.DECK, pack)

    def _require_pack(self, decks, pack):
        if pack not in self.spec.PACKS:
            raise Refusal("bad-pack", pack)
        if not 1 <= decks <= self.spec.MOST_DECKS or decks * pack > self.room():
            raise Refusal("bad-decks", decks, min(self.spec.MOST_DECKS, self.room() // pack))
