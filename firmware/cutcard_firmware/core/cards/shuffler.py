"""A shuffling machine: from the tray into random bins, and out through the chute.

The sensors count cards and never see a face before the mouth. The content of a bin is the number of
cards that went in, less those that were pushed out, and each push is counted at the exit.
"""

from ..storage import state as st
from .card_device import CardDevice, Fault
from ..devices.commands import Refusal
from ..devices.device import EMPTY, IDLE_STEP, LABORATORY, LOADING, READY
from .leaving import leave
from ..devices.sensors import (
    CHUTE,
    EJECT,
    ENTRY,
    EXIT,
    FEED,
    FOREIGN,
    HALF,
    HOME,
    HOMING,
    SLOT,
    SLOWLY,
    TRAY,
    TURN,
    aged,
    since,
)

# The action about to begin, in state.INTENT: one of these plus the bin.
FEEDING = 1 << 10
EJECTING = 2 << 10

_WRITE_AFTER = 2000  # milliseconds without a command or a card
_SLOW_BINS = 6  # full-speed bins that the slow search for the next bin may take
_PULSE = 50  # milliseconds that the feed rests before it tries again


def mechanism_of(name):
    """Return the mechanism of this machine; code of other mechanisms is not loaded."""
    if name == "carousel":
        from .carousel import Carousel

        return Carousel
    from .batch import MECHANISMS

    return MECHANISMS[name]


