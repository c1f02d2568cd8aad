"""The state of a round: small enough to be copied at every step.

Only `step` changes a round, and it changes a copy: a refused event has no effect. Copies are made
field by field, without `__init__`, which would take a third longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from cutcard.cards import Card
from cutcard.engine.events import Event, Irregularity, check_cents
from cutcard.engine.hands import Total, count, is_two_card_blackjack
from cutcard.engine.ledger import Key, Posting
from cutcard.engine.refusal import BadValueError
from cutcard.rulebooks.book import Rulebook, Rules
from cutcard.rulebooks.readings import reading

if TYPE_CHECKING:
    from cutcard.engine.choices import Choice

DEALER = "dealer"


class Phase(Enum):
    """The progress of a round. BEFORE_INTERIM ends with the next event after the initial deal."""

    INITIAL_DEAL = "initial deal"
    BEFORE_INTERIM = "before the interim settlement"
    SUBSEQUENT_DEAL = "subsequent deal"
    DEALT = "dealt"
    SETTLED = "settled"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Placed:
    """A wager placed before the first card, in cents.

    Raises BadValueError for a box or an amount that is not a positive integer.
    """

    box: int
    player: str
    bet: str
    amount: int
    warned: bool = False
    limit: int | None = None
    carried: bool = False
    picked: bool = False
    ante: bool = True

    def __post_init__(self) -> None:
        if type(self.box) is not int or self.box < 1:
            raise BadValueError(f"Placed: box {self.box!r} is not a whole number, 1 or more")
        check_cents(self.amount, "Placed: amount")

    @property
    def key(self) -> Key:
        return Key(self.box, self.player, self.bet)


@dataclass(frozen=True, slots=True)
class Table:
    """The settings on the sign and the layout of a table; amounts in cents."""

    book: Rulebook
    decks: int
    shuffler: str = "shoe"
    minimum: int | None = None
    maximum: int | None = None
    blackjack: str | None = None
    offers: dict[str, str] = field(default_factory=dict)
    stakes: dict[str, int] = field(default_factory=dict)
    increment: int | None = None
    chip: int | None = None
    box_maximum: int | None = None
    player_maximum: int | None = None
    limit_per: str = "player"
    ante: int | None = None
    ante_waived_from: int | None = None
    forced_draw: bool = False
    meters: dict[str, int] = field(default_factory=dict)
    seeds: dict[str, int] = field(default_factory=dict)
    max_payout: dict[str, int] = field(default_factory=dict)
    shoe_round: int | None = None
    side_minimum: dict[str, int] = field(default_factory=dict)
    side_maximum: dict[str, int] = field(default_factory=dict)

    @property
    def pack(self) -> int:
        pack: int = self.book["cards.pack"].value
        return pack


@dataclass(slots=True)
class Wager:
    """A wager of the round that is not a stake on a hand: side wager, insurance or ante."""

    key: Key
    amount: int
    open: bool = True
    carried: bool = False
    picked: bool = False
    waits_for_press: bool = False
    may_ride: bool = False
    riding: int = 0
    first_leg_won: bool = False
    covers: tuple[str, ...] = ()

    def copy(self) -> Wager:
        new = Wager.__new__(Wager)
        new.key = self.key
        new.amount = self.amount
        new.open = self.open
        new.carried = self.carried
        new.picked = self.picked
        new.waits_for_press = self.waits_for_press
        new.may_ride = self.may_ride
        new.riding = self.riding
        new.first_leg_won = self.first_leg_won
        new.covers = self.covers
        return new


@dataclass(slots=True)
class Stake:
    """One player's stake on one hand: money, and free bets, which pay but cannot be lost."""

    player: str
    money: int
    tokens: int = 0
    doubled: int = 0
    followed: bool = False
    surrendered: bool = False
    open: bool = True

    def copy(self) -> Stake:
        new = Stake.__new__(Stake)
        new.player = self.player
        new.money = self.money
        new.tokens = self.tokens
        new.doubled = self.doubled
        new.followed = self.followed
        new.surrendered = self.surrendered
        new.open = self.open
        return new


