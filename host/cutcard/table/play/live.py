"""A live table: it takes what the device tells to the engine, and back what the engine wants.

Everything that counts is in the journal before anything follows from it."""

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

RETURN_SECONDS = 60.0  # for the discards of a round to go in, faults included
PATIENCE = 3  # rulings that are refused, before it is the program that is wrong


class TableLockedError(Exception):
    """Raised when a card is due and the machine is locked: fill it anew, or take another."""


class WagersRefusedError(Exception):
    """Raised when a rule refuses wagers before the first card: nothing has begun."""

    def __init__(self, against: Sequence[TableRefusal]) -> None:
        cited = [each.cited for each in against]
        super().__init__(f"{'; '.join(cited)}. Put the wagers right, and begin the round then.")
        self.rules = tuple(rule for each in against for rule in each.rules)


class LiveTable:
    """One table with its device. `log` gets a line for everything that a bystander would see.

    `attend` is called between two cards, for whoever watches or wants something meanwhile.
    `options` are asked about insurance and the like; without them nobody takes any. `keep` is what
    others want to find again when the table goes on.
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
            None  # why the round before did not begin, where it did not
        )
        self._log = log
        kept = memory.kept
        self.played: int = kept.get("played", 0)
        self.faults: int = kept.get("faults", 0)
        self.cents: dict[str, int] = dict(kept.get("cents", {}))
        self.warned: set[str] = set(kept.get("warned", ()))  # of a wager under the minimum
        lie = kept.get("carried", ())  # wagers that stay for one more round, in cents
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
        """Rounds count up from the highest that the table's equipment knows."""
        return max((jackpot.last_round(self) for jackpot in self.jackpots), default=0)

    def log(self, line: str) -> None:
        """Log a line, unless the table is still replaying an earlier program."""
        if not self.memory.resuming:
            self._log(line)

    # A round

    def play(self, placed: Sequence[Placed]) -> list[WagerResult]:
        """Play one round, from the wagers to the settlement, with all faults of the machine."""
        if self.machine.locked:
            raise TableLockedError("the machine is locked: fill it anew before the next round")
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
        self._discards = self.machine.reported_outside  # of the rounds before, with what was burned
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
        """The wagers of a new round, on the record before any meter is told of them."""
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
        """Card by card and decision by decision, until the rules ask for nothing more."""
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
        """What every wager came to, on the record with all that the next round needs."""
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
        """Return whether the player was already warned of a wager under the minimum."""
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
        """What was ordered for the end of the round, and a machine that waits for new cards."""
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

        A continuous shuffler also takes them during a round. One that was filled anew has all of
        its cards.
        """
        if not self.machine.reported_outside:
            return
        self.floor.bring_back()
        while (
            self.machine.reported_outside
        ):  # a fault may end in a count that finds all of them inside
            event = self.device.returned(RETURN_SECONDS)
            if event is None:
                raise TableLockedError(
                    "the discards have not gone in: look into the tray, and at its status"
                )
            if isinstance(event, FaultRaised):
                self._stopped(event)
            elif self._back(event):
                return

    def _back(self, returned: Returned) -> bool:
        """Discards have gone in; False where a count since then has found them there already."""
        is_new = not self.device.has_counted(returned)
        if is_new:
            self.machine.reported_outside -= returned.cards
        self.memory.write("returned", {"cards": returned.cards})
        return is_new

    def notice(self, irregularity: Irregularity) -> None:
        """Put an irregularity to the engine that no device can report."""
        self.take(irregularity)

    def _try(self, event: Act | Ruling) -> bool:
        """Take it, or record that it was refused and why; then nothing has changed."""
        try:
            self.take(event)
        except RefusedError as refused:
            said = step_of(event) | {"why": refused.why, "rules": list(refused.rules)}
            self.memory.write("refused", said)
            self.log(indent(fill(f"refused: {refused}", LINE), "   "))
            return False
        return True

    def rule(self, ruling: Ruling) -> bool:
        """Take a ruling, or record that it was refused."""
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
        """Somebody will put this wager down when the first card of the next round is out."""
        bet = None if wager.bet == "main" else wager.bet
        self._late = Act(LATE, box=wager.box, player=wager.player, amount=wager.amount, bet=bet)

    def _refuse_late(self) -> None:
        if self._late is not None and any(isinstance(each, Deal) for each in self.round.record):
            late, self._late = self._late, None
            self._try(late)

    def _took_an_option(self) -> bool:
        """Offer what players may take beside the turns, each once a round; True: one took it."""
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
        """Offer an insurance that its owner left to the others, by who has the first claim."""
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
        self.log(f"   nobody insures for {act.for_player}: equal claims, no agreement {cited}")

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
        assert dealt.card is not None  # what cannot be read is a fault
        self.machine.reported_outside += 1
        self.take(Deal(dealt.card))

    def _shoe_is_empty(self) -> None:
        """The rules say what completes the round: the discards, unless somebody must rule."""
        self.take(Irregularity("shoe-empty"))
        if self.round.over or self._asked():
            return
        if not self.machine.refill(self._discards):
            raise TableLockedError(
                f"{owed(self.round)}; the shoe is empty, and no discards went into it"
            )

    def take(self, event: Event) -> None:
        """Apply an event: the engine checks it, the journal records it, then it counts.

        Whatever brings the interim settlement about, jackpots record their outcome before it.
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

    # What the machine tells of its own accord

    def _listen(self) -> bool:
        """Take what has arrived; True where anything of it concerns the round."""
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
        """The power failed while nothing moved: no fault of the device, but one of the round."""
        if started.boots <= self.machine.boots:
            return
        self.machine.boots = started.boots
        self.memory.write("started", {"boots": started.boots, "cause": started.cause})
        if started.cause == "power" and not self.round.over:
            self.take(Irregularity("power-failure"))

    def _drawn_in_error(self, card: Card, seen: bool) -> None:
        self.take(Irregularity("drawn-in-error", cards=(card,), exposed=seen))

    # When it stands still

    def _stopped(self, raised: FaultRaised, called: bool = False) -> None:
        """Put it to the rules, and get the machine going or emptied. Who must rule is asked then.

        `called`: a card was called for, so the first that came is the one.
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
        """Whatever the rules say becomes of it, the card comes out; the engine knows it already."""
        try:
            self.device.deal()
            self.machine.reported_outside += 1
        except InFaultError as stopped:
            self._stopped(self.machine.raised(stopped))

    def _came_late(self) -> bool:
        """The card that was called for was on its way when the machine stopped: it is dealt."""
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
            # Only cards whose order nobody knows were drawn together; these came one by one.
            self.take(Deal(cards[0]))
            for number, card in enumerate(cards[1:], start=2):
                self._drawn_in_error(card, number in seen)
        else:
            self.take(replace(put, disclosed=seen))

    def _read_by_eye(self) -> bool:
        """The card that was called for lies there, and the device could not tell which it is.
        False where it is none of this pack."""
        card = self.floor.read_card()
        self.machine.reported_outside += 1
        if card is not None:
            self.take(Deal(card))
        return card is not None

    def _count_by_hand(self, fault: str) -> None:
        """Nobody could verify a count: all cards come out, and people look at them."""
        found = self.machine.empty(fault)
        wrong = proven(fault, found) or proven(COUNT_MISMATCH, found)
        if found and wrong is not None:
            self.take(wrong)

    # Whoever must or may rule

    def _asked(self) -> bool:
        """Put the open choices to the floor, the latest first; True where somebody ruled."""
        return any(self._ask(choice) for choice in reversed(self.round.choices))

    def _ask(self, choice: Choice) -> bool:
        for _ in range(PATIENCE):
            ruling = self.floor.rule(self.round, choice, not self.machine.locked)
            self.device.catch_up()  # with whatever happened while they thought
            if self._listen():
                return True
            if ruling is None and not choice.required:
                return False
            if ruling is not None and self.rule(ruling):
                return True
        raise TableLockedError(
            f"nobody entitled has ruled on {choice.irregularity.kind}: {owed(self.round)}"
        )
