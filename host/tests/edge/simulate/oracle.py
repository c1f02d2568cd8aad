"""The same cards for the engine and the kernel, with all their decisions and payments.

The engine reports its allowed actions, and plays by the same strategy; the kernel writes its log.
If two `RoundLog` differ, the kernel has a defect: the engine is the definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cutcard.cards import Card
from cutcard.edge.simulate import kernel
from cutcard.edge.simulate import log as entries
from cutcard.edge.simulate.drawing import BUFFER, Cards, generator
from cutcard.edge.simulate.game import MOST_BOXES, bonus_of, game_of
from cutcard.edge.simulate.room import room
from cutcard.edge.simulate.side_bets import MOST_ROWS, side_bets_of, sides_of
from cutcard.edge.simulate.strategy import (
    DOUBLE,
    EXCEPTED,
    HIT,
    MONEY,
    SPLIT,
    STAND,
    SURRENDER,
    TOKEN,
    WAY,
    WAY_BITS,
    WHEN_IT_GAINS,
    Play,
    exception,
    hand_state,
)
from cutcard.engine import (
    Act,
    Deal,
    Placed,
    Press,
    RefusedError,
    Round,
    Settled,
    Table,
    allowed,
    finish,
    results,
    start,
    step,
)
from cutcard.engine.bonuses import special_hand
from cutcard.engine.ledger import HOUSE, LAYOUT
from cutcard.engine.state import DEALER, Box, Hand
from cutcard.engine.turn import hand_in_turn, next_card_goes_to

# Room for nine boxes that split as long as there are cards.
LOG = np.zeros(200_000, dtype=np.int64)
ROOM, NUMBERS = room(), np.zeros(BUFFER, dtype=np.uint32)
NO_COUNTS = np.zeros(0, dtype=np.int64)
CARDS = [Card.from_code(code) for code in range(52)]
NAMES = {STAND: "stand", HIT: "hit", DOUBLE: "double", SPLIT: "split", SURRENDER: "surrender"}

NOT_ASKED = RefusedError("", ())  # a player who surrenders early is not asked again

PAYMENTS = ("the hand", "21", "super bonus", "five and under", "insurance")  # as the log has them


def _why(refusal: RefusedError) -> str:
    """Return the reason, without the card or the box."""
    text = str(refusal).partition(" (")[0].partition(", not ")[0].partition(" the dealer's")[0]
    return "there is no open wager" if "has no open wager" in text else text


@dataclass
class RoundLog:
    """All data of a round: each card with its place, each decision, each payment."""

    cards: list[tuple[int, int, int]] = field(default_factory=list)
    decisions: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    payments: dict[tuple[int, str], list[int]] = field(default_factory=dict)
    sides: dict[tuple[int, str], int] = field(default_factory=dict)
    prizes: dict[tuple[int, str], int] = field(default_factory=dict, compare=False)
    net: int = 0

    def decided(self, box: int, *what: int) -> None:
        self.decisions.setdefault(box, []).append(what)

    def paid(self, box: int, bet: str, cents: int) -> None:
        self.payments.setdefault((box, bet), []).append(cents)


class KernelsTable:
    """A table for the kernel, with all data that does not change between rounds."""

    def __init__(
        self, table: Table, placed: Sequence[Placed], play: Play, seen: Counter[str]
    ) -> None:
        self.seen = seen
        self.boxes = sorted({wager.box for wager in placed})
        self.game = game_of(table, placed)
        self.bets = side_bets_of(table, placed)
        self.sides = sides_of(table, placed)
        self.bonus = bonus_of(table, self.game.stake)
        self.play = play
        self.carried = np.zeros_like(self.sides.carried)
        self.prizes = [
            table.book.side_wagers[bet.bet]
            .column(bet.choice, table.decks, table.pack)
            .prizes.chances
            for bet in self.bets
        ]
        for place, bet in enumerate(self.bets):
            for wager in placed:
                if wager.bet == bet.bet and wager.carried:
                    self.carried[MOST_BOXES * place + self.boxes.index(wager.box)] = 1
        self._state = generator(repr(self.game), 0)

    def round(self, shoe: Cards, fresh: bool = False) -> RoundLog | None:
        """Play one round; return None if the shoe ran out.

        A fresh shoe is drawn from: the dealt cards are at its beginning.
        """
        LOG[0] = 1
        tally = np.zeros(kernel.TALLY, dtype=np.int64)
        self.sides.carried[:] = self.carried
        kernel.play(
            self.game,
            self.bonus,
            self.play,
            self.sides,
            shoe,
            fresh,
            0,
            self._state,
            NUMBERS,
            np.array([BUFFER, 0, 0], dtype=np.int64),
            1,
            ROOM,
            tally,
            np.zeros(len(self.bets) * MOST_ROWS, dtype=np.int64),
            NO_COUNTS,
            LOG,
        )
        if tally[kernel.OUT_OF_CARDS]:
            return None
        net = tally[kernel.MAIN] + tally[kernel.INSURANCE] + tally[kernel.SIDE]
        return self._decoded(LOG[1 : LOG[0]].tolist(), int(net))

    def met(self, place: int, row: int) -> None:
        """Count a row of a side wager by its name; Blackpot's second leg includes the first one."""
        bet = self.bets[place]
        names = ("lost", *bet.rows)
        self.seen[f"{bet.bet}: {names[row]}"] += 1
        if bet.bet == "blackpot" and row in (2, 4):
            self.seen[f"{bet.bet}: {names[row - 1]}"] += 1

    def _decoded(self, log: Sequence[int], net: int) -> RoundLog:
        record = RoundLog(net=net)
        for at in range(0, len(log), entries.ENTRY):
            what, box, hand, value, more = log[at : at + entries.ENTRY]
            number = self.boxes[box] if box >= 0 else 0
            if what == entries.CARD:
                record.cards.append((number, hand, value))
            elif what == entries.SIDE_PAID:
                bet = self.bets[hand].bet
                record.sides[number, bet] = value
                self.met(hand, more)
                if self.prizes[hand] and more:
                    record.prizes[number, bet] = self.prizes[hand][more - 1][0]
            elif what == entries.PAID:
                if value:
                    self.seen[f"{'paid' if value > 0 else 'taken'}: {PAYMENTS[more]}"] += 1
                    insured = more == entries.OF_INSURANCE
                    record.paid(number, "insurance" if insured else "main", value)
            elif what != entries.BEGUN:
                record.decided(number, what, hand, value, more)
        return record