@dataclass(slots=True)
class Hand:
    """Cards on a box and the stakes on them."""

    cards: list[Card] = field(default_factory=list)
    stakes: list[Stake] = field(default_factory=list)
    from_split: bool = False
    split_ace: bool = False
    doubled: bool = False
    hard_aces_in: int = 0
    stood: bool = False
    awaits_card: bool = False
    forced: bool = False
    gone: bool = False

    def copy(self) -> Hand:
        new = Hand.__new__(Hand)
        new.cards = self.cards.copy()
        new.stakes = [stake.copy() for stake in self.stakes]
        new.from_split = self.from_split
        new.split_ace = self.split_ace
        new.doubled = self.doubled
        new.hard_aces_in = self.hard_aces_in
        new.stood = self.stood
        new.awaits_card = self.awaits_card
        new.forced = self.forced
        new.gone = self.gone
        return new

    @property
    def total(self) -> Total:
        return count(self.cards, self.hard_aces_in)

    @property
    def is_blackjack(self) -> bool:
        return not self.from_split and is_two_card_blackjack(self.cards)

    @property
    def is_pair(self) -> bool:
        return len(self.cards) == 2 and self.cards[0].points == self.cards[1].points

    def stake_of(self, player: str) -> Stake | None:
        return next((stake for stake in self.stakes if stake.player == player), None)

    @property
    def has_open_stake(self) -> bool:
        return any(stake.open for stake in self.stakes)


@dataclass(slots=True)
class Box:
    """A box with its main wagers, the nearest to the dealer first."""

    number: int
    mains: list[Placed]
    originals: dict[str, int]
    returned: frozenset[str] = frozenset()
    hands: list[Hand] = field(default_factory=list)
    dealt: list[Card] = field(default_factory=list)
    tokens: dict[str, int] = field(default_factory=dict)
    callers_tokens: int = 0
    unsplit: int | None = None
    decided: bool = False
    absent: bool = False
    away: frozenset[str] = frozenset()

    def copy(self) -> Box:
        new = Box.__new__(Box)
        new.number = self.number
        new.mains = self.mains
        new.originals = self.originals
        new.returned = self.returned
        new.hands = [hand.copy() for hand in self.hands]
        new.dealt = self.dealt.copy()
        new.tokens = self.tokens.copy()
        new.callers_tokens = self.callers_tokens
        new.unsplit = self.unsplit
        new.decided = self.decided
        new.absent = self.absent
        new.away = self.away
        return new

    def tokens_for(self, player: str) -> int:
        """Return the player's free bets for a Pot of Gold; without a main wager, the caller's.

        The call may have passed on after a surrender or an absence (Singapore 3.15.4.1, 3.25.1.3).
        """
        return self.tokens.get(player, 0) if player in self.originals else self.callers_tokens

    def first_hand_of(self, player: str) -> Hand | None:
        """Return the hand with the player's original wager; after a split it may be the second."""
        return next((hand for hand in self.hands if hand.stake_of(player) is not None), None)

    def place_of(self, hand: Hand) -> str:
        """Return `2`, or `2.1`, `2.2` and so on for a box that was split."""
        if len(self.hands) == 1:
            return str(self.number)
        order = next(place for place, other in enumerate(self.hands, start=1) if other is hand)
        return f"{self.number}.{order}"


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence of the round's story with its rules."""

    text: str
    rules: Rules = ()


@dataclass(frozen=True, slots=True)
class Ruled:
    """An answered irregularity: by a ruling, or by the rules without one (`ruling` None)."""

    irregularity: str | None
    ruling: str | None
    by: str | None
    rules: Rules


@dataclass(frozen=True, slots=True)
class Order:
    """An instruction for the device or the person at it, and the time for it."""

    what: str
    when: str
    rules: Rules


@dataclass(frozen=True, slots=True)
class Offer:
    """Cards in the open (`Round.ahead`) that a player may refuse.

    `passed_by` is the box that declined them, and is not offered them again. `offered_to` is the
    box that may take them now; when the turn leaves it the cards are `burned`, or are passed on.
    """

    irregularity: Irregularity
    rules: Rules
    passed_by: str | None = None
    offered_to: str | None = None
    burned: bool = False
    pass_on: Callable[[Round], None] | None = None


