"""What somebody must, or may, rule on: whose choice it is, among what, and by which rule."""

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
    """One way to rule. `by` is the lowest role that may, or PLAYER.

    `players` narrows a player's option to those that it is offered to; empty means any. `also` are
    rules that go with it by what has happened until somebody rules.
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
    """What an irregularity leaves open. A `required` one is ruled before play goes on.

    One that is not required lapses with the next card, or before it where cards that lie out wait
    for it (`holds`); `default` is then what silence meant. `for_each_player` stays open after a
    ruling, for the next player to make his own, and `with_cards` as long as cards lie out.
    Where nothing follows one that holds, nobody has spoken yet and the round is open, unless the
    rule itself says where the cards go (`by_rule`).

    `anew` returns the same choice for its owner as the round is now, None if it has lapsed. A
    choice `of_turn` belongs to the hand to be acted upon; it passes on with the turn, and lapses
    only when a card is called for.
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
        """A round cannot be settled before somebody rules, or play goes on without."""
        return self.required or (self.holds and not self.by_rule)


def answer(round: Round, irregularity: Irregularity | None, rules: Rules, text: str = "") -> None:
    """The rules decide by themselves: nobody rules, and the record says which rule."""
    round.rulings.append(Ruled(irregularity.kind if irregularity else None, None, None, rules))
    round.note(text or _named(irregularity), rules)


def rules_of_late_options(round: Round) -> Rules:
    """What was ruled where an option had not been offered in its time."""
    ruled = [
        past.rules
        for past in round.rulings
        if past.irregularity in ("not-offered", "dealer-missed")
    ]
    return tuple(rule for rules in ruled for rule in rules)


def offer(round: Round, choice: Choice) -> None:
    round.choices.append(choice)


def lapse(round: Round, *, holding_only: bool = False, card_called_for: bool = True) -> None:
    """Close the choices that need not be made, and record the meaning of silence with its rule."""
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
    """Take a ruling on the latest irregularity that it fits. Raises RefusedError otherwise."""
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
            who = by or "Somebody entitled"
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
    """Close a choice that was made; one that each player makes stays open for the players only.

    Otherwise an official's ruling would never reach another choice, and silence would be recorded
    beside the ruling.
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
    """Return whether the ruling only confirms that the rules already voided the round."""
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
    """A ruling that nothing asks for: too late, for something else, or not this rulebook's."""
    if round.over:
        text = f"{ruling.kind} comes too late: the round is {round.phase.value}"
        return RefusedError(text, round.book.rules("rulings.settled"))
    open_now = sorted({option.ruling for choice in round.choices for option in choice.options})
    known = round.book.get(f"rulings.{ruling.kind}")
    rules = tuple(rule for choice in round.choices for rule in choice.rules)
    if round.rulings and not open_now:
        rules += round.rulings[-1].rules
    return RefusedError(
        f"{ruling.kind} is not a ruling that is open here"
        + (f"; these are: {', '.join(open_now)}" if open_now else ""),
        tuple(dict.fromkeys(rules + (known.rules if known else ()))),
    )


def may_rule(round: Round, role: str, lowest: str) -> bool:
    """Whoever the rule names, or anybody above him."""
    roles = round.book.roles
    return role in roles and lowest in roles and roles.index(role) >= roles.index(lowest)


def _not_entitled(round: Round, option: Option, ruling: Ruling) -> RefusedError | None:
    if option.by == PLAYER:
        who = ruling.player or ruling.by
        if option.players and who is not None and who not in option.players:
            return RefusedError(f"{who} is not offered this choice", option.rules)
        if who in round.book.roles:
            return RefusedError(f"this is a player's choice, not the {who}'s", option.rules)
        return None
    if ruling.by is None or may_rule(round, ruling.by, option.by):
        return None
    return RefusedError(f"{ruling.by} may not rule this; {option.by} or above may", option.rules)


def _named(irregularity: Irregularity | None) -> str:
    """An irregularity as a sentence, with the cards that it is about."""
    if irregularity is None:
        return "Press."
    if irregularity.kind == "no-wager":
        return f"Box {irregularity.box} was dealt to, and no wager lies there."
    cards = f": {' '.join(map(str, irregularity.cards))}" if irregularity.cards else ""
    return f"{irregularity.kind.replace('-', ' ').capitalize()}{cards}."
