"""The errors of the engine. A refusal leaves the round unchanged."""

from __future__ import annotations

from cutcard.rulebooks.book import Rules


class EngineError(Exception):
    """Never raised itself: the base class of all errors of the engine."""


class BadValueError(EngineError, ValueError):
    """Raised for an event, a wager or a table with a value that no rulebook can mean.

    The text names the value and the allowed ones.
    """


class RefusedError(EngineError):
    """Raised for an act, press or ruling that the rules do not allow; `rules` are the reasons."""

    def __init__(self, why: str, rules: Rules | list[str] | str = ()) -> None:
        self.rules = (rules,) if isinstance(rules, str) else tuple(rules)
        self.why = why
        super().__init__(f"{why} ({', '.join(self.rules)})" if self.rules else why)


class OutOfTurnError(RefusedError):
    """Raised for an act out of turn, or a card that no rule calls for."""


class IncompleteError(EngineError):
    """Raised if a round is settled before it is complete.

    `waits_for` describes the missing step.
    """

    def __init__(self, waits_for: str) -> None:
        super().__init__(f"the round is not complete: it waits for {waits_for}")
        self.waits_for = waits_for