@dataclass(frozen=True, slots=True)
class FollowOption:
    """The caller has doubled, split or surrendered: other players on the box may do the same."""

    kind: str
    box: int
    hand: int


class RoundSteps(NamedTuple):
    """`start` and `step`, with which a reconstruction plays the cards again."""

    start: Callable[[Table, Sequence[Placed]], Round]
    step: Callable[[Round, Event], Round]


@dataclass(slots=True)
class Round:
    """The complete state of a round at one moment."""

    table: Table
    placed: tuple[Placed, ...]
    deal_order: tuple[str, ...]
    fold: RoundSteps = field(repr=False, compare=False)
    phase: Phase = Phase.INITIAL_DEAL
    boxes: dict[int, Box] = field(default_factory=dict)
    dealer: list[Card] = field(default_factory=list)
    wagers: list[Wager] = field(default_factory=list)
    dealt: int = 0
    ahead: list[Card] = field(default_factory=list)
    astray: tuple[Card, ...] = ()
    offer: Offer | None = None
    dealer_first: str | None = None
    late_options: frozenset[str] = frozenset()
    out_of_order: dict[str, Rules] = field(default_factory=dict)
    orders: list[Order] = field(default_factory=list)
    following: FollowOption | None = None
    subsequent_deal_begun: bool = False
    further_card_dealt: bool = False
    super_bonus_boxes: frozenset[int] = frozenset()
    meters: dict[str, Fraction] = field(default_factory=dict)
    choices: list[Choice] = field(default_factory=list)
    postings: list[Posting] = field(default_factory=list)
    parts: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    cited: dict[Key, Rules] = field(default_factory=dict)
    returned: frozenset[Key] = (
        frozenset()
    )  # returned by a ruling; a reconstruction does not undo it
    rulings: list[Ruled] = field(default_factory=list)
    story: list[Note] = field(default_factory=list)
    record: tuple[Event, ...] = ()

    @property
    def book(self) -> Rulebook:
        return self.table.book

    def copy(self) -> Round:
        new = Round.__new__(Round)
        new.table = self.table
        new.placed = self.placed
        new.deal_order = self.deal_order
        new.fold = self.fold
        new.phase = self.phase
        new.boxes = {number: box.copy() for number, box in self.boxes.items()}
        new.dealer = self.dealer.copy()
        new.wagers = [wager.copy() for wager in self.wagers]
        new.dealt = self.dealt
        new.ahead = self.ahead.copy()
        new.astray = self.astray
        new.offer = self.offer
        new.dealer_first = self.dealer_first
        new.late_options = self.late_options
        new.out_of_order = self.out_of_order
        new.orders = self.orders.copy()
        new.following = self.following
        new.subsequent_deal_begun = self.subsequent_deal_begun
        new.further_card_dealt = self.further_card_dealt
        new.super_bonus_boxes = self.super_bonus_boxes
        new.meters = self.meters.copy()
        new.choices = self.choices.copy()
        new.postings = self.postings.copy()
        new.parts = self.parts.copy()
        new.cited = self.cited.copy()
        new.returned = self.returned
        new.rulings = self.rulings.copy()
        new.story = self.story.copy()
        new.record = self.record
        return new

    @property
    def over(self) -> bool:
        return self.phase in (Phase.SETTLED, Phase.VOID)

    @property
    def dealer_total(self) -> Total:
        return count(self.dealer)

    @property
    def dealer_blackjack(self) -> bool:
        return is_two_card_blackjack(self.dealer)

    def note(self, text: str, rules: Rules = ()) -> None:
        self.story.append(Note(text, rules))

    def riding_of(self, box: int, player: str) -> int:
        return sum(wager.riding for wager in self._riding(box, player))

    def riding_rules(self, box: int, player: str, about: str) -> Rules:
        """Return the rules of the riding wagers for a double, a split or insurance."""
        rules: Rules = ()
        for wager in self._riding(box, player):
            rules += self.book.side_wagers[wager.key.bet].riding[about]
        if rules and about in ("double", "split"):
            rules += (reading("riding-after-a-split"),)
        return rules

    def _riding(self, box: int, player: str) -> list[Wager]:
        return [
            wager
            for wager in self.wagers
            if wager.open and wager.riding and wager.key[:2] == (box, player)
        ]
