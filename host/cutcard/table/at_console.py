"""People who rule and count from a console, at a bench or at a real machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutcard.bench.client import Bench
from cutcard.engine.choices import PLAYER, Choice, Option, may_rule
from cutcard.engine.events import Ruling
from cutcard.engine.refusal import RefusedError
from cutcard.engine.round import step
from cutcard.engine.state import Round
from cutcard.table.desk import Desk, Question, Refusal
from cutcard.table.floor import BenchFloor, HandFloor, who_chooses
from cutcard.table.titles import job, words

MOST_CARDS = 8 * 52 + 8


class ConsoleBenchFloor(BenchFloor):
    """The machine is a bench, which clears itself when somebody says so; people rule."""

    def __init__(self, bench: Bench, desk: Desk) -> None:
        super().__init__(bench)
        self.desk = desk

    def clear(self, fault: str) -> int:
        return count(self.desk, fault, suggested=super().clear(fault))

    def find_missing(self) -> int:
        return count(self.desk, "", suggested=super().find_missing())

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        self.bench.settle()
        return rule(self.desk, round, choice)


class ConsoleHandFloor(HandFloor):
    """A real machine: hands are told what to do at the terminal; the console counts and rules."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def clear(self, fault: str) -> int:
        return count(self.desk, fault, suggested=None)

    def find_missing(self) -> int:
        return count(self.desk, "", suggested=None)

    def rule(self, round: Round, choice: Choice, machine_goes: bool) -> Ruling | None:
        return rule(self.desk, round, choice)


def count(desk: Desk, fault: str, suggested: int | None) -> int:
    """How many cards are not in the machine, by somebody's word."""

    def answered(said: Mapping[str, Any]) -> int:
        number = said.get("count")
        if type(number) is not int or not 0 <= number <= MOST_CARDS:
            raise Refusal(409, "The table waits for a count of the cards outside.")
        return number

    asked = f"clear and count: {words(fault)}" if fault else "count again: it does not come out"
    more = {} if suggested is None else {"suggested": suggested}
    number: int = desk.ask(Question("count", asked, answered, more))
    return number


def rule(desk: Desk, round: Round, choice: Choice) -> Ruling | None:
    """The ruling of somebody entitled; None where nobody needs to rule and nobody does."""
    if not (choice.required or choice.holds):
        return None

    def answered(said: Mapping[str, Any]) -> Ruling | None:
        if "ruling" not in said:
            raise Refusal(409, "The table waits for a ruling.")
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
    """The ruling that a person asks for, if the rulebook leaves it to him. Raises Refusal."""
    options = [option for option in choice.options if option.ruling == said["ruling"]]
    if not options:
        open_now = ", ".join(words(option.ruling) for option in choice.options)
        raise Refusal(409, f"That is not open here; these are: {open_now}.", rules=choice.rules)
    titles = said.get("titles") or ([said["title"]] if said.get("title") else [])
    for option in options:
        title = entitled(round, option, titles)
        if title is not None:
            return _checked(round, choice, option, title, said)
    rules = options[0].rules_now(round)
    raise Refusal(403, f"{job(options[0].by)} or above may rule this.", rules=rules)


def entitled(round: Round, option: Option, titles: Sequence[str]) -> str | None:
    """The highest of the titles, if it may rule so. A player's own choice anybody in charge takes
    down for him."""
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
        raise Refusal(409, "There is no such card to choose.")
    by_player = option.by == PLAYER
    ruling = Ruling(
        option.ruling,
        by=None if by_player else title,
        hands=choice.irregularity.hands if option.ruling == "void-hands" else (),
        chosen=(chosen,) if option.ruling == "choose" else (),
        player=who_chooses(round, option) if by_player else None,
    )
    try:
        step(round, ruling)
    except RefusedError as refused:
        raise Refusal(422, f"{refused.why}.", rules=list(refused.rules)) from refused
    return ruling
