"""Passing irregularities to their handlers, and the procedures that the rulebooks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

from cutcard.cards import Card
from cutcard.engine.choice_owners import is_present
from cutcard.engine.choices import PLAYER, Choice, Option, answer, offer
from cutcard.engine.dealing import put
from cutcard.engine.events import DEALERS_PLACE, Irregularity, Ruling
from cutcard.engine.interim import settle_interim
from cutcard.engine.irregularities.dealers_cards import as_text, put_dealers_hand_right
from cutcard.engine.irregularities.stage import hand_to_act, player_to_act
from cutcard.engine.ledger import Key
from cutcard.engine.payments import cite
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import DEALER, Box, Order, Phase, Round
from cutcard.engine.turn import caller
from cutcard.engine.voiding import (
    clear_hands_without_wagers,
    hands_at,
    return_open,
    rules_of_settled,
    undo,
    void_dealers_hand,
    void_hand,
    void_round,
    withdraw,
)
from cutcard.rulebooks.book import RULEBOOKS, Rules
from cutcard.rulebooks.readings import is_reading
from cutcard.rulebooks.vocabulary import IRREGULARITIES, IrregularityKind, RulingKind

Handler = Callable[[Round, Irregularity], None]
Then = Callable[[Round], None]
AnythingElse = Literal["anything else"]
_HANDLERS: dict[tuple[str, str, bool], Handler] = {}


def handles(
    rulebook: str, *kinds: IrregularityKind | AnythingElse, when_settled: bool = False
) -> Callable[[Handler], Handler]:
    """Register the handler of a rulebook for irregularities, or for all without their own rule.

    `when_settled`: the handler changes a settled round. Raises ValueError for an unknown rulebook
    or irregularity, and for an irregularity that already has a handler.
    """

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            _HANDLERS[_free(rulebook, kind, when_settled)] = handler
        return handler

    return register


def _free(rulebook: str, kind: str, when_settled: bool) -> tuple[str, str, bool]:
    if rulebook not in RULEBOOKS:
        raise ValueError(f"unknown rulebook {rulebook!r}; use one of {', '.join(RULEBOOKS)}")
    if kind not in (*IRREGULARITIES, *get_args(AnythingElse)):
        raise ValueError(f"unknown irregularity {kind!r}; use one of {', '.join(IRREGULARITIES)}")
    key = (rulebook, kind, when_settled)
    if key in _HANDLERS:
        raise ValueError(
            f"{rulebook} already has a handler for {kind!r}: {_HANDLERS[key].__qualname__}"
        )
    return key


def handler_of(rulebook: str, kind: str, *, when_settled: bool = False) -> Handler | None:
    """Return the handler that a rulebook registered for this kind of irregularity, or None."""
    return _HANDLERS.get((rulebook, kind, when_settled))


def keep_settled_round(round: Round, irregularity: Irregularity) -> None:
    """Record that an irregularity noticed after all wagers are settled changes no wager."""
    answer(round, irregularity, round.book.rules("rulings.settled"), "The round stays unchanged.")


def order(round: Round, what: str, when: str, rules: Rules) -> None:
    """Record an instruction for the device or its cards; wagers are not affected."""
    round.orders.append(Order(what, when, rules))
    round.note(f"To do {when}: {what}.", rules)


# ---- rulings that several rulebooks share ---------------------------------------------------


def void_round_option(
    by: str,
    rules: Rules,
    *,
    settled_stands: bool,
    also: Callable[[Round], Rules] | None = None,
) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        void_round(round, option.rules_now(round), settled_stands=settled_stands)

    option = Option("void-round", by, rules, effect, also=also)
    return option


def void_hands_option(
    by: str,
    rules: Rules,
    affected: tuple[str, ...] = (),
    first: Then | None = None,
) -> Option:
    """Return the option to void affected hands: all of them unless the ruling names some.

    The ruling may also name the cards that the dealer's hand keeps.
    """

    def effect(round: Round, ruling: Ruling) -> None:
        if first is not None:
            first(round)
        places = ruling.hands or affected
        if not places:
            raise RefusedError("name the void hands", rules)
        for place in places:
            if affected and not _among(place, affected):
                raise RefusedError(f"hand {place} was not affected", rules)
            void_place(round, place, rules)
        if ruling.dealer:
            if DEALER in places:
                raise RefusedError("the dealer's hand cannot be both void and corrected", rules)
            put_dealers_hand_right(round, ruling.dealer, rules)
            round.note(f"The dealer's hand is corrected: {as_text(ruling.dealer)}.", rules)

    return Option("void-hands", by, rules, effect)


def void_place(round: Round, place: str, rules: Rules) -> None:
    """Void a hand, a box, or the dealer's hand, without which no other hand can be decided."""
    if place == DEALER:
        void_dealers_hand(round, rules)
        return
    box = round.boxes.get(int(place.partition(".")[0]))
    number = place.partition(".")[2]
    if box is None or (number and not 0 < int(number) <= len(box.hands)):
        raise RefusedError(f"there is no hand {place}", rules)
    void_hand(round, place, rules)


