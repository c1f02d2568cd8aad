"""What the engine says no with. A refusal leaves the round exactly as it was."""

from __future__ import annotations

from cutcard.rulebooks.book import Rules


class EngineError(Exception):
    """Never raised itself: the base class of all errors of the engine."""


class BadValueError(EngineError, ValueError):
    """Raised for an event, a wager or a table with a value that no rulebook can mean.

    The text names the value and the allowed ones.
    """


class RefusedError(EngineError):
    """Raised for an act, a press or a ruling that the rules do not allow; `rules` say why."""

    def __init__(self, why: str, rules: Rules | list[str] | str = ()) -> None:
        self.rules = (rules,) if isinstance(rules, str) else tuple(rules)
        self.why = why
        super().__init__(f"{why} ({', '.join(self.rules)})" if self.rules else why)


class OutOfTurnError(RefusedError):
    """Raised for an act whose turn has not come, or a card that no rule calls for."""


class IncompleteError(EngineError):
    """Raised when a round is to be settled and something is still owed to it.

    `waits_for` says what, in words.
    """

    def __init__(self, waits_for: str) -> None:
        super().__init__(f"the round is not complete: it waits for {waits_for}")
        self.waits_for = waits_for
