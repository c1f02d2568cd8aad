"""A live table: it passes events of the device to the engine, and commands of the engine back.

Everything that counts is in the journal before it has any effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from textwrap import fill, indent
from typing import Any

from cutcard.cards import Card
from cutcard.cases.writing import result_of, step_of, wager_of
from cutcard.devices.card_device import CardDevice
from cutcard.devices.errors import CommandRefusedError, InFaultError
from cutcard.devices.events import (
    CardDealt,
    CuttingCard,
    FaultRaised,
    Returned,
    Started,
    UnknownEvent,
)
from cutcard.engine.choices import Choice
from cutcard.engine.device_faults import (
    COUNT_MISMATCH,
    FACE_UP,
    irregularity_of,
    known_as,
    mapping_of,
    proven,
    restarted,
    stage_of,
)
from cutcard.engine.events import LATE, Act, Deal, Event, Irregularity, Ruling, Settled
from cutcard.engine.ledger import Key
from cutcard.engine.limits import is_under_minimum
from cutcard.engine.obligations import declined, options
from cutcard.engine.refusal import RefusedError
from cutcard.engine.results import WagerResult, came_to, results
from cutcard.engine.round import finish, go_on, owed, start, step
from cutcard.engine.state import Phase, Placed, Table
from cutcard.engine.tables import TableRefusal, indistinguishable, refusals
from cutcard.engine.turn import hand_in_turn, next_card_goes_to
from cutcard.meters import MeterError
from cutcard.table.display_names import job, words
from cutcard.table.jackpot.interface import Jackpot, NotOfferedError
from cutcard.table.machine.clearing import LINE, TableMachine
from cutcard.table.machine.dealing_device import TableDevice
from cutcard.table.machine.floor import Decide, Floor, RecordedFloor, TakeOptions
from cutcard.table.plan import players
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.table.replay.role_log import CARDS, CONTROLLER

Log = Callable[[str], None]

RETURN_SECONDS = 60.0  # for the discards of a round to be taken in, including faults
PATIENCE = 3  # refused rulings before the program gives up


class TableLockedError(Exception):
    """Raised when a card is due and the machine is locked: fill it again, or use another one."""


class WagersRefusedError(Exception):
    """Raised when a rule refuses wagers before the first card: no round has begun."""

    def __init__(self, against: Sequence[TableRefusal]) -> None:
        cited = [each.cited for each in against]
        super().__init__(f"{'; '.join(cited)}. Correct the wagers, then begin the round.")
        self.rules = tuple(rule for each in against for rule in each.rules)


class LiveTable:
    """One table with its device. `log` gets a line for every visible event.

    `attend` is called between two cards, for consoles. `options` decides about insurance and
    similar options; without it they are not taken. `keep` returns further state to store for the
    next program.
    """

    def __init__(
        self,
        table: Table,
        device: CardDevice,
        memory: ReplayLog,
        floor: Floor,
        log: Log,
        decide: Decide = players.decide,
        jackpots: Sequence[Jackpot] = (),
        attend: Callable[[], None] = lambda: None,
        options: TakeOptions | None = None,
        keep: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        self.table = table
        self.device = TableDevice(device, memory)
        self.device.check_witness()
        self.memory = memory
        self.floor = RecordedFloor(floor, memory)
        self.decide = decide
        self.jackpots = jackpots
        self._attend = attend
        self.options = options
        self._keep = keep
        self._late: Act | None = None
        self.not_begun: Exception | None = (
            None  # why the previous round did not begin, if it did not
        )
        self._log = log
        kept = memory.kept
        self.played: int = kept.get("played", 0)
        self.faults: int = kept.get("faults", 0)
        self.cents: dict[str, int] = dict(kept.get("cents", {}))
        self.warned: set[str] = set(kept.get("warned", ()))  # about wagers below the minimum
        lie = kept.get("carried", ())  # wagers left for another round, in cents
        self.carried = {Key(box, player, bet): cents for box, player, bet, cents in lie}
        self.machine = TableMachine(self.device, memory, self.floor, self.log)
        for place, jackpot in enumerate(jackpots):
            jackpot.opened(self, kept["jackpots"][place] if kept else None)
        self.number: int = kept["number"] if kept else self._first_number()
        if CONTROLLER in memory.changed:
            for jackpot in jackpots:
                jackpot.met_another(self)
        if CARDS in memory.changed:
            self.machine.clear_out()
        if kept:
            self._between_rounds(kept["shuffle"])

    def _first_number(self) -> int:
        """Return the first round number: rounds count up from the highest that the equipment
        knows."""
        return max((jackpot.last_round(self) for jackpot in self.jackpots), default=0)

    def log(self, line: str) -> None:
        """Log a line, unless the table is still replaying an earlier program."""
        if not self.memory.resuming:
            self._log(line)

    # A round

    def play(self, placed: Sequence[Placed]) -> list[WagerResult]:
        """Play one round, from the wagers to the settlement, with all faults of the machine."""
        if self.machine.locked:
            raise TableLockedError("the machine is locked: fill it again before the next round")
        if against := refusals(self.table, placed) or indistinguishable(placed):
            raise WagersRefusedError(against)
        placed = self._entered(
            [
                self._restore_layout(replace(wager, warned=self._knows_better(wager)))
                for wager in placed
            ]
        )
        self.round = start(self.table, placed)
        self._offered: set[Act] = set()
        self._discards = self.machine.reported_outside  # of earlier rounds, including burned cards
        for jackpot in self.jackpots:
            jackpot.began(self)
        self._begin()
        self._play_on()
        self.round = finish(self.round)
        for jackpot in self.jackpots:
            jackpot.settled(self)
        outcome = self._settled(placed)
        self._between_rounds(self._is_to_be_shuffled())
        return outcome

    def _entered(self, placed: Sequence[Placed]) -> Sequence[Placed]:
        """Return the wagers of a new round, recorded before they are entered at any meter."""
        self.number += 1
        written = [wager_of(wager) for wager in placed]
        self.memory.write("round", {"number": self.number, "wagers": written})
        try:
            for jackpot in self.jackpots:
                placed = jackpot.enter(self, placed)
        except (NotOfferedError, MeterError) as refused:
            self.memory.write("not-begun", {"number": self.number, "why": str(refused)})
            self.not_begun = refused
            raise
        entered = [wager_of(wager) for wager in placed]
        if entered != written:
            self.memory.write("entered", {"number": self.number, "wagers": entered})
        return placed

    def _play_on(self) -> None:
        """Continue card by card and decision by decision, until the rules require no more."""
        while not self.round.over:
            if not self.memory.resuming:
                self._attend()
            self._listen()
            if self._asked():
                continue
            self._refuse_late()
            self.round = go_on(self.round)
            if self._took_an_option():
                continue
            if self.round.phase is Phase.BEFORE_INTERIM:
                self.take(Settled("interim"))
            elif any(jackpot.go_on(self) for jackpot in self.jackpots):
                continue
            elif owed(self.round) is None:
                break
            else:
                self._one_more()

    def _settled(self, placed: Sequence[Placed]) -> list[WagerResult]:
        """Return the result of every wager, recorded with all state for the next round."""
        outcome = results(self.round)
        self.warned.update(w.player for w in placed if is_under_minimum(self.table, w))
        carried = {line.key for line in outcome if line.result == "carried"}
        self.carried = {wager.key: wager.amount for wager in placed if wager.key in carried}
        self.played += 1
        for line in outcome:
            self.cents[line.key.player] = self.cents.get(line.key.player, 0) + line.net
        self.memory.settled(
            {
                "number": self.number,
                "round": came_to(self.round),
                "results": [result_of(line) for line in outcome],
            },
            self._state_to_store(),
        )
        return outcome

    def _knows_better(self, wager: Placed) -> bool:
        """Return whether the player was already warned of a wager below the minimum."""
        was_warned = wager.warned or wager.player in self.warned
        return was_warned and is_under_minimum(self.table, wager)

    def _restore_layout(self, wager: Placed) -> Placed:
        """Return the wager, or for one that stays from the last round at most its old amount."""
        lay = self.carried.get(wager.key)
        return wager if lay is None else replace(wager, carried=True, amount=min(lay, wager.amount))

    def _is_to_be_shuffled(self) -> bool:
        """Return whether a rule ordered a shuffle during the round; a shuffler shuffles anyway."""
        ordered = any(order.what.startswith("shuffle") for order in self.round.orders)
        return ordered and self.device.kind == "shoe"

    def _between_rounds(self, shuffle: bool) -> None:
        """Do the work ordered for the end of the round, and fill a machine that waits for new
        cards."""
        if shuffle and not self.machine.locked:
            self.log("   the shuffle that was ordered")
            self.machine.reshuffle(self.table)
        self.machine.renew(self.table)

    def _state_to_store(self) -> dict[str, Any]:
        """Return the state that a restarted program needs to continue the table."""
        return {
            "number": self.number,
            "played": self.played,
            "faults": self.faults,
            "cents": self.cents,
            "warned": sorted(self.warned),
            "carried": [[*key, cents] for key, cents in self.carried.items()],
            "machine": self.machine.kept(),
            "shuffle": self._is_to_be_shuffled(),
            "jackpots": [jackpot.kept() for jackpot in self.jackpots],
            **self._keep(),
        }

    def bring_back_discards(self) -> None:
        """Return the discards between rounds.

        A continuous shuffler also takes them during a round. A newly filled machine has all of its
        cards.
        """
        if not self.machine.reported_outside:
            return
        self.floor.bring_back()
        while self.machine.reported_outside:  # a fault may end in a count that includes them all
            event = self.device.returned(RETURN_SECONDS)
            if event is None:
                raise TableLockedError(
                    "the discards were not taken in: check the tray, and the machine's status"
                )
            if isinstance(event, FaultRaised):
                self._stopped(event)
            elif self._back(event):
                return

    def _back(self, returned: Returned) -> bool:
        """Record that discards were taken in; return False if a later count already includes
        them."""
        is_new = not self.device.has_counted(returned)
        if is_new:
            self.machine.reported_outside -= returned.cards
        self.memory.write("returned", {"cards": returned.cards})
        return is_new

    def notice(self, irregularity: Irregularity) -> None:
        """Report an irregularity to the engine that no device can report."""
        self.take(irregularity)

    def _try(self, event: Act | Ruling) -> bool:
        """Apply an event, or record its refusal with the reason; a refused event changes
        nothing."""
        try:
            self.take(event)
        except RefusedError as refused:
            said = step_of(event) | {"why": refused.why, "rules": list(refused.rules)}
            self.memory.write("refused", said)
            self.log(indent(fill(f"refused: {refused}", LINE), "   "))
            return False
        return True

    def rule(self, ruling: Ruling) -> bool:
        """Apply a ruling, or record its refusal."""
        if not self._try(ruling):
            return False
        by = ruling.player if ruling.by is None else job(ruling.by)
        self.log(f"   ruling: {words(ruling.kind)}, by {by}")
        return True

    def _begin(self) -> None:
        while not self.round.over:
            try:
                self.device.begin_round()
                return
            except InFaultError as stopped:
                self._stopped(self.machine.raised(stopped))
                while not self.round.over and self._asked():
                    pass

    def push_late(self, wager: Placed) -> None:
        """Place this wager when the first card of the next round is out."""
        bet = None if wager.bet == "main" else wager.bet
        self._late = Act(LATE, box=wager.box, player=wager.player, amount=wager.amount, bet=bet)

    def _refuse_late(self) -> None:
        if self._late is not None and any(isinstance(each, Deal) for each in self.round.record):
            late, self._late = self._late, None
            self._try(late)

    def _took_an_option(self) -> bool:
        """Offer the options outside the turns, each once a round; return True if one was taken."""
        if self.options is None or self.round.over:
            return False
        for act in options(self.round):
            if act not in self._offered:
                self._offered.add(act)
                if self.floor.consider(self.options.consider, self.round, act):
                    self.take(act)
                    return True
        return self._took_anothers_option()

    def _took_anothers_option(self) -> bool:
        """Offer an insurance that its owner declined to the others, in the order of their
        claims."""
        assert self.options is not None
        for act, claims in declined(self.round):
            if act in self._offered:
                continue
            self._offered.add(act)
            for equal in claims:
                taken = [replace(act, player=player) for player in equal]
                wish = [
                    each
                    for each in taken
                    if self.floor.consider(self.options.consider, self.round, each)
                ]
                if len(wish) > 1:
                    names = [each.player or "" for each in wish]
                    who = self.floor.agree(self.options.agree, self.round, names, act)
                    wish = [each for each in wish if each.player == who]
                    if not wish:
                        self._record_no_agreement(act)
                        break
                if wish:
                    self.take(wish[0])
                    return True
        return False

    def _record_no_agreement(self, act: Act) -> None:
        """Close the insurance option: the players with equal claims did not agree."""
        rules = self.round.book.rules("insurance.claims")
        self.memory.write("unagreed", {"box": act.box, "for": act.for_player, "rules": list(rules)})
        cited = f"[{', '.join(rules)}]"
        self.log(f"   no insurance for {act.for_player}: equal claims, no agreement {cited}")

    def _one_more(self) -> None:
        if next_card_goes_to(self.round) is not None:
            self._deal()
            return
        turn = hand_in_turn(self.round)
        assert turn is not None, owed(self.round)
        act = self.floor.decide(self.decide, self.round, turn.box, turn.hand)
        if act.kind == LATE:
            self._try(act)
        else:
            self.take(act)

    def _deal(self) -> None:
        if self.machine.locked:
            raise TableLockedError(f"{owed(self.round)}, and the machine is locked: void the round")
        try:
            dealt = self.device.deal()
        except InFaultError as stopped:
            self._stopped(self.machine.raised(stopped), called=True)
            return
        except CommandRefusedError as refused:
            if refused.error != "not-enough-cards" or self.device.kind != "shoe":
                raise
            self._shoe_is_empty()
            return
        assert dealt.card is not None  # an unreadable card is a fault
        self.machine.reported_outside += 1
        self.take(Deal(dealt.card))

    def _shoe_is_empty(self) -> None:
        """Complete the round of an empty shoe by the rules: with the discards, unless a ruling is
        required."""
        self.take(Irregularity("shoe-empty"))
        if self.round.over or self._asked():
            return
        if not self.machine.refill(self._discards):
            raise TableLockedError(f"{owed(self.round)}; the shoe is empty and was not refilled")

    def take(self, event: Event) -> None:
        """Apply an event: the engine checks it, the journal records it, then it counts.

        Jackpots record their outcome before any interim settlement.
        """
        after = step(self.round, event)
        due = [jackpot for jackpot in self.jackpots if jackpot.is_due(self.round, after)]
        if due:
            for jackpot in due:
                jackpot.settle(self)
            after = step(self.round, event)
        self.memory.write("event", step_of(event))
        ruled = after.rulings[len(self.round.rulings) :]
        self.round = after
        for each in ruled:
            cited = f" [{', '.join(each.rules)}]" if each.rules else ""
            what = words(each.irregularity or "press")
            self.log(f"   {what}: {words(each.ruling or 'by rule')}{cited}")

    # Events of the machine

    def _listen(self) -> bool:
        """Process the events that have arrived; return whether any concerns the round."""
        records = len(self.round.record)
        for event in self.device.heard():
            if isinstance(event, FaultRaised):
                self._stopped(event)
            elif isinstance(event, Started):
                self._restarted(event)
            elif isinstance(event, Returned):
                self._back(event)
            elif isinstance(event, UnknownEvent):
                self.log(f"   machine: unknown event {event.code}: update cutcard")
            elif self.round.over:
                continue
            elif isinstance(event, CuttingCard):
                self.take(Irregularity("cut-card"))
            elif isinstance(event, CardDealt) and event.uncalled and event.card is not None:
                if not self.device.has_counted(event):
                    self.machine.reported_outside += 1
                self._drawn_in_error(event.card, seen=bool(self.floor.disclosed([event.card])))
        for jackpot in self.jackpots:
            jackpot.listen(self)
        return len(self.round.record) > records

    def _restarted(self, started: Started) -> None:
        """Handle a power failure at rest: it is no fault of the device, but an irregularity of the
        round."""
        if started.boots <= self.machine.boots:
            return
        self.machine.boots = started.boots
        self.memory.write("started", {"boots": started.boots, "cause": started.cause})
        if started.cause == "power" and not self.round.over:
            self.take(Irregularity("power-failure"))

    def _drawn_in_error(self, card: Card, seen: bool) -> None:
        self.take(Irregularity("drawn-in-error", cards=(card,), exposed=seen))

    # Faults of the machine

    def _stopped(self, raised: FaultRaised, called: bool = False) -> None:
        """Report the fault to the engine, and recover or empty the machine; then ask for rulings.

        `called`: a card was called, so the first card that came is that card.
        """
        self.faults += 1
        cards = [card for card in raised.cards if card is not None]
        if raised.fault == FACE_UP:
            cards = [self.floor.read_face_up()]
        stage = stage_of(self.round)
        self.memory.write(
            "device",
            {
                "fault": raised.fault,
                "detail": raised.detail,
                "cards": [str(card) for card in cards],
                "stage": stage.value,
            },
        )
        which = " ".join((words(raised.fault), *map(str, cards)))
        self.log(f"   machine: {which} ({stage.value})")
        if restarted(raised.fault):
            self.machine.boots = self.device.counts().boots
        outside = self.floor.clear(raised.fault)
        called = called and not self._came_late()
        foreign = False
        if (
            called
            and outside > self.machine.reported_outside
            and mapping_of(raised.fault).unreported
        ):
            foreign = not self._read_by_eye()
        if known_as(raised.fault, stage_of(self.round)) is not None:
            self._apply_irregularity(raised, cards, called)
        if foreign or not self.machine.recover(raised.fault, outside):
            self._count_by_hand(raised.fault)
        elif raised.fault == FACE_UP and not self.round.over:
            self._draw_face_up()

    def _draw_face_up(self) -> None:
        """Draw the face-up card, which the engine knows already, whatever the rules decide about
        it."""
        try:
            self.device.deal()
            self.machine.reported_outside += 1
        except InFaultError as stopped:
            self._stopped(self.machine.raised(stopped))

    def _came_late(self) -> bool:
        """Deal the called card that was on its way when the machine stopped."""
        self.device.catch_up()
        late = self.device.reported_card()
        if late is None or late.card is None:
            return False
        self.machine.reported_outside += 1
        self.take(Deal(late.card))
        return True

    def _apply_irregularity(self, raised: FaultRaised, cards: list[Card], called: bool) -> None:
        put = irregularity_of(raised.fault, self.round, self.device.kind, cards)
        if put.kind != "simultaneous-draw":
            self.take(put)
            return
        self.machine.reported_outside += len(cards)
        seen = self.floor.disclosed(cards)
        if called and raised.order_known:
            # Cards were drawn together only if their order is unknown; these came one by one.
            self.take(Deal(cards[0]))
            for number, card in enumerate(cards[1:], start=2):
                self._drawn_in_error(card, number in seen)
        else:
            self.take(replace(put, disclosed=seen))

    def _read_by_eye(self) -> bool:
        """Read the called card by eye, because the device could not.

        Return False if it is not a card of this pack.
        """
        card = self.floor.read_card()
        self.machine.reported_outside += 1
        if card is not None:
            self.take(Deal(card))
        return card is not None

    def _count_by_hand(self, fault: str) -> None:
        """Remove all cards for inspection, because no count could be verified."""
        found = self.machine.empty(fault)
        wrong = proven(fault, found) or proven(COUNT_MISMATCH, found)
        if found and wrong is not None:
            self.take(wrong)

    # Rulings

    def _asked(self) -> bool:
        """Ask the floor for the open choices, the latest first; return whether a ruling was
        made."""
        return any(self._ask(choice) for choice in reversed(self.round.choices))

    def _ask(self, choice: Choice) -> bool:
        for _ in range(PATIENCE):
            ruling = self.floor.rule(self.round, choice, not self.machine.locked)
            self.device.catch_up()  # including events during the thinking time
            if self._listen():
                return True
            if ruling is None and not choice.required:
                return False
            if ruling is not None and self.rule(ruling):
                return True
        raise TableLockedError(
            f"no entitled person has ruled on {choice.irregularity.kind}: {owed(self.round)}"
        )
