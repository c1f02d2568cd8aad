"""Open choices on an irregularity: the options, the roles that may rule, and the rules cited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cutcard.engine.events import Irregularity, Ruling
from cutcard.engine.ledger import Key
from cutcard.engine.refusal import RefusedError
from cutcard.engine.state import Phase, Round, Ruled
from cutcard.rulebooks.book import Rules
from cutcard.rulebooks.vocabulary import RulingKind

PLAYER = "player"

Effect = Callable[[Round, Ruling], None]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to rule. `by` is the lowest role that may give the ruling, or PLAYER.

    `players` limits a player's option to these players; empty allows any player. `also` returns
    further rules to cite, which depend on the events before the ruling.
    """

    ruling: RulingKind
    by: str
    rules: Rules
    effect: Effect
    players: tuple[str, ...] = ()
    also: Callable[[Round], Rules] | None = None

    def rules_now(self, round: Round) -> Rules:
        also = self.also(round) if self.also is not None else ()
        return tuple(dict.fromkeys(self.rules + also))


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that an irregularity opens; play waits for a ruling if it is `required`.

    A choice that is not required lapses with the next card, or earlier if cards on the layout wait
    for it (`holds`). `default` is the ruling recorded when it lapses. A choice `for_each_player`
    stays open after a ruling, so that the next player can choose, and one `with_cards` stays open
    while the cards are out.

    If no event follows a choice that holds, the choice was not made, and the round is open, unless
    the rule itself assigns the cards (`by_rule`).

    `anew` returns the same choice for its present owner, or None if it has lapsed. A choice
    `of_turn` belongs to the hand in turn: it passes on with the turn, and lapses only when a card
    is called for.
    """

    irregularity: Irregularity
    options: tuple[Option, ...]
    rules: Rules
    required: bool = True
    for_each_player: bool = False
    default: str | None = None
    holds: bool = False
    with_cards: bool = False
    by_rule: bool = False
    of_turn: bool = False
    anew: Callable[[Round], Choice | None] | None = None

    @property
    def must_be_made(self) -> bool:
        """Whether the round needs a ruling, or play without one, before it can be settled."""
        return self.required or (self.holds and not self.by_rule)


def answer(round: Round, irregularity: Irregularity | None, rules: Rules, text: str = "") -> None:
    """Record that the rules answer an irregularity without a ruling."""
    round.rulings.append(Ruled(irregularity.kind if irregularity else None, None, None, rules))
    round.note(text or _named(irregularity), rules)


def rules_of_late_options(round: Round) -> Rules:
    """Return the rules of the rulings on an option that was not offered in time."""
    ruled = [
        past.rules
        for past in round.rulings
        if past.irregularity in ("not-offered", "dealer-missed")
    ]
    return tuple(rule for rules in ruled for rule in rules)


def offer(round: Round, choice: Choice) -> None:
    round.choices.append(choice)


def lapse(round: Round, *, holding_only: bool = False, card_called_for: bool = True) -> None:
    """Close the choices that are not required, and record the default of each with its rules."""
    for choice in list(round.choices):
        if choice.required or (holding_only and not choice.holds):
            continue
        if choice.of_turn and not card_called_for:
            continue
        if choice.with_cards and round.ahead:
            continue
        round.choices.remove(choice)
        if choice.default is not None:
            answer(round, choice.irregularity, choice.rules)


def rule(round: Round, ruling: Ruling) -> None:
    """Apply a ruling to the latest irregularity that it fits. Raises RefusedError without one."""
    refusal: RefusedError | None = None
    for choice in reversed(round.choices):
        for option in choice.options:
            if option.ruling != ruling.kind:
                continue
            refusal = refusal or _not_entitled(round, option, ruling)
            if _not_entitled(round, option, ruling) is not None:
                continue
            _close(round, choice, option)
            by = ruling.by or ruling.player
            who = by or "An entitled person"
            rules = option.rules_now(round)
            round.note(f"On {choice.irregularity.kind}, {who} rules: {ruling.kind}.", rules)
            before = _void_wagers(round)
            option.effect(round, ruling)
            round.returned |= _void_wagers(round) - before
            round.rulings.append(Ruled(choice.irregularity.kind, ruling.kind, by, rules))
            return
    if refusal is not None:
        raise refusal
    if not _confirms_void_round(round, ruling):
        raise _not_open(round, ruling)


def _void_wagers(round: Round) -> frozenset[Key]:
    return frozenset(key for key, parts in round.parts.items() if set(parts) == {"void"})


def _close(round: Round, choice: Choice, made: Option) -> None:
    """Close a choice that was made. If each player chooses, keep it open for the players only.

    An official's ruling could otherwise never reach another choice, and the default would be
    recorded in addition to the ruling.
    """
    place = round.choices.index(choice)
    if not choice.for_each_player:
        del round.choices[place]
        return
    options = choice.options
    if made.by != PLAYER:
        options = tuple(option for option in options if option.by == PLAYER)
    round.choices[place] = replace(choice, options=options, default=None)


def _confirms_void_round(round: Round, ruling: Ruling) -> bool:
    """Record an official's declaration that the round is void, which the rules already made it."""
    last = round.rulings[-1] if round.rulings else None
    if round.phase is not Phase.VOID or ruling.kind != "void-round" or last is None:
        return False
    if last.ruling is not None or ruling.by == round.book.roles[0]:
        return False
    if ruling.by is not None and ruling.by not in round.book.roles:
        return False
    round.rulings.append(Ruled(last.irregularity, ruling.kind, ruling.by, last.rules))
    return True


def _not_open(round: Round, ruling: Ruling) -> RefusedError:
    """Return the refusal of a ruling that fits no open choice: too late, unrelated, or unknown."""
    if round.over:
        text = f"{ruling.kind} is too late: the round is {round.phase.value}"
        return RefusedError(text, round.book.rules("rulings.settled"))
    open_now = sorted({option.ruling for choice in round.choices for option in choice.options})
    known = round.book.get(f"rulings.{ruling.kind}")
    rules = tuple(rule for choice in round.choices for rule in choice.rules)
    if round.rulings and not open_now:
        rules += round.rulings[-1].rules
    return RefusedError(
        f"{ruling.kind} is not an open ruling"
        + (f"; open rulings: {', '.join(open_now)}" if open_now else ""),
        tuple(dict.fromkeys(rules + (known.rules if known else ()))),
    )


def may_rule(round: Round, role: str, lowest: str) -> bool:
    """Return whether `role` is `lowest` or a role above it."""
    roles = round.book.roles
    return role in roles and lowest in roles and roles.index(role) >= roles.index(lowest)


def _not_entitled(round: Round, option: Option, ruling: Ruling) -> RefusedError | None:
    if option.by == PLAYER:
        who = ruling.player or ruling.by
        if option.players and who is not None and who not in option.players:
            return RefusedError(f"this choice is not offered to {who}", option.rules)
        if who in round.book.roles:
            return RefusedError(f"this is a player's choice, not the {who}'s", option.rules)
        return None
    if ruling.by is None or may_rule(round, ruling.by, option.by):
        return None
    return RefusedError(
        f"{ruling.by} may not make this ruling; {option.by} or above may", option.rules
    )


def _named(irregularity: Irregularity | None) -> str:
    """Return the irregularity as a sentence, with its cards."""
    if irregularity is None:
        return "Press."
    if irregularity.kind == "no-wager":
        return f"Box {irregularity.box} got cards but has no wager."
    cards = f": {' '.join(map(str, irregularity.cards))}" if irregularity.cards else ""
    return f"{irregularity.kind.replace('-', ' ').capitalize()}{cards}."
