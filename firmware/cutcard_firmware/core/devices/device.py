"""The common part of all devices: start, clock, faults and events.

No function here waits. Bytes and edges come in, `step` processes them, motor commands and bytes go
out.
"""

import struct

from ..schema import messages as m
from ..storage import state as st
from ..random.health import HealthTests
from ..link.sessions import Link
from ..module_loading import drop
from .sensors import LEVELS, LIGHT, WRAP, Debounce, aged, since
from ..random.source import NoiseFailure, RandomSource

IDLE_STEP = 4000  # the watchdog must be fed at least this often

EMPTY, LOADING, READY, UNLOADING, IN_FAULT, RECOVERING, LABORATORY = range(7)  # m.MODES
STORAGE_FULL = 1  # detail of state-lost: the state is intact, but no more can be written


class Device:
    ended = False  # True: let the board restart
    update = None  # a new image being received

    def __init__(self, spec, board, state):
        self.spec = spec
        self.board = board
        self.now = board.now()
        self.looked = self.now  # edges up to this time have been processed
        self.edges = board.edges
        self.levels = Debounce(spec.DEBOUNCE, board.levels())
        self.state = state
        self.outbox = []  # events that are recorded and not sent yet
        self.rest_since = [self.now] * LEVELS  # when each sensor last changed
        self.aged = self.now  # when `_age` last ran
        self.walk = None  # an active attestation: it continues while the device is idle
        # progress, walked blocks, digest, spared blocks
        self.attestation: list = [0, 0, bytes(32), b""]
        self.cycled = self.now  # when the generator last advanced by itself
        self._start()

    # Interface of each kind of device

    def stop(self):
        """Switch every actuator off."""
        raise NotImplementedError

    def idle(self):
        """Start the next work, if no job is active and no fault is latched."""
        raise NotImplementedError

    def unsure(self):
        """Mark data that can no longer be trusted after a fault."""
        raise NotImplementedError

    def walk_on(self):
        """Do one step of an attestation."""
        raise NotImplementedError

    def resting(self):
        """Return whether no work is active that takes time."""
        return True

    def may_write(self):
        """Return whether no motor moves that must be stopped in time.

        Flash writes and other long work keep a board from reading its sensors.
        """
        return True

    def was_busy(self):
        """Return whether a power cut interrupted work."""
        return self.state.get(st.INTENT)

    def was_doing(self):
        """Return the interrupted work, as reported to a host."""
        return self.state.get(st.INTENT)

    def unsure_after_power_cut(self):
        """Mark data that is unknown after a power cut during work."""

    def _first_look(self):
        """Read the initial levels of sensors, which send no edges."""

    def _changed(self, time, sensor, level):
        """Handle a sensor level that has been stable."""
        raise NotImplementedError

    def _report(self, time, sensor, value):
        """Handle a report of a sensor without a level."""
        raise NotImplementedError

    def _timeouts(self):
        """Handle timeouts."""
        raise NotImplementedError

    def due(self):
        """Return the milliseconds until each possible next action; None for an action that is not
        due."""
        return [self.levels.due(self.now)]

    # Starting

    def _identity(self):
        """Return the device's own key and the version of its image."""
        from ..image import identity

        key, self.firmware = identity.key_and_version(self.board.root)
        drop("image.identity", "image.refused")
        return key

    def _start(self):
        state = self.state
        self.stop()
        key = self._identity()
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
        if state.get(st.MODE) == LABORATORY and not self.source.failed:
            self.left_laboratory()
        watchdog = m.CAUSES[self.board.cause] == "watchdog"
        if lost:
            self.fault("state-lost")
        elif watchdog or self.was_busy():
            doing = self.was_doing()
            self.unsure_after_power_cut()
            self.fault("watchdog" if watchdog else "power-lost", doing)
        if not written:
            self.fault("state-lost", STORAGE_FULL)
        if self.source.failed:
            self.fault("random-source")
        self._first_look()
        self._try_commit()
        self._show()

    def _open_source(self):
        spec = self.spec
        self.first_noise = bytearray()
        self.source = RandomSource(
            self.board,
            st.Seed(self.state),
            HealthTests(spec.RCT, spec.APT, spec.LAG),
            self.board.serial + struct.pack("<I", self.state.get(st.BOOTS)),
            spec.SAMPLES,
        )
        try:
            # The count of starts is committed before anything is drawn from it.
            if self.link.key:
                self.commit()
            # Of a start out of laboratory mode, the first samples may be wanted.
            self.source.restart(self.first_noise if self.state.get(st.EXPORTED) else None)
            self.board.breathe()
            self.state.set(st.EXPORTED, 0)
        except NoiseFailure:
            pass
        except st.StorageFull:
            return False
        finally:
            drop("random.known_answer")
        return True

    def left_laboratory(self):
        """Leave laboratory mode: the source was seeded again."""
        state = self.state
        state.set(st.EXPORTED, 0)
        state.set(st.MODE, state.get(st.BACK_TO))
        self.emit("laboratory", 0)

    # Clock side

    def step(self, now):
        """Process everything until `now`; return the milliseconds until the next work is due."""
        self.now = self.looked = now
        if self.edges.unseen:
            self._was_blind()
        if self.edges.head != self.edges.tail:
            self._take_edges()
        if self.levels.pending:
            self._settle(now)
        self._safely(self._timeouts)
        self._catch_up()
        self._safely(self._housekeeping)
        if self.may_write() and self.link.go_on():
            return 0
        if self.walk is not None and self.resting():
            self.walk_on()
            return 0
        return self._until_due()

    def _take_edges(self):
        while True:
            edge = self.edges.pop()
            if edge is None:
                return
            time, sensor, value = edge
            self._settle(time)
            if sensor < LEVELS:
                self.levels.edge(time, sensor, value)
            else:
                self._safely(self._report, time, sensor, value)

    def _until_due(self):
        least = IDLE_STEP
        for left in self.due():
            if left is not None and left < least:
                least = left
        return max(least, 0)

    def _catch_up(self):
        """Do delayed work that needs all motors at rest."""
        if self.may_write() and (self.link.untidy or self.link.held):
            if self.link.untidy:
                self.link.tidy()
            if self.link.held:
                self.link.answer_held()
            self.now = self.board.now()

    def _safely(self, act, *arguments):
        """Call `act`; on full storage, lost state or a noise failure, stop and latch a fault."""
        try:
            act(*arguments)
        except st.StorageFull:
            self.fault("state-lost", STORAGE_FULL)
        except st.StateLost:
            self.fault("state-lost")
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

    def _housekeeping(self):
        if since(self.now, self.aged) > WRAP >> 4:
            self._age()
        if self.state.get(st.MODE) == IN_FAULT:
            return
        if self.resting():
            self.idle()
            if since(self.now, self.cycled) >= self.spec.CYCLE:
                self.cycle_source()

    def _age(self):
        """Move old times closer, so that `since` does not take one for a time in the future."""
        self.aged = now = self.now
        for sensor in range(LEVELS):
            self.rest_since[sensor] = aged(self.rest_since[sensor], now)
        self.cycled = aged(self.cycled, now)

    def cycle_source(self):
        """Advance the generator between draws, so that the time of a call affects the card, too.

        Raises NoiseFailure. No fault is latched here, because undoing a command for lack of storage
        would undo the fault, too.
        """
        self.cycled = self.now
        if not self.source.failed:
            self.source.cycle()

    def _was_blind(self):
        """Latch a fault if work took longer than the board can store its sensors' levels.

        This is the same fault as a watchdog reset, but without the loss of known data.
        """
        self.edges.unseen = 0
        if self.link.key:
            doing = self.was_doing()
            self.unsure_after_power_cut()
            self.fault("watchdog", doing)

    # Faults and events

    def fault(self, name, detail=0, faces=b""):
        """Latch a fault: all motors stop and cards stay in place. The first cause is kept."""
        state = self.state
        self.stop()
        if state.get(st.MODE) == IN_FAULT:
            return
        mode = state.get(st.MODE)
        if mode in (LOADING, READY, EMPTY):
            state.set(st.BACK_TO, mode)
        state.set(st.MODE, IN_FAULT)
        state.set(st.FAULT, m.FAULT[name])
        state.set(st.DETAIL, detail)
        self.call_none()
        self.unsure()
        self.emit("fault", m.FAULT[name], detail, faces)
        self._try_commit()
        self._show()

    def call_none(self):
        """Cancel all calls for cards."""
        self.state.set(st.ARMED, 0)
        self.state.set(st.BURNING, 0)

    def emit(self, name, *values):
        """Record an event. It is sent after the next commit: see `commit`."""
        code = m.EVENT_CODE[name]
        self.note(bytes((code,)) + m.pack(m.EVENTS[code][1], values))

    def note(self, payload):
        self.state.add_event(payload)
        self.outbox.append((self.state.get(st.LAST_EVENT), payload))

    def commit(self):
        self.state.commit()
        # Writing takes time on a board; new timeouts start now.
        self.now = self.board.now()
        while self.outbox:
            self.link.push_event(*self.outbox.pop(0))

    def _try_commit(self):
        """Commit, or keep a fault in memory: it is written and sent when there is room again."""
        try:  # noqa: SIM105
            self.commit()
        except st.StorageFull:
            pass

    def _show(self):
        mode = self.state.get(st.MODE)
        light = {IN_FAULT: 2, READY: 1, LABORATORY: 3}.get(mode, 0)
        self.board.drive(LIGHT, light)
