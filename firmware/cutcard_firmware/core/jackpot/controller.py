"""A jackpot controller: a button at each of up to four tables, which draws one of its prizes.

A draw is recorded, signed and committed, and only then shown: a power cut can neither lose nor
change it. Each table has its button with a lamp, its bonus display (the meter), and its line on the
central control panel. The two displays report their amounts, and these can differ.
"""

from hashlib import sha256

from ..schema import messages as m
from . import prize_table
from ..devices import signing
from ..storage import state as st
from ..devices.commands import HostedDevice, Refusal
from ..devices.device import EMPTY, IN_FAULT, READY, STORAGE_FULL
from .draws import (
    COUNTER,
    DETAIL,
    DOMAIN,
    FAULT,
    MOST_DRAWS,
    OFFERED,
    PLACE,
    ROUND,
    SHOWN,
    WAGER,
    Draws,
    parts,
    place_of,
    record,
)
from ..devices.sensors import BUTTON, DOOR, LAMP, METER, TABLES, since

METER_FAILED, PANEL_FAILED = 0, 1  # above the table's number, in the detail of display-failed
UNHEARD = -1  # a display has not reported its amount


class Display:
    """The amounts reported by a table's meter and by its line of the control panel."""

    def __init__(self):
        self.wanted = m.BLANK
        self.shows = [UNHEARD, UNHEARD]  # meter and panel
        self.heard = [bytearray(), bytearray()]
        self.owed = [0, 0]  # expected readings, one for each request
        self.asked_at = None

    def ask(self, amount, now):
        self.wanted = amount
        self.shows = [UNHEARD, UNHEARD]
        self.owed = [owed + 1 for owed in self.owed]
        self.asked_at = now

    def give_up(self):
        self.owed = [0, 0]
        self.asked_at = None

    def hear(self, which, value):
        """Take one byte of a reading; return True if it was the last one.

        A reply to an earlier request does not count for the last one, and may arrive after it,
        because a draw takes long.
        """
        heard = self.heard[which]
        heard.append(value)
        if len(heard) < 4:
            return False
        self.heard[which] = bytearray()
        if self.owed[which]:
            self.owed[which] -= 1
        if self.owed[which]:
            return False
        self.shows[which] = int.from_bytes(heard, "little")
        if UNHEARD not in self.shows:
            self.asked_at = None
        return True