def discard_box(round: Round, box: Box) -> None:
    """Discard the cards on a box without a wager."""
    for hand in hands_at(box, str(box.number)):
        hand.gone = True


def void_wagers_option(by: str, rules: Rules, players: tuple[str, ...]) -> Option:
    """Return the option to undo all wagers of players in the round, settled or not."""

    def effect(round: Round, ruling: Ruling) -> None:
        named = (ruling.player,) if ruling.player else players
        if players and not set(named) <= set(players):
            raise RefusedError(f"the irregularity does not concern {' and '.join(named)}", rules)
        void_wagers(round, named, rules)
        round.note(f"The wagers of {' and '.join(named)} are void.", rules)

    return Option("void-wagers", by, rules, effect)


def void_wagers(round: Round, players: Sequence[str], rules: Rules) -> None:
    """Undo all wagers of these players. Raises RefusedError without any."""
    keys = [p.key for p in round.placed] + [w.key for w in round.wagers]
    theirs = [key for key in dict.fromkeys(keys) if key.player in players]
    if not theirs:
        raise RefusedError(f"{' and '.join(players) or 'no player'} has no wager here", rules)
    for key in theirs:
        undo(round, key, rules_of_settled(round, key, rules))
    clear_hands_without_wagers(round, tuple(rule for rule in rules if not is_reading(rule)))


def continue_option(by: str, rules: Rules, then: Then | None = None) -> Option:
    def effect(round: Round, ruling: Ruling) -> None:
        round.note("Play continues.", rules)
        if then is not None:
            then(round)

    return Option("continue", by, rules, effect)


def withdraw_option(rules: Rules, players: tuple[str, ...] = (), box: int | None = None) -> Option:
    """Return the option of a player to take back undecided wagers: all, or those in the ruling.

    With `box`, only wagers on that box.
    """

    def effect(round: Round, ruling: Ruling) -> None:
        who = ruling.player or ruling.by or ""
        if box is not None and ruling.box not in (None, box):
            raise RefusedError(f"only wagers on box {box} may be taken back", rules)
        if not withdraw(round, who, rules, box or ruling.box, ruling.bet):
            raise RefusedError(f"{who} has no undecided wager to take back", rules)

    return Option("withdraw", PLAYER, rules, effect, players)


def stay_options(
    rules: Rules, names: Iterable[RulingKind], players: tuple[str, ...]
) -> tuple[Option, ...]:
    def effect(round: Round, ruling: Ruling) -> None:
        round.note(f"{ruling.player or ruling.by or 'The player'} stays.", rules)

    return tuple(Option(name, PLAYER, rules, effect, players) for name in names)


def lay_out(round: Round, irregularity: Irregularity, first: tuple[int, ...] = ()) -> None:
    """Use the cards that left next, those at the indexes of `first` before the others.

    Indexes count from 1, as in the irregularity's `disclosed` and a ruling's `card`.
    """
    for index in first:
        if not 0 < index <= len(irregularity.cards):
            raise RefusedError(
                f"{irregularity.kind} has {len(irregularity.cards)} cards, not a card {index}"
            )
    rest = [index for index in range(1, len(irregularity.cards) + 1) if index not in first]
    round.ahead += [irregularity.cards[index - 1] for index in (*first, *rest)]