class EnginesRound:
    """The engine's round, played by a strategy."""

    def __init__(
        self, table: Table, placed: Sequence[Placed], play: Play, seen: Counter[str], curious: bool
    ) -> None:
        """Prepare a round; a `curious` player also tries forbidden actions."""
        self.curious = curious
        self.round = start(table, placed)
        self.placed = placed
        self.play = play
        self.seen = seen
        self.log = RoundLog()

    def with_cards(self, shoe: Sequence[int], drawn: Mapping[tuple[int, str], int]) -> RoundLog:
        """Play with these cards; `drawn`: the prizes of wagers with a button."""
        self._cards: Iterator[int] = iter(shoe)
        boxes = sorted(self.round.boxes)
        for _ in range(2 * len(boxes) + 1):
            self._deal(next_card_goes_to(self.round))
        for box in boxes:
            self._ask_insurance(box)
        self.round = step(self.round, Settled("interim"))
        for wager in [wager for wager in self.round.wagers if wager.waits_for_press]:
            prize = drawn[wager.key.box, wager.key.bet]
            self.round = step(self.round, Press(wager.key.bet, wager.key.box, None, prize))
        for box in boxes:
            self._ask_even_money(box)
        if not self.round.book.says("surrender.kind", "in-turn"):
            for box in boxes:
                self._ask_surrender(box)
        while self._go_on():
            pass
        self.round = finish(self.round)
        self._count_payments()
        return self.log

    def _go_on(self) -> bool:
        place = next_card_goes_to(self.round)
        if place is not None:
            self._deal(place)
            return True
        turn = hand_in_turn(self.round)
        if turn is None:
            return False
        self._decide(turn.box, turn.hand)
        return True

    def _deal(self, place: str | None) -> None:
        assert place is not None
        named, _, order = ("0", "", "") if place == DEALER else place.partition(".")
        number, hand = int(named), int(order or 1) - 1
        code = next(self._cards)
        self.log.cards.append((number, hand, code))
        self.round = step(self.round, Deal(CARDS[code]))
        if number and len(self.round.boxes[number].hands) > hand:
            self._ask_rescue(number, hand)

    def _tries(self, act: Act) -> Round | None:
        try:
            return step(self.round, act)
        except RefusedError as refusal:
            self.seen[f"{act.kind} refused: {_why(refusal)}"] += 1
            return None

    def _up(self) -> int:
        return self.round.dealer[0].points

    def _ask_insurance(self, number: int) -> None:
        if self._up() != 1 and not self.curious:
            return
        insured = self._tries(Act("insure", box=number))
        if insured is None:
            return
        values = sorted(card.points for card in self.round.boxes[number].hands[0].cards)
        wants = self.play.insure[values[0], values[1]]
        if wants == WHEN_IT_GAINS:
            wants = self._insurance_gains()
        self.log.decided(number, entries.INSURE, 0, int(bool(wants)), 0)
        if wants:
            self.seen["insurance taken"] += 1
            self.round = insured

    def _insurance_gains(self) -> bool:
        table = self.round.table
        seen = [card for box in self.round.boxes.values() for card in box.hands[0].cards]
        tens = table.decks * (16 if table.pack == 52 else 12)
        left = tens - sum(card.points == 10 for card in seen)
        unseen = table.decks * table.pack - len(seen) - 1
        return table.book["insurance.wins"].odds * left > unseen - left

    def _ask_even_money(self, number: int) -> None:
        if not self.round.boxes[number].hands[0].is_blackjack and not self.curious:
            return
        taken = self._tries(Act("even-money", box=number))
        if taken is None:
            return
        self.log.decided(number, entries.EVEN_MONEY, 0, self.play.even_money, 0)
        if self.play.even_money:
            self.seen["even money taken"] += 1
            self.round = taken

    def _ask_surrender(self, number: int) -> None:
        if self.round.book.says("surrender.kind", "none") and not self.curious:
            return
        given_up = self._tries(Act("surrender", box=number))
        if given_up is None:
            return
        box = self.round.boxes[number]
        way = self._chosen(box.hands[0], {**self._against(box, box.hands[0]), SURRENDER: None})
        self.log.decided(number, entries.GIVE_UP, 0, int(way == SURRENDER), 0)
        if way == SURRENDER:
            self.seen["surrendered"] += 1
            self.round = given_up

    def _ask_rescue(self, number: int, order: int) -> None:
        hand = self.round.boxes[number].hands[order]
        if not hand.doubled or not hand.has_open_stake:
            return
        if not self.round.book.flag("double.withdrawn") and not self.curious:
            return
        withdrawn = self._tries(Act("withdraw-double", box=number, hand=order + 1))
        if withdrawn is None:
            return
        total = hand.total
        state = total.points + (10 if total.soft else 0)
        flag = int(self.play.rescue[state, self._up()])
        if flag & 2:
            special = self._exception(hand, doubled=1)
            flag = special if special >= 0 else flag & 1
        self.log.decided(number, entries.RESCUE, order, int(flag != 0), 0)
        if flag:
            self.seen["rescued"] += 1
            self.round = withdrawn

    def _exception(self, hand: Hand, doubled: int) -> int:
        codes = np.array([card.code for card in hand.cards], dtype=np.int64)
        kind = MONEY if doubled or hand.stakes[0].money else TOKEN
        return exception(
            self.play.keys,
            self.play.wishes,
            len(self.play.keys),
            codes,
            len(codes),
            self._up(),
            kind,
            doubled,
        )

    def _against(self, box: Box, hand: Hand) -> dict[int, RefusedError | None]:
        """Return the engine's objection to each way of playing a hand in its turn."""
        in_turn = self.round.book.says("surrender.kind", "in-turn")
        return {
            STAND: allowed.against_stand(self.round, hand),
            DOUBLE: allowed.against_double(self.round, box, hand),
            SPLIT: allowed.against_split(self.round, box, hand),
            SURRENDER: allowed.against_surrender(self.round, box, hand) if in_turn else NOT_ASKED,
        }

    def _chosen(self, hand: Hand, against: Mapping[int, RefusedError | None]) -> int:
        total = hand.total
        pair = hand.cards[0].points if hand.is_pair else 0
        hard = total.points - 10 if total.soft else total.points
        kind = MONEY if hand.stakes[0].money else TOKEN
        wish = int(self.play.actions[kind, hand_state(total.points, hard, pair), self._up()])
        if wish & EXCEPTED:
            special = self._exception(hand, doubled=0)
            wish = special if special >= 0 else wish & ~EXCEPTED
        refused = {each: why for each, why in against.items() if why is not None}
        if hand.split_ace:
            refused[HIT] = NOT_ASKED
        while wish:
            way = wish & WAY
            if way not in refused:
                return way
            wish >>= WAY_BITS
        return STAND if HIT in refused else HIT

    def _decide(self, box: Box, hand: Hand) -> None:
        against = self._against(box, hand)
        legal = 0
        for place, (way, refusal) in enumerate(against.items()):
            if refusal is None:
                legal |= 1 << place
            elif refusal is not NOT_ASKED:
                self.seen[f"{NAMES[way]} refused: {_why(refusal)}"] += 1
        way = self._chosen(hand, against)
        order = next(place for place, other in enumerate(box.hands) if other is hand)
        self.log.decided(box.number, entries.DECISION, order, way, legal)
        self.seen[NAMES[way]] += 1
        self.round = step(self.round, Act(NAMES[way]))

    def _count_payments(self) -> None:
        for posting in self.round.postings:
            paid = posting.source == HOUSE
            if paid or (posting.source, posting.target) == (LAYOUT, HOUSE):
                bet = posting.key.bet
                if bet in ("main", "insurance"):
                    cents = posting.cents if paid else -posting.cents
                    self.log.paid(posting.key.box, bet, cents)
        lines = results(self.round)
        self.log.net = sum(line.net for line in lines)
        for line in lines:
            if line.key.bet not in ("main", "insurance", "ante"):
                self.log.sides[line.key.box, line.key.bet] = line.net
        for box in self.round.boxes.values():
            self.seen[f"{len(box.hands)} hands"] += 1
            self.seen[f"{sum(box.tokens.values())} tokens"] += 1
            for hand in box.hands:
                if hand.total.points == 21 and not hand.is_blackjack and not hand.doubled:
                    self.seen[f"21: {special_hand(hand)}"] += 1
        if self.round.super_bonus_boxes:
            self.seen["super bonus"] += 1
        if self.round.dealer_blackjack:
            self.seen["dealer's Blackjack"] += 1
        self.seen[f"dealer's {min(self.round.dealer_total.points, 22)}"] += 1