class Controller(HostedDevice):
    way_out = ("resume", "renew")

    def __init__(self, spec, board):
        self.tables = spec.TABLES
        self.displays = [Display() for _ in range(TABLES)]
        self.lit = 0  # lamps, a bit each
        self.presses = 0
        self.drawn = 0
        super().__init__(spec, board, Draws(board.root, board.flash))

    # Starting

    def _first_look(self):
        if self.levels.stable[DOOR]:
            self.fault("door-open")
        for table in range(1, self.tables + 1):
            if self.state.texts[table - 1]:
                self._show_table(table)

    def provisioned(self, key):
        """Make its own key first: a device that has the host's key can always sign."""
        public = self._new_key()
        super().provisioned(key)
        self.emit("identity", public)
        self.commit()

    def _new_key(self):
        seed = bytes(self.source.below(256) for _ in range(signing.KEY))
        return signing.make(self.state, seed, self.board.breathe)

    def unsure(self):
        """Withdraw all offers: the host decides on the wagers."""
        for table in range(1, TABLES + 1):
            self.state.put(table, OFFERED, 0)
        self.state.set(st.INTENT, 0)

    # Clock side

    @property
    def busy(self):
        return self.walk is not None or any(left is not None for left in self.due())

    def due(self):
        left = super().due()
        if self.state.get(st.MODE) == IN_FAULT:
            return left
        for table in range(1, self.tables + 1):
            if not self.state.of(table, FAULT):
                left.append(self._display_due(table, self.now))
                left.append(self._button_due(table))
        return left

    def _display_due(self, table, now):
        asked = self.displays[table - 1].asked_at
        return None if asked is None else self.spec.DISPLAY - since(now, asked)

    def _button_due(self, table):
        button = BUTTON + table - 1
        if not self.levels.stable[button]:
            return None
        return self.spec.HELD - since(self.now, self.rest_since[button])

    def _timeouts(self):
        if self.state.get(st.MODE) == IN_FAULT:
            return
        for table in range(1, self.tables + 1):
            if self.state.of(table, FAULT):
                continue
            # A draw at another table takes long: reports from that time are read at the next step.
            left = self._display_due(table, self.looked)
            if left is not None and left <= 0:
                self._display_failed(table)
                continue
            left = self._button_due(table)
            if left is not None and left <= 0:
                self.table_fault(table, "button-stuck", table)

    def _changed(self, time, sensor, level):
        if sensor == DOOR and level:
            self.fault("door-open")
        elif sensor < BUTTON + self.tables and level:
            self._pressed(sensor - BUTTON + 1, time)

    def _report(self, time, sensor, value):
        which = (sensor - METER) // TABLES
        if which in (0, 1):
            table = (sensor - METER) % TABLES + 1
            if table <= self.tables and self.displays[table - 1].hear(which, value):
                self._compare(table)

    def idle(self):
        self._light_lamps()
        self.commit()

    # The button

    def _pressed(self, table, time):
        """Handle a press by hand. Without an offer it draws no prize, because the result would be
        void."""
        self.presses += 1
        state = self.state
        if state.full:
            return  # the lamp is dark: earlier events were not delivered
        if state.get(st.MODE) == READY and state.of(table, OFFERED):
            mark, length = state.mark(), len(self.outbox)
            try:
                self._draw_prize(table, state.of(table, PLACE), state.of(table, WAGER))
                self.commit()
            except (st.StorageFull, st.StateLost):
                state.back(mark)
                self.outbox = self.outbox[:length]
                raise
            self._show_table(table)
        else:
            self.emit("idle_press", table, time, state.of(table, SHOWN))
            self.commit()

    def _draw_prize(self, table, place, wager):
        text = self.state.texts[table - 1]
        digest = sha256(text).digest()
        self._draw(m.PRIZE, table, place, wager, prize_table.total(text), digest, text)
        self._end_offer(table)
        self.state.put(table, SHOWN, self.state.get(COUNTER))

    def _draw(self, kind, table, place, wager, prizes, digest, text=b""):
        """Draw one number, uniformly. It is not sent or shown before the caller has committed."""
        state = self.state
        prize = self.source.below(prizes) + 1
        amount = prize_table.amount(text, prize) if text else 0
        state.add(COUNTER, 1)
        box, seat, attempt = parts(place)
        signed = record(
            self.board.serial,
            state.get(COUNTER),
            kind,
            table,
            state.of(table, ROUND),
            box,
            seat,
            attempt,
            wager,
            prizes,
            prize,
            amount,
            digest,
            state.chain,
        )
        signature = signing.sign(state, DOMAIN + signed, self.board.breathe)
        state.add_draw(signed, signature)
        self.drawn += 1
        self._note_draw(state.draws[-1])

    def _note_draw(self, draw):
        """Record the event of a draw: its record and its signature."""
        self.note(bytes((m.EVENT_CODE["prize"],)) + draw)

    def _end_offer(self, table):
        state = self.state
        state.put(table, OFFERED, 0)
        state.set(st.INTENT, state.get(st.INTENT) & ~(1 << table - 1))

    # The displays

    def _show_table(self, table):
        """Show the table's last draw on meter and panel, or blank them."""
        found = self.state.drawn(self.state.of(table, SHOWN))
        amount = m.BLANK if found is None else found["amount"]
        self.displays[table - 1].ask(amount, self.board.now())
        self.board.show(table, amount)

    def _compare(self, table):
        """Compare meter, panel and record; if they differ, report all three to the host."""
        display = self.displays[table - 1]
        meter, panel = display.shows
        if UNHEARD in (meter, panel) or meter == panel == display.wanted:
            return
        if not self.state.full:
            shown = self.state.of(table, SHOWN)
            self.emit("readings", table, shown, display.wanted, meter, panel)
            self.commit()

    def _display_failed(self, table):
        display = self.displays[table - 1]
        display.give_up()
        which = METER_FAILED if display.shows[0] == UNHEARD else PANEL_FAILED
        self.table_fault(table, "display-failed", which << 8 | table)

    def table_fault(self, table, name, detail):
        """Latch a fault of one table; the other tables continue."""
        self._end_offer(table)
        self.state.put(table, FAULT, m.FAULT[name])
        self.state.put(table, DETAIL, detail)
        self.emit("fault", m.FAULT[name], detail, b"")
        self._try_commit()
        self._light_lamps()

    def stop(self):
        self._light(0)

    def _light_lamps(self):
        """Light the lamps of buttons on offer, unless the host takes no events."""
        able = self.state.get(st.MODE) == READY and not self.state.full
        self._light(self.state.get(st.INTENT) if able else 0)

    def _light(self, lamps):
        for table in range(self.tables):
            if (lamps ^ self.lit) & 1 << table:
                self.board.drive(LAMP + table, lamps >> table & 1)
        self.lit = lamps

    # Commands

    def cmd_prizes(self, table, text):
        self._require_table(table)
        if self.state.of(table, OFFERED):
            raise Refusal("on-offer", table)
        try:
            prize_table.rows(text)
        except prize_table.BadPrizes as bad:
            raise Refusal("bad-prizes", bad.row)
        self.state.set_prizes(table, text)
        self.state.set(st.MODE, READY)
        return self._show_later(table)

    def cmd_button(self, table, round, box, seat, attempt, wager):
        """Put the button on offer for this press."""
        place = place_of(box, seat, attempt)
        draw = self._require_press(table, round, place, wager)
        state = self.state
        if draw is not None:
            return self._send_again(table, draw)
        state.enter_round(table, round)
        state.put(table, PLACE, place)
        state.put(table, WAGER, wager)
        state.put(table, OFFERED, 1)
        state.put(table, SHOWN, 0)
        state.set(st.INTENT, state.get(st.INTENT) | 1 << table - 1)
        return self._show_later(table)

    def cmd_withdraw(self, table):
        self._require_table(table)
        self._end_offer(table)

    def cmd_press(self, table, round, box, seat, attempt, wager):
        """Draw like a press by hand: staff does this from the host if no player will press."""
        place = place_of(box, seat, attempt)
        draw = self._require_press(table, round, place, wager)
        if draw is not None:
            return self._send_again(table, draw)
        self.state.enter_round(table, round)
        self._draw_prize(table, place, wager)
        return self._show_later(table)

    def cmd_select(self, table, round, attempt, among, digest):
        """Draw one of the wagers of a list that the host has fixed, without a press or a
        display."""
        place = place_of(0, 0, attempt)
        self._require_table(table)
        if not 0 < among <= prize_table.MOST:
            raise Refusal("nothing-to-select", table)
        found = self._require_round(m.SELECTION, table, round, place)
        if found is not None:
            if (found[1]["digest"], found[1]["prizes"]) != (digest, among):
                raise Refusal("other-wager", among, found[1]["prizes"])
            self._note_draw(found[0])
            return None
        is_new = self.state.enter_round(table, round)
        self._draw(m.SELECTION, table, place, 0, among, digest)
        return self._show_later(table) if is_new else None

    def cmd_resume(self, table):
        """End a fault after its cause was removed: of one table, or (0) of the entire
        controller."""
        state = self.state
        if not table:
            self._resume_all()
        else:
            self._require_known(table)
            if not state.of(table, FAULT):
                raise Refusal("wrong-mode", state.get(st.MODE))
            self._require_released(BUTTON + table - 1)
            state.put(table, FAULT, 0)
            state.put(table, DETAIL, 0)
        for display in self.displays[table - 1 : table] or self.displays:
            display.give_up()  # in a fault, expected readings are not checked
        self.emit("resumed", table)
        return self._show_later(table)

    def _resume_all(self):
        state = self.state
        self.require_mode(IN_FAULT)
        fault, detail = state.get(st.FAULT), state.get(st.DETAIL)
        if m.FAULTS[fault] == "state-lost" and detail != STORAGE_FULL:
            raise Refusal("in-fault", fault, detail)
        self._require_released(DOOR)
        self._restart_source()
        self._leave_fault()

    def cmd_renew(self):
        """Make a new key without draws, because the earlier draws are unknown."""
        state = self.state
        if state.get(st.MODE) != IN_FAULT or m.FAULTS[state.get(st.FAULT)] != "state-lost":
            raise Refusal("wrong-mode", state.get(st.MODE))
        self._require_released(DOOR)
        self._restart_source()
        state.forget_all()
        state.load_prizes()
        self.emit("identity", self._new_key())
        self._leave_fault()
        return self._show_later(0)

    def _leave_fault(self):
        state = self.state
        state.set(st.FAULT, 0)
        state.set(st.DETAIL, 0)
        state.set(st.MODE, READY if any(state.texts) else EMPTY)

    def _send_again(self, table, draw):
        self._note_draw(draw[0])
        self.state.put(table, SHOWN, draw[1]["counter"])
        return self._show_later(table)

    def _show_later(self, table):
        """Show the draw after the commit, so that every displayed draw is durable."""
        return range(1, self.tables + 1) if not table else (table,)

    def start(self, job):
        for table in job:
            if self.state.texts[table - 1]:
                self._show_table(table)
        self._light_lamps()

    # Refusals

    def _require_known(self, table):
        if not 1 <= table <= self.tables:
            raise Refusal("no-such-table", table, self.tables)

    def _require_table(self, table):
        self._require_known(table)
        fault = self.state.of(table, FAULT)
        if fault:
            raise Refusal("in-fault", fault, self.state.of(table, DETAIL))

    def _require_press(self, table, round, place, wager):
        """Return the (draw, fields) of an earlier press; None for a first press."""
        self._require_table(table)
        if not self.state.texts[table - 1]:
            raise Refusal("no-prizes", table)
        if not wager:
            raise Refusal("no-wager", table)
        state = self.state
        if state.of(table, OFFERED):
            offer = state.of(table, ROUND), state.of(table, PLACE), state.of(table, WAGER)
            if offer != (round, place, wager):
                raise Refusal("on-offer", table)
        found = self._require_round(m.PRIZE, table, round, place)
        if found is not None and found[1]["wager"] != wager:
            raise Refusal("other-wager", wager, found[1]["wager"])
        return found

    def _require_round(self, kind, table, round, place):
        state = self.state
        last = state.of(table, ROUND)
        if round < last:
            raise Refusal("old-round", round, last)
        if state.full:
            raise Refusal("event-store-full", len(state.events))
        found = state.find(kind, table, round, place)
        if found is None:
            if round != last and state.of(table, OFFERED):
                raise Refusal("on-offer", table)
            kept = len(state.kept_in(table, round))
            if kept >= MOST_DRAWS:
                raise Refusal("draws-full", kept)
        return found

    def _require_released(self, sensor):
        if self.levels.stable[sensor] or self.levels.raw[sensor]:
            raise Refusal("not-clear", sensor)

    # Questions

    def cmd_status(self):
        state = self.state
        offered = sum(state.of(table, OFFERED) for table in range(1, self.tables + 1))
        ready = sum(1 for text in state.texts if text)
        return (
            state.get(st.MODE),
            state.get(st.FAULT),
            state.get(st.DETAIL),
            0,
            0,
            0,
            ready,
            offered,
            state.get(st.LAST_EVENT),
            state.get(st.LAST_COMMAND),
            state.get(st.BOOTS),
        )

    def passed(self):
        return self.presses, self.drawn

    def cmd_signer(self):
        try:
            public = signing.public(self.state)
        except st.StateLost:
            public = bytes(32)
        return public, self.tables, self.state.get(COUNTER), self.state.chain

    def cmd_panel(self, table):
        self._require_known(table)
        state = self.state
        text = state.texts[table - 1]
        display = self.displays[table - 1]
        box, seat, attempt = parts(state.of(table, PLACE))
        meter, panel = [m.BLANK if shows == UNHEARD else shows for shows in display.shows]
        return (
            state.of(table, FAULT),
            state.of(table, DETAIL),
            state.of(table, OFFERED),
            state.of(table, ROUND),
            box,
            seat,
            attempt,
            state.of(table, WAGER),
            prize_table.total(text) if text else 0,
            sha256(text).digest() if text else bytes(32),
            state.of(table, SHOWN),
            display.wanted,
            meter,
            panel,
        )

    def cmd_draws(self, place):
        """Return one of the stored draws; an empty one after the last."""
        draws = self.state.draws
        return len(draws), draws[place] if place < len(draws) else b""
