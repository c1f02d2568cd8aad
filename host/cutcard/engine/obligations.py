"""The next steps of a round, as data: a card for a place, a decision, the button, a ruling.

The possible decisions are found by trying each act on a copy of the round and leaving out the
refused ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cutcard.engine.choices import Choice
from cutcard.engine.claims import claims_to_insure
from cutcard.engine.events import Act
from cutcard.engine.ledger import Key
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import step
from cutcard.engine.state import Phase, Round
from cutcard.engine.turn import caller, hand_in_turn, next_card_goes_to

IN_TURN = ("hit", "stand", "double", "split", "surrender")


@dataclass(frozen=True, slots=True)
class NextCard:
    """The device deals a card. `place` is "dealer", a box ("2") or a hand of a box ("2.1")."""

    place: str


@dataclass(frozen=True, slots=True)
class Decision:
    """A player must decide on the hand at `place`; `ways` are the acts that the rules allow."""

    place: str
    player: str
    ways: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Offered:
    """A player may take an option, such as insurance. The next event declines it."""

    act: Act


@dataclass(frozen=True, slots=True)
class Button:
    """The owner of a won wager must press the jackpot button."""

    key: Key


@dataclass(frozen=True, slots=True)
class RulingDue:
    """An official or a player must, or may, rule on an irregularity; `choice` has the options."""

    choice: Choice


@dataclass(frozen=True, slots=True)
class Settlement:
    """The dealer settles: send `Settled(what)`, with `what` "interim" or "round"."""

    what: str


# One of the things that a round waits for.
Obligation = NextCard | Decision | Offered | Button | RulingDue | Settlement


def obligations(round: Round) -> list[Obligation]:
    """Return everything that the round waits for now, in order; an empty list if it is over."""
    if round.over:
        return []
    due: list[Obligation] = [RulingDue(choice) for choice in round.choices]
    if any(choice.required for choice in round.choices):
        return due
    due += [Offered(act) for act in options(round)]
    if round.phase is Phase.BEFORE_INTERIM:
        return [*due, Settlement("interim")]
    due += [Button(wager.key) for wager in round.wagers if wager.open and wager.waits_for_press]
    place = next_card_goes_to(round)
    turn = hand_in_turn(round)
    if place is not None:
        due.append(NextCard(place))
    elif turn is not None:
        player = caller(round, turn.box, turn.hand) or ""
        due.append(Decision(turn.box.place_of(turn.hand), player, tuple(ways(round))))
    elif not any(isinstance(obligation, Button) for obligation in due):
        due.append(Settlement("round"))
    return due


def ways(round: Round) -> Iterator[Act]:
    """Yield the permitted acts of the hand in turn."""
    for kind in IN_TURN:
        if kind == "surrender" and not round.book.says("surrender.kind", "in-turn"):
            continue
        if is_allowed(round, Act(kind)):
            yield Act(kind)


def options(round: Round) -> Iterator[Act]:
    """Yield the options of players outside the turns, each for the maximum amount."""
    if round.phase is Phase.INITIAL_DEAL:
        return
    for wager in round.placed:
        if wager.bet == "main":
            kinds = ["insure", "even-money", "withdraw-double"]
            if not round.book.says("surrender.kind", "in-turn"):
                kinds.append("surrender")
            for kind in kinds:
                act = Act(kind, box=wager.box, player=wager.player)
                if is_allowed(round, act):
                    yield act
    for lying in round.wagers:
        if lying.may_ride:
            key = lying.key
            yield Act("keep-riding", box=key.box, player=key.player, bet=key.bet)


def declined(round: Round) -> Iterator[tuple[Act, list[tuple[str, ...]]]]:
    """Yield insurance that other players may take instead of the owner, with their claims."""
    if round.phase is Phase.INITIAL_DEAL or not round.book.flag("insurance.for_another"):
        return
    for wager in round.placed:
        if wager.bet == "main":
            claims = claims_to_insure(round, wager.box, wager.player)
            act = Act("insure", box=wager.box, for_player=wager.player)
            if claims and is_allowed(round, replace(act, player=claims[0][0])):
                yield act, claims


def is_allowed(round: Round, act: Act) -> bool:
    """Return whether the engine would accept this act now."""
    try:
        step(round, act)
    except RefusedError:
        return False
    return True
