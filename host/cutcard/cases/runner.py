"""Replaying a case through the engine, and comparing its outcome with the expected one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cutcard.cases.case import Case, MalformedCaseError, Step, UnfinishedCaseError
from cutcard.cases.loader import load_case
from cutcard.cases.writing import result_of
from cutcard.engine.ledger import dollars
from cutcard.engine.possible_cards import explains, impossible
from cutcard.engine.refusal import IncompleteError, OutOfTurnError, RefusedError
from cutcard.engine.results import OPEN, came_to, results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Round
from cutcard.engine.tables import refusals
from cutcard.rulebooks.citing import any_meets


@dataclass(slots=True)
class CaseReport:
    """The result of running one case file.

    `round` is the last state that was reached; it is open if a rule refused a step or the steps
    ended.
    """

    path: Path
    title: str = ""
    differences: list[str] = field(default_factory=list)
    malformed: str | None = None
    invalid: list[str] | None = None
    refusals: list[str] = field(default_factory=list)
    round: Round | None = None

    @property
    def ok(self) -> bool:
        return self.malformed is None and not self.differences

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` prints for the file."""
        head: dict[str, Any] = {"file": str(self.path), "ok": self.ok}
        if self.malformed is not None:
            return head | {"malformed": self.malformed} | self._came_to()
        if self.invalid is not None:
            return head | {"invalid": self.invalid}
        return head | self._came_to() | {"differences": self.differences}

    def _came_to(self) -> dict[str, Any]:
        if self.round is None:
            return {}
        waits = {"waits_for": self.waits_for} if self.waits_for is not None else {}
        return {
            "round": came_to(self.round),
            **waits,
            "wagers": [result_of(result) for result in results(self.round)],
            "rulings": [
                {"fault": r.irregularity, "ruling": r.ruling, "by": r.by, "rules": list(r.rules)}
                for r in self.round.rulings
            ],
        }

    @property
    def waits_for(self) -> str | None:
        """Describe the step that an open round waits for; None without an open round."""
        if self.round is None or came_to(self.round) != OPEN:
            return None
        try:
            finish(self.round)
        except IncompleteError as error:
            return error.waits_for
        return "the settlement"


def run_file(path: Path) -> CaseReport:
    """Run one case file; a malformed one is reported, not raised."""
    try:
        case = load_case(path)
    except MalformedCaseError as error:
        return CaseReport(path, malformed=str(error))
    try:
        return run_case(case)
    except UnfinishedCaseError as error:
        return CaseReport(path, case.title, malformed=str(error), round=error.round)
    except MalformedCaseError as error:
        return CaseReport(path, case.title, malformed=str(error))
    except (LookupError, ValueError, TypeError, ArithmeticError, AssertionError) as error:
        # A file that makes the engine fail must not stop the other files.
        why = f"steps: cannot be replayed ({type(error).__name__}: {error})"
        return CaseReport(path, case.title, malformed=why)


def run_case(case: Case) -> CaseReport:
    """Replay a case.

    Raises MalformedCaseError for a step that is not possible at its place, and UnfinishedCaseError
    if the steps end before the round does.
    """
    report = CaseReport(case.path, case.title)
    against = refusals(case.table, case.placed)
    if against or case.invalid is not None:
        report.invalid = list(dict.fromkeys(rule for why in against for rule in why.rules))
        report.refusals = [why.why for why in against]
        report.differences = _invalid_differences(case, bool(against), report.invalid)
        return report
    try:
        round, differences = replay(case)
    except _StoppedError as stopped:
        report.round = stopped.round
        report.differences = [str(stopped)]
        return report
    report.round = round
    report.differences = differences + list(_differences(case, round))
    return report


class _StoppedError(Exception):
    """Raised if a rule refuses a step of the file: the round cannot continue."""

    def __init__(self, round: Round, why: str) -> None:
        super().__init__(why)
        self.round = round


def replay(case: Case) -> tuple[Round, list[str]]:
    """Replay all steps, and the settlement at the end."""
    round = start(case.table, case.placed, case.deal_order)
    differences: list[str] = []
    trusted_from = _after_wrong_cards(case.steps)
    for number, written in enumerate(case.steps):
        if written.refused_under is not None:
            differences += _must_refuse(round, written)
            continue
        for event in written.events:
            if number >= trusted_from and (strange := impossible(round, event)):
                why = f"{strange}; if they were wrong, add the irregularity `wrong-cards` after it"
                raise MalformedCaseError(written.key, why)
            try:
                round = step(round, event)
            except OutOfTurnError as error:
                raise MalformedCaseError(written.key, str(error)) from error
            except IncompleteError as error:
                raise MalformedCaseError(written.key, str(error)) from error
            except RefusedError as error:
                raise _StoppedError(round, f"{written.key}: refused: {error}") from error
    try:
        return finish(round), differences
    except IncompleteError as error:
        raise UnfinishedCaseError(round, str(error)) from error


def _after_wrong_cards(steps: Sequence[Step]) -> int:
    """Return the first step whose cards must come from the table's decks.

    A later finding of wrong cards explains earlier cards.
    """
    numbers = [
        number
        for number, written in enumerate(steps)
        if written.refused_under is None and any(explains(event) for event in written.events)
    ]
    return numbers[-1] + 1 if numbers else 0


def _must_refuse(round: Round, written: Step) -> Iterator[str]:
    try:
        for event in written.events:
            round = step(round, event)
    except IncompleteError as error:
        if written.refused_under:
            yield f"{written.key}: refused under no rule ({error})"
    except RefusedError as error:
        if written.refused_under and not any_meets(error.rules, written.refused_under):
            cited = ", ".join(error.rules) or "no rule"
            yield f"{written.key}: refused under {cited}, expected {written.refused_under}"
    else:
        yield f"{written.key}: not refused"


def _invalid_differences(case: Case, refused: bool, rules: list[str]) -> list[str]:
    if case.invalid is None:
        return [f"the table is refused ({', '.join(rules) or 'by no rule'})"]
    if not refused:
        return [f"the table is accepted, expected a refusal under {case.invalid or 'no rule'}"]
    if case.invalid and not any_meets(rules, case.invalid):
        return [f"refused under {', '.join(rules) or 'no rule'}, expected {case.invalid}"]
    return []


def _differences(case: Case, round: Round) -> Iterator[str]:
    if came_to(round) != case.round:
        yield f"round: {came_to(round)}, expected {case.round}"
    found = {result.key: result for result in results(round)}
    for line in case.expect:
        name = f"box {line.key.box} {line.key.player} {line.key.bet}"
        result = found.pop(line.key, None)
        if result is None:
            yield f"{name}: no such wager in the round"
            continue
        if (result.result, result.net) != (line.result, line.net):
            yield (
                f"{name}: {result.result} {dollars(result.net)}, "
                f"expected {line.result} {dollars(line.net)}"
            )
        for rule in line.rules:
            if not any_meets(result.rules, rule):
                yield f"{name}: cites {', '.join(result.rules) or 'no rule'}, expected {rule}"
    for key, result in found.items():
        yield (
            f"box {key.box} {key.player} {key.bet}: "
            f"{result.result} {dollars(result.net)}, but `expect` has no entry for it"
        )
    cited = [rule for ruled in round.rulings for rule in ruled.rules]
    for rule in case.cites:
        if not any_meets(cited, rule):
            yield f"cites: the rulings cite {', '.join(cited) or 'no rule'}, expected {rule}"