def choose_option(
    by: str, irregularity: Irregularity, rules: Rules, players: tuple[str, ...] = ()
) -> Option:
    """Return the option to choose the first of the cards that left together."""

    def effect(round: Round, ruling: Ruling) -> None:
        if len(ruling.chosen) != 1:
            raise RefusedError("name one card", rules)
        around = cards_around(round, irregularity)
        if around is None:
            raise RefusedError("the cards to choose from are out of play", rules)
        before, after = around
        round.ahead = before
        lay_out(round, irregularity, ruling.chosen)
        round.ahead += after

    return Option("choose", by, rules, effect, players)


def cards_around(round: Round, irregularity: Irregularity) -> tuple[list[Card], list[Card]] | None:
    """Return the cards that are out before and after those of the irregularity.

    Return None if its cards are not out any more.
    """
    ahead, count = round.ahead, len(irregularity.cards)
    for start in range(len(ahead) - count, -1, -1):
        if sorted(map(str, ahead[start : start + count])) == sorted(map(str, irregularity.cards)):
            return ahead[:start], ahead[start + count :]
    return None


def burn_option(by: str, irregularity: Irregularity, rules: Rules) -> Option:
    """Burn the cards of one irregularity; cards that are out for another reason stay out."""

    def effect(round: Round, ruling: Ruling) -> None:
        around = cards_around(round, irregularity)
        if around is None:
            raise RefusedError("the cards to burn are out of play", rules)
        before, after = around
        round.ahead, round.offer = [*before, *after], None
        burned = " ".join(map(str, irregularity.cards))
        round.note(f"Burned: {burned}.", rules)

    return Option("burn", by, rules, effect)


# ---- absent players, boxes passed over ------------------------------------------------------


def absent(round: Round, irregularity: Irregularity, by: str, passes_on: Rules = ()) -> None:
    """Offer to continue for an absent player: cards are drawn up to the rulebook's limit.

    `passes_on` are the rules by which another player on the box decides instead, if there is one.
    """
    rules = round.book.rules("draw.absent_hard") + round.book.rules("draw.absent_soft")
    rules = tuple(dict.fromkeys(rules))
    box = round.boxes.get(irregularity.box or 0)
    if box is None or not box.mains:
        raise RefusedError(f"box {irregularity.box} has no player", rules)
    hand = next((hand for hand in box.hands if hand.has_open_stake), box.hands[0])
    who = caller(round, box, hand)
    others = [
        stake.player
        for stake in hand.stakes
        if stake.open and stake.player != who and stake.player not in box.away
    ]
    if others and passes_on:
        rules += passes_on

    def effect(round: Round, ruling: Ruling) -> None:
        box = round.boxes[irregularity.box or 0]
        if who is not None:
            box.away |= {who}
        if others and passes_on:
            round.note(f"{who} is absent; {others[0]} decides for box {box.number}.", rules)
        else:
            box.absent = True
            undecided = {s.player for hand in box.hands for s in hand.stakes if s.open}
            for player in box.originals:
                if player in undecided:
                    cite(round, Key(box.number, player, "main"), rules)
            round.note(f"The player of box {box.number} is absent.", rules)

    offer(round, Choice(irregularity, (Option("continue", by, rules, effect),), rules))


def box_of(round: Round, irregularity: Irregularity) -> Box:
    """Return the box of an irregularity. Raises RefusedError if it is not in the round."""
    box = round.boxes.get(irregularity.box or 0)
    if box is None:
        raise RefusedError(f"{irregularity.kind}: box {irregularity.box} is not in this round")
    return box


def players_on(box: Box) -> tuple[str, ...]:
    return tuple(main.player for main in box.mains)


