"""People who rule, count and decide at a console, with a bench or a real machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutcard.bench.client import Bench
from cutcard.cards import Card, parse_cards
from cutcard.engine.choices import PLAYER, Choice, Option, may_rule
from cutcard.engine.events import Act, Ruling
from cutcard.engine.obligations import ways
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import step
from cutcard.engine.state import Box, Hand, Placed, Round
from cutcard.table.display_names import job, words
from cutcard.table.machine.floor import Attempt, BenchFloor, Decide, choosing_player
from cutcard.table.people.by_hand import HandFloor
from cutcard.table.people.desk import Desk, DeskRefusalError, Question, TableClosedError
from cutcard.table.people.ruling_details import VOID_HANDS, takes_dealers_cards, void_places
from cutcard.table.people.terminal import Terminal
from cutcard.table.play.live import LiveTable
from cutcard.table.play.wagering import BadWagerError, Wagering

MOST_CARDS = 8 * 52 + 8
NO = "no"


class ConsoleBenchFloor(BenchFloor):
    """The machine is a bench, which clears itself on command; people rule."""

    def __init__(self, bench: Bench, desk: Desk) -> None:
        super().__init__(bench)
        self.desk = desk

    def clear(self, fault: str, attempt: Attempt) -> int:
        super().clear(fault, attempt)
        return count(self.desk, fault, attempt)

    def find_missing(self, attempt: Attempt) -> int:
        super().find_missing(attempt)
        return count(self.desk, "", attempt)

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        self.bench.settle()
        return rule(self.desk, round, choice)


class ConsoleHandFloor(HandFloor):
    """A real machine: instructions are printed at the terminal; the console counts and rules."""

    def __init__(self, terminal: Terminal, desk: Desk) -> None:
        super().__init__(terminal)
        self.desk = desk

    def clear(self, fault: str, attempt: Attempt) -> int:
        return count(self.desk, fault, attempt)

    def find_missing(self, attempt: Attempt) -> int:
        return count(self.desk, "", attempt)

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        return rule(self.desk, round, choice)


def count(desk: Desk, fault: str, attempt: Attempt) -> int:
    """Return the number of cards outside the machine, as counted by a person at a console."""

    def answered(said: Mapping[str, Any]) -> int:
        number = said.get("count")
        if number is None:
            raise DeskRefusalError(409, "The table waits for a count of the cards outside.")
        if type(number) is not int or not 0 <= number <= MOST_CARDS:
            raise DeskRefusalError(422, f"A count is from 0 to {MOST_CARDS} cards.")
        return number

    asked = f"clear and count: {words(fault)}" if fault else "count again"
    asked += f", attempt {attempt.number}" if attempt.number > 1 else ""
    number: int = desk.ask(Question("count", asked, answered, {"attempt": str(attempt)}))
    return number


class ConsolePlayers:
    """The players whose wagers were placed at a console, where they also decide."""

    def __init__(self, desk: Desk, wagering: Wagering, otherwise: Decide) -> None:
        self._desk = desk
        self._wagering = wagering
        self._otherwise = otherwise  # for the players with a strategy

    def put_down(self, live: LiveTable) -> list[Placed] | None:
        """Return the wagers of the next round when betting has closed; None: table closed."""
        number = live.number + 1
        if self._wagering.waits:
            try:
                live.memory.ask("answer", f"begin round {number}", lambda: self._begin(number))
            except TableClosedError:
                return None
        return self._wagering.for_round(live.memory.journal.number)

    def _begin(self, number: int) -> None:
        def answered(said: Mapping[str, Any]) -> None:
            if said.get("begin") is not True:
                raise DeskRefusalError(409, "The table waits for wagers, then for `deal`.")
            try:
                self._wagering.check_layout()
            except BadWagerError as bad:
                raise DeskRefusalError(422, str(bad), rules=list(bad.rules)) from bad

        self._desk.ask(Question("begin", f"wagers for round {number}", answered, {"round": number}))

    def decide(self, round: Round, box: Box, hand: Hand) -> Act:
        """Return the decision of the hand in turn, by the owner of the first wager on its box."""
        player = box.mains[0].player
        if not self._wagering.decides_here(player):
            return self._otherwise(round, box, hand)
        place, cards = box.place_of(hand), " ".join(map(str, hand.cards))
        acts = {act.kind: act for act in ways(round)}
        asked = f"{player} on box {place}, {cards} ({hand.total})"
        return acts[self._asked(asked, [(kind, words(kind)) for kind in acts])]

    def consider(self, round: Round, act: Act) -> bool:
        """Return whether a player takes an option outside the turns; one with a strategy takes no
        options."""
        if not self._wagering.decides_here(act.player or ""):
            return False
        what = " ".join(filter(None, (words(act.kind), act.bet and words(act.bet))))
        whose = f" in place of {act.for_player}" if act.for_player else ""
        asked = f"{act.player} on box {act.box}: {what}{whose}?"
        return self._asked(asked, [(act.kind, what), (NO, NO)]) != NO

    def agree(self, round: Round, players: Sequence[str], act: Act) -> str:
        """Return the player among equal claims who insures for another; "" without an agreement."""
        asked = f"who insures box {act.box} in place of {act.for_player}?"
        found = self._asked(asked, [*((who, who) for who in players), (NO, "nobody: no agreement")])
        return "" if found == NO else found

    def _asked(self, asked: str, acts: Sequence[tuple[str, str]]) -> str:
        def answered(said: Mapping[str, Any]) -> str:
            kind = said.get("act")
            if kind not in dict(acts):
                ways = ", ".join(text for _, text in acts)
                raise DeskRefusalError(409, f"The table waits for one of these: {ways}.")
            return str(kind)

        found: str = self._desk.ask(Question("act", asked, answered, {"acts": acts}))
        return found


def rule(desk: Desk, round: Round, choice: Choice) -> Ruling | None:
    """Return the ruling of an entitled person; None if no ruling is required or made."""
    if not (choice.required or choice.holds):
        return None

    def answered(said: Mapping[str, Any]) -> Ruling | None:
        if "ruling" not in said:
            raise DeskRefusalError(409, "The table waits for a ruling.")
        if said["ruling"] is None and not choice.required:
            return None
        return ruling_of(round, choice, said)

    def title_for(ruling: str, titles: Sequence[str]) -> str | None:
        options = [option for option in choice.options if option.ruling == ruling]
        return next((found for o in options if (found := entitled(round, o, titles))), None)

    kind = choice.irregularity.kind
    question = Question("rule", f"rule on {kind}", answered, {"on": kind}, title_for=title_for)
    found: Ruling | None = desk.ask(question)
    return found


def ruling_of(round: Round, choice: Choice, said: Mapping[str, Any]) -> Ruling:
    """Return the requested ruling. Raises DeskRefusalError if the rulebook does not offer it."""
    options = [option for option in choice.options if option.ruling == said["ruling"]]
    if not options:
        open_now = ", ".join(words(option.ruling) for option in choice.options)
        raise DeskRefusalError(
            409, f"That is not open here; these are: {open_now}.", rules=choice.rules
        )
    titles = said.get("titles") or ([said["title"]] if said.get("title") else [])
    for option in options:
        title = entitled(round, option, titles)
        if title is not None:
            return _checked(round, choice, option, title, said)
    rules = options[0].rules_now(round)
    raise DeskRefusalError(403, f"{job(options[0].by)} or above may rule this.", rules=rules)


def entitled(round: Round, option: Option, titles: Sequence[str]) -> str | None:
    """Return the highest of the titles, if it may make this ruling.

    Any person in charge may enter a player's own choice.
    """
    roles = round.book.roles
    mine = sorted((title for title in titles if title in roles), key=roles.index)
    if not mine or (option.by not in (PLAYER, "") and not may_rule(round, mine[-1], option.by)):
        return None
    return mine[-1]


def _checked(
    round: Round, choice: Choice, option: Option, title: str, said: Mapping[str, Any]
) -> Ruling:
    chosen = said.get("chosen", 1)
    if type(chosen) is not int or not 1 <= chosen <= max(1, len(choice.irregularity.cards)):
        raise DeskRefusalError(409, "This card cannot be chosen.")
    by_player = option.by == PLAYER
    ruling = Ruling(
        option.ruling,
        by=None if by_player else title,
        hands=_void_hands(round, choice, said) if option.ruling == VOID_HANDS else (),
        chosen=(chosen,) if option.ruling == "choose" else (),
        player=choosing_player(round, option) if by_player else None,
        dealer=_dealers_cards(round, option.ruling, said),
    )
    try:
        step(round, ruling)
    except RefusedError as refused:
        raise DeskRefusalError(422, f"{refused.why}.", rules=list(refused.rules)) from refused
    return ruling


def _void_hands(round: Round, choice: Choice, said: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the hands to void: those in the request, or else those of the irregularity."""
    if not said.get("hands"):
        return choice.irregularity.hands
    try:
        return void_places(round, said["hands"])
    except ValueError as error:
        raise DeskRefusalError(422, f"The void hands cannot be read: {error}.") from error


def _dealers_cards(round: Round, ruling: str, said: Mapping[str, Any]) -> tuple[Card, ...]:
    """Return the cards that the dealer's hand keeps; empty if the rule decides."""
    if not said.get("dealer"):
        return ()
    if not takes_dealers_cards(round, ruling):
        raise DeskRefusalError(
            422, f"The ruling {words(ruling)} does not name cards of the dealer."
        )
    try:
        return tuple(parse_cards(said["dealer"]))
    except ValueError as error:
        raise DeskRefusalError(422, f"The dealer's cards cannot be read: {error}.") from error