class Shuffler(CardDevice):
    supply_sensor = CHUTE

    def __init__(self, spec, board):
        self.mechanism = mechanism_of(spec.MECHANISM)(self, spec)
        self.position = None  # the bin at the feeder, after homing
        self.returned = 0
        self.job_over = 0  # when a card last went in or out
        self.emptying = False
        self.all_in_tray = False  # loading, and no card has arrived yet
        super().__init__(spec, board, self.mechanism.stored_bins)

    def room(self):
        return self.spec.BINS * self.spec.CAPACITY

    def in_bins(self):
        return self.mechanism.count()

    def _require_pack(self, decks, pack):
        super()._require_pack(decks, pack)
        if not self.mechanism.admits(decks * pack):
            most = self.spec.MOST_DECKS
            while most and not self.mechanism.admits(most * pack):
                most -= 1
            raise Refusal("bad-decks", decks, most)

    def inside(self):
        return self.in_bins() + self.state.get(st.SUPPLY)

    # Commands

    def cmd_load(self, decks, pack):
        state = self.state
        self._take_on(decks, pack)
        state.set(st.OUTSIDE, decks * pack)
        state.set(st.MODE, LOADING)
        self.all_in_tray = True
        self.mechanism.begin(decks * pack)

    def cmd_place(self, depth, low, high):
        raise Refusal("no-cutting-card")

    # Events at the mouth

    def on_cards_dealt(self, faces, together):
        """Count the cards."""
        leave(self, faces, together)

    def on_cutting_card(self):
        """Raise a fault: a shuffler has no cutting card."""
        self.fault("unreadable-card", FOREIGN)

    def write_down(self):
        """Do nothing: a card that leaves makes room in the chute.

        `idle` fills the chute in this step, and both are recorded in one write.
        """
        if self.job is None and self.state.get(st.MODE) == READY:
            self.unwritten = True
        else:
            super().write_down()

    # Automatic work

    def _housekeeping(self):
        super()._housekeeping()
        if self.state.get(st.MODE) == READY:
            self._update_gate()

    def _age(self):
        super()._age()
        self.job_over = aged(self.job_over, self.now)

    def _update_gate(self):
        """Open the gate while cards are requested and available, and close it otherwise."""
        state = self.state
        wanted = state.get(st.ARMED) and not state.full and not self.unwritten
        self.open_gate(1 if wanted and state.get(st.SUPPLY) else 0)

    def idle(self):
        mode = self.state.get(st.MODE)
        if mode == LOADING:
            self._go_on_loading()
        elif mode == READY:
            self._serve()
        if self.job is None and not self.writes_later():
            self.commit()

    def writes_later(self):
        """Return the milliseconds until the end of the last job is written; 0: now, or no write is
        due.

        It is written with the next command or card, which reduces the wear of the flash by a third,
        or after some time without any. Until then a power cut is a fault, as it is during the job,
        and the bin is counted again. While a card is called, a cut is a fault anyway.
        """
        state = self.state
        if not state.dirty or state.get(st.MODE) != READY or self.unwritten or self.outbox:
            return 0
        if state.get(st.ARMED):
            return IDLE_STEP
        return max(_WRITE_AFTER - since(self.now, self.job_over), 0)

    def _go_on_loading(self):
        state = self.state
        tray = self.levels.stable[TRAY]
        if state.get(st.OUTSIDE):
            if tray:
                self.start(self._take_in())
        elif tray:
            self.fault("extra-card", TRAY)
        elif not self._fill_chute():
            state.set(st.MODE, READY)
            self.emit("loaded", self.inside())
            self.commit()
            self._show()

    def _serve(self):
        if not self.mechanism.continuous or self._fill_chute():
            return
        if self.levels.stable[TRAY]:
            if not self.state.get(st.OUTSIDE):
                self.fault("extra-card", TRAY)
                return
            self.start(self._take_in())
        elif self.returned:
            self.emit("returned", self.returned)
            self.returned = 0

    def _fill_chute(self):
        """Start to push the mechanism's next bin; return False if there is none."""
        push = self.mechanism.next_push()
        if push is None:
            return False
        self.start(self.push_out(*push))
        return True

    def was_busy(self):
        """Return whether a power cut interrupted a batch: its cards' places are lost."""
        loading = self.state.get(st.MODE) == LOADING and not self.mechanism.continuous
        return loading or super().was_busy()

    def was_doing(self):
        """Return whether it filled a bin or pushed one out; the bin remains secret."""
        return self.state.get(st.INTENT) // FEEDING

    def supply_disagrees(self):
        state, stable = self.state, self.levels.stable
        mode = state.get(st.MODE)
        if mode == LOADING and self.all_in_tray and state.get(st.OUTSIDE) and not stable[TRAY]:
            left = self.spec.TRAY_SETTLE - since(self.now, self.rest_since[TRAY])
            return left, "missing-card", state.get(st.OUTSIDE)
        if mode in (EMPTY, LABORATORY) and stable[CHUTE] and not self.mouth.covered:
            return self._left(CHUTE), "extra-card", CHUTE
        return super().supply_disagrees()

    # Jobs: one card in, one bin out

    def _take_in(self):
        """Move one card from the tray into the bin that was drawn for it."""
        state = self.state
        chosen = self.mechanism.choose()
        state.set(st.INTENT, FEEDING + chosen)
        self.commit()
        yield from self._turn_to(chosen)
        yield from self.breathe()
        yield from self._pull()
        state.set(st.INTENT, 0)
        self.mechanism.put(chosen)
        self.job_over = self.now
        state.add(st.OUTSIDE, -1)
        self.cards_in += 1
        if state.get(st.MODE) == READY:
            self.returned += 1

    def push_out(self, chosen, expected):
        """Push `expected` cards of a bin into the chute, each counted at the exit.

        With None, the content of the bin is unknown, and all its cards are pushed.
        """
        state = self.state
        state.set(st.INTENT, EJECTING + chosen)
        self.commit()
        yield from self._turn_to(chosen)
        yield from self.breathe()
        if expected is not None and self.mechanism.single:
            seen = yield from self._eject_one(chosen)
        else:
            seen = yield from self._eject(chosen, expected)
        if expected is not None and seen < expected:
            # They are still in the bin, passed the exit unseen, or never existed.
            self.mechanism.spill(chosen)
            raise Fault("missing-card", EXIT) if seen else Fault("empty-bin", chosen)
        state.set(st.INTENT, 0)
        self.job_over = self.now
        if expected is None or not self.mechanism.single:
            self.mechanism.emptied(chosen)
        if expected is not None and seen > expected:
            raise Fault("extra-card", EXIT)

    def _turn_to(self, chosen):
        """Turn to a bin, the shorter way round.

        If the sound of turns must reveal nothing, every turn consists of the same legs, even to the
        current bin: only the direction of each leg differs.
        """
        if self.position is None:
            yield from self._home()
        positions = self.mechanism.positions
        bins = (chosen - self.position) % positions
        if self.spec.LEGS:
            back = self.spec.WAYS[bins]
            for leg in self.spec.LEGS:
                yield from self._turn(chosen, -leg if back & 1 else leg, HALF)
                yield from self.breathe()
                back >>= 1
        elif bins:
            away = bins - positions if bins > positions // 2 else bins
            yield from self._turn(chosen, away, 0)
        else:
            return
        if chosen and self.levels.raw[HOME]:
            raise Fault("sensor-stuck", HOME)
        if not chosen and not self.levels.stable[HOME]:
            home = yield (1 << HOME, 2 * self.spec.DEBOUNCE)
            if home is None:
                raise Fault("bin-stuck", chosen)
        self.position = chosen

    def _turn(self, chosen, away, half):
        """Turn by this many bins, or half bins, and wait for the report."""
        spec = self.spec
        self.position = None
        self.drive(TURN, away + half if away > 0 else away - half)
        moved = yield (1 << SLOT, abs(away) * spec.TURN_BIN + spec.TURN_SLACK)
        self.drive(TURN, 0)
        if moved is None or moved[2] != abs(away) & 255:
            raise Fault("bin-stuck", chosen)

    def _home(self):
        """Find bin 0: fast, then one bin back, and slowly forward, so that the wheel always stops
        on the same step.

        A sensor that never shows bin 0, or always, is stuck.
        """
        levels = self.levels
        if not levels.stable[HOME]:
            yield from self._search(1, self.mechanism.positions * 3 // 2)
        yield from self._turn(0, -1, 0)
        if levels.stable[HOME]:
            yield (1 << HOME, 2 * self.spec.DEBOUNCE)
            if levels.stable[HOME]:
                raise Fault("sensor-stuck", HOME)
        yield from self._search(SLOWLY, _SLOW_BINS)
        self.position = 0

    def _search(self, pace, bins):
        """Turn until bin 0 is at the feeder, at most for the time of `bins` bins at full speed."""
        spec = self.spec
        self.drive(HOMING, pace)
        found = yield (1 << HOME, bins * spec.TURN_BIN + spec.TURN_SLACK)
        self.drive(HOMING, 0)
        if found is None or not found[2]:
            raise Fault("sensor-stuck", HOME)

    def _pull(self):
        """Pull one card past the entry."""
        spec = self.spec
        began = self.now
        while True:
            self.drive(FEED, 1)
            edge = yield (1 << ENTRY, spec.ENTRY_SEEN)
            if edge is not None:
                break
            self.drive(FEED, 0)
            if not self.levels.stable[TRAY]:
                # The card there was removed, or went in under a blind sensor.
                raise Fault("missing-card", ENTRY)
            if since(self.now, began) >= spec.ENTRY_RETRY:
                raise Fault("jam-on-entry", TRAY)
            yield (0, _PULSE)
        covered = edge[0]
        edge = yield (1 << ENTRY, spec.ENTRY_CLEAR)
        self.drive(FEED, 0)
        if edge is None:
            raise Fault("jam-on-entry", ENTRY)
        if since(edge[0], covered) > spec.DOUBLE:
            raise Fault("double-feed", since(edge[0], covered))

    def _eject(self, chosen, expected):
        spec = self.spec
        patience = spec.EXIT_SEEN + spec.EXIT_VIBRATE
        seen = 0
        self.drive(EJECT, 1)
        while True:
            edge = yield (1 << EXIT, spec.EXIT_SEEN if seen == expected else patience)
            if edge is None:
                break
            edge = yield (1 << EXIT, spec.EXIT_CLEAR)
            if edge is None:
                raise Fault("jam-on-exit", EXIT)
            seen += 1
            self.mechanism.moved_to_chute(chosen)
            self.state.add(st.SUPPLY, 1)
        self.drive(EJECT, 0)
        return seen

    def _eject_one(self, chosen):
        """Eject only the first card of a bin: the ejector stops as soon as the card is through.

        An ejector that lets a second card follow is detected, immediately or before that card can
        drop.
        """
        spec = self.spec
        self.drive(EJECT, 1)
        edge = yield (1 << EXIT, spec.EXIT_SEEN + spec.EXIT_VIBRATE)
        if edge is None:
            self.drive(EJECT, 0)
            return 0
        covered = edge[0]
        edge = yield (1 << EXIT, spec.EXIT_CLEAR)
        self.drive(EJECT, 0)
        if edge is None:
            raise Fault("jam-on-exit", EXIT)
        self.mechanism.moved_to_chute(chosen)
        self.state.add(st.SUPPLY, 1)
        if self.levels.raw[EXIT] or since(edge[0], covered) > spec.DOUBLE:
            raise Fault("extra-card", EXIT)
        return 1

    # Recovery from a fault

    def unsure(self):
        """Mark the bin of the interrupted job to be counted again."""
        intent = self.state.get(st.INTENT)
        self.position = None
        self.emptying = False
        self.all_in_tray = False  # the person who repairs it may take any time to fill it again
        self.returned = 0  # `recovered` reports the entire count
        if intent:
            self.mechanism.unsure(intent & FEEDING - 1)
            self.state.set(st.INTENT, 0)
        if intent >= EJECTING:
            # A person who frees the card in the exit may let it drop into the chute, uncounted.
            self.state.add(st.SLACK, 1)
        self.mechanism.interrupted()

    def unsure_after_power_cut(self):
        """Mark a bin as unknown: an interrupted push may have moved any of its cards, uncounted."""
        intent = self.state.get(st.INTENT)
        if intent >= EJECTING:
            self.mechanism.spill(intent & FEEDING - 1)
        super().unsure_after_power_cut()

    def recovery(self):
        """Recover: count the unsure bins, then verify. Cards of unknown bins come out."""
        if self.state.get(st.UNKNOWN):
            self.trust_no_count()
            yield from self._everything_out()
            self.verify()
            self.forget_the_pack()
        else:
            yield from self._home()
            yield from self._push_out_all(self.mechanism.unsure_bins())
            if self.state.get(st.SLACK) and self.mechanism.continuous:
                yield from self._drain()  # cards that may be in the chute are counted at the mouth
            self.verify()
        self.recovered()

    def running_out(self):
        expected = None if self.state.get(st.FAULT) else self.inside()
        yield from self._everything_out()
        self.ran_out(self.drained, expected)

    def _everything_out(self):
        self.drained = self.returned = 0
        yield from self._home()
        yield from self._drain()
        yield from self._push_out_all(self.mechanism.bins_to_empty())
        yield from self._drain()

    def _push_out_all(self, bins):
        for chosen in bins:
            if self.state.get(st.SUPPLY) + self.state.get(st.SLACK) >= self.spec.CHUTE_HIGH:
                yield from self._drain()
            yield from self.push_out(chosen, None)

    def _drain(self):
        self.emptying = True
        yield from self.drain()
        self.emptying = False
