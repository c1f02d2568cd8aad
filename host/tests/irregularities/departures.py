"""Random irregular rounds with players that leave at any moment; the other people finish them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import NamedTuple

from hypothesis import strategies as st

from cutcard.cards import parse_cards
from cutcard.engine.choices import PLAYER, Choice, Option
from cutcard.engine.events import Act, Deal, Event, Irregularity, Press, Ruling, Settled
from cutcard.engine.irregularities.reconstruction import fallen
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import finish, go_on, owed, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.engine.turn import caller, hand_in_turn, next_card_goes_to
from cutcard.rulebooks.book import open_rulebook
from tests.irregularities.random_irregularities import PLACES, irregularities

BEFORE_THE_AMENDMENT = date(2013, 3, 18)
# Rulebook, variant, day, side bets: every rulebook, and every side bet that may be left pending.
GAMES = (
    ("nz-division-2", "blackjack", BEFORE_THE_AMENDMENT, {"madness-21": "", "super-sevens": ""}),
    ("nz-division-2", "blackjack", None, {"house-money": "", "push-22": "2"}),
    ("nz-division-2", "ante-up", None, {"madness-21": "", "perfect-pair": "1"}),
    ("crown-melbourne-26", "blackjack", None, {"supernova": "", "perfect-pairs": "a"}),
    ("crown-melbourne-26", "crown-pontoon", None, {"pontoon-pandemonium": "4"}),
    ("crown-melbourne-26", "free-bet", None, {"pot-of-gold": "1", "buster": "c"}),
    ("mbs-free-bet-3", "free-bet", None, {"pair": "", "busted": "", "pot-of-gold": ""}),
    ("uk-blackjack", "blackjack", None, {"21-plus-3": "", "perfect-pairs": ""}),
)
PLAYERS = ("A", "B", "C")
cards = st.sampled_from(parse_cards("As Kd 7h 7c 5s 9d Jc 2h 6s 8c Jd 3c 4h Js"))


class Left(NamedTuple):
    """A round in play, and the players that are still at the table."""

    round: Round
    present: frozenset[str]


@st.composite
def rounds_with_departures(draw: st.DrawFn) -> Left:
    """Random events with irregularities, until one or more players leave the table for good."""
    round = draw(_openings())
    present = frozenset(draw(st.sets(st.sampled_from(PLAYERS))))
    for _ in range(draw(st.integers(0, 40))):
        if round.over:
            break
        event = _event(draw, round)
        try:
            round = step(round, event) if event is not None else round
        except RefusedError:
            continue
    return Left(round, present)


@st.composite
def _openings(draw: st.DrawFn) -> Round:
    name, variant, day, bets = draw(st.sampled_from(GAMES))
    table = Table(
        open_rulebook(name, (variant,), day),
        6,
        shuffler=draw(st.sampled_from(("continuous", "shoe"))),
        offers=dict(bets),
        ante=100 if variant == "ante-up" else None,
        meters=dict.fromkeys(("supernova-major", "supernova-minor"), 5_000_000),
    )
    mains = [
        Placed(1, "A", "main", 2000),
        Placed(2, "B", "main", 1000),
        Placed(2, "C", "main", 600),
        Placed(3, "A", "main", 1000),
    ]
    placed = [main for main in mains if draw(st.booleans())] or mains[:1]
    for bet in bets:
        for main in list(placed):
            if main.bet == "main" and draw(st.booleans()):
                placed.append(Placed(main.box, main.player, bet, 500))
    if "busted" in bets and draw(st.booleans()):
        placed.append(Placed(placed[0].box, "D", "busted", 500))
    return _dealt_wrongly(draw, table, placed) if draw(st.booleans()) else start(table, placed)


def _dealt_wrongly(draw: st.DrawFn, table: Table, placed: list[Placed]) -> Round:
    """Deal initial cards that skip a place, or go to an empty box, until it is noticed."""
    usual = start(table, placed).deal_order
    box = int(usual[0])
    order, noticed = draw(
        st.sampled_from(
            (
                (_without(usual, "dealer"), Irregularity("dealer-missed")),
                (_without(usual, usual[0]), Irregularity("box-missed", box=box)),
                (usual[1:], Irregularity("one-card", box=box)),
                ((*usual, "5"), Irregularity("no-wager", box=5)),
            )
        )
    )
    round = start(table, placed, order)
    while round.phase is Phase.INITIAL_DEAL:
        round = step(round, Deal(draw(cards)))
    if draw(st.booleans()):
        round = step(round, Settled("interim"))
    return step(round, noticed)


def _without(order: tuple[str, ...], place: str) -> tuple[str, ...]:
    return tuple(other for other in order if other != place)


def _event(draw: st.DrawFn, round: Round) -> Event | None:
    """Return any event: an irregularity, a ruling, an absence, or play."""
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(irregularities())
    if kind == 1:
        return Irregularity("absent", box=draw(st.sampled_from((1, 2, 3))))
    if kind == 2:
        return Ruling("withdraw", player=draw(st.sampled_from((*PLAYERS, "D"))))
    if round.choices and (kind < 6 or any(choice.required for choice in round.choices)):
        choice = draw(st.sampled_from(round.choices))
        ways = list(rulings(round, choice, frozenset((*PLAYERS, "D"))))
        return draw(st.sampled_from(ways)) if ways else None
    if round.phase is Phase.BEFORE_INTERIM:
        return Settled("interim")
    if next_card_goes_to(round) is not None:
        return Deal(draw(cards))
    if hand_in_turn(round) is not None:
        return Act(draw(st.sampled_from(("hit", "hit", "stand", "double", "split"))))
    return next(_staff(round), None)


def rulings(round: Round, choice: Choice, present: frozenset[str]) -> Iterator[Ruling]:
    """Return every ruling on a choice by an official, or by a present player."""
    for option in choice.options:
        players = option.players or (*PLAYERS, "D")
        makers = [None] if option.by != PLAYER else [who for who in players if who in present]
        for player in makers:
            yield from _ways(round, option, player)


def _ways(round: Round, option: Option, player: str | None) -> Iterator[Ruling]:
    by = None if option.by == PLAYER else option.by
    if option.ruling == "void-hands":
        yield from (Ruling("void-hands", by=by, hands=(place,)) for place in PLACES)
    elif option.ruling == "choose":
        for index in (1, 2):
            yield Ruling("choose", by=by, player=player, chosen=(index,))
    else:
        listed = fallen(round) if option.ruling == "reconstruct" else ()
        yield Ruling(option.ruling, by=by, player=player, cards=listed)


def _staff(round: Round) -> Iterator[Event]:
    """Return presses of the button by the dealer, which need no player."""
    for wager in round.wagers:
        if wager.open and wager.waits_for_press:
            yield Press(wager.key.bet, wager.key.box, None, 50)


def finish_without_the_others(
    left: Left, prefer: Callable[[list[Event]], Event] = lambda events: events[0]
) -> Round:
    """Finish the round with officials and present players only.

    Raises AssertionError if it waits for an action of an absent person.
    """
    round, present = left
    for _ in range(120):
        if round.over:
            return finish(round)
        ways = [event for event in _possible(round, present) if _is_taken(round, event)]
        if ways:
            round = step(round, prefer(ways))
            continue
        moved = go_on(round)
        if moved.ahead != round.ahead:
            round = moved
            continue
        waits = owed(round)
        assert waits is None, f"nobody present can give what the round waits for: {waits}"
        return finish(round)
    raise AssertionError(f"the round does not end: {owed(round)}")


def _possible(round: Round, present: frozenset[str]) -> Iterator[Event]:
    due = [choice for choice in round.choices if choice.must_be_made]
    for choice in reversed(due):
        yield from rulings(round, choice, present)
    for number in sorted(round.boxes) if due else ():
        yield from _absences(round, number, present)
    if any(choice.required for choice in due):
        return
    if round.phase is Phase.BEFORE_INTERIM:
        yield Settled("interim")
        return
    yield from _staff(round)
    turn = hand_in_turn(round)
    if next_card_goes_to(round) is not None:
        yield from (Deal(card) for card in parse_cards("9d"))
    elif turn is not None:
        if caller(round, turn.box, turn.hand) in present:
            yield from (Act("stand"), Act("hit"))
        yield from _absences(round, turn.box.number, present)


def _absences(round: Round, number: int, present: frozenset[str]) -> Iterator[Event]:
    """Return the absence of a box's player that left, unless it was noticed before."""
    box = round.boxes[number]
    hand = next((hand for hand in box.hands if hand.has_open_stake), None)
    who = caller(round, box, hand) if hand is not None else None
    if who is not None and who not in present and who not in box.away and not box.absent:
        yield Irregularity("absent", box=number)


def _is_taken(round: Round, event: Event) -> bool:
    try:
        step(round, event)
    except RefusedError:
        return False
    return True