def second_card_in_turn(box: Box) -> None:
    """Give each hand with one card its second one in turn."""
    for hand in box.hands:
        if len(hand.cards) == 1 and not hand.from_split and hand.has_open_stake:
            hand.awaits_card = True


def return_box(round: Round, box: Box, rules: Rules) -> None:
    """Return every wager that waits for cards which the box never got."""
    void_hand(round, str(box.number), rules)
    for wager in round.wagers:
        if wager.key.box == box.number and wager.open and not _watches_dealer(round, wager.key.bet):
            return_open(round, wager.key, rules)


def stand_as_dealt(round: Round, irregularity: Irregularity) -> None:
    """Leave the later cards where they were dealt, and end the hands before the last of them.

    The hand that got the last card is still in play.
    """
    enter_subsequent_deal(round)
    last = irregularity.boxes[-1] if irregularity.boxes else 0
    for number, box in round.boxes.items():
        if number < last or number == irregularity.box or last == DEALERS_PLACE:
            for hand in box.hands:
                hand.stood, hand.awaits_card = True, False
    for card, number in zip(irregularity.cards, irregularity.boxes, strict=False):
        if number not in (*round.boxes, DEALERS_PLACE):
            raise RefusedError(f"box {number} is not in this round")
        put(round, card, DEALER if number == DEALERS_PLACE else str(number))


def take_back_cards(round: Round, irregularity: Irregularity) -> None:
    """Treat the cards dealt since as not dealt: they are dealt next.

    They also do not cause the interim settlement, unless it has already been made.
    """
    round.ahead = [*irregularity.cards, *round.ahead]


def enter_subsequent_deal(round: Round) -> None:
    """Make the interim settlement if it is due: a card of the subsequent deal has been dealt."""
    if round.phase is Phase.BEFORE_INTERIM:
        settle_interim(round)


def dealers_first_card(
    round: Round, irregularity: Irregularity, first: Rules, after: Rules, *, required: bool
) -> None:
    """Deal the dealer's missing card now, or after the hand in play.

    `first` and `after` are the rules of these two options; the player in turn chooses one.
    """
    enter_subsequent_deal(round)
    round.dealer_first = ""

    choice = _of_dealers_first_card(round, irregularity, first, after, required)
    if choice is not None:
        offer(round, choice)


def _of_dealers_first_card(
    round: Round, irregularity: Irregularity, first: Rules, after: Rules, required: bool
) -> Choice | None:
    """Return the choice for the player in turn; it passes on only if that player leaves."""
    options = first_card_options(round, first, after)
    if round.dealer or not options:
        return None
    (owner,) = options[0].players

    def anew(round: Round) -> Choice | None:
        now = _of_dealers_first_card(round, irregularity, first, after, required)
        if now is None or (owner not in now.options[0].players and is_present(round, owner)):
            return None
        return now

    return Choice(
        irregularity, options, (*first, *after), required, default="take-first-card", anew=anew
    )


def first_card_options(round: Round, first: Rules, after: Rules) -> tuple[Option, ...]:
    """Return the two options for the player in turn; empty if no player is left to decide."""
    who = player_to_act(round)
    if who is None:
        return ()

    def now(round: Round, ruling: Ruling) -> None:
        enter_subsequent_deal(round)
        round.dealer_first = ""

    def after_hand(round: Round, ruling: Ruling) -> None:
        enter_subsequent_deal(round)
        in_play = hand_to_act(round)
        round.dealer_first = str(in_play.box.number) if in_play is not None else ""

    return (
        Option("take-first-card", PLAYER, first, now, (who,)),
        Option("act-on-hand", PLAYER, after, after_hand, (who,)),
    )


def _among(place: str, affected: tuple[str, ...]) -> bool:
    """Return whether a place is affected: `2.1` if box 2 is, and box 2 if one of its hands is."""
    box = place.partition(".")[0]
    return any(
        place == other or box == other or other.partition(".")[0] == place for other in affected
    )


def _watches_dealer(round: Round, bet: str) -> bool:
    side = round.book.side_wagers.get(bet)
    return side is not None and side.settles == "dealer-hand"
