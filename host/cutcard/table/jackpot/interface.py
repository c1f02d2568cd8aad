"""The interface of a live table's jackpot equipment: a button, or a prize meter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cutcard.engine.state import Placed, Round
from cutcard.prizes.draw import Draw
from cutcard.prizes.verify import verify
from cutcard.rulebooks.book import Rules

if TYPE_CHECKING:
    from cutcard.table.play.live import LiveTable


class NotOfferedError(Exception):
    """Raised when a jackpot wager is placed while its equipment does not work: play without it."""

    def __init__(self, bet: str, why: str, rules: Rules) -> None:
        super().__init__(
            f"{bet} is not offered: {why} [{', '.join(rules)}]. Remove the wager, repair the "
            "equipment, and offer the wager again then."
        )
        self.bet = bet
        self.rules = rules


class DrawDoesNotHoldError(Exception):
    """Raised when a draw is not signed by the table's controller, or is from another text."""


def check_draw(draw: Draw, public_key: bytes, text: bytes) -> None:
    """Verify a draw as a third party could, before anything is paid.

    This covers its signature, its number, and the text for which it was drawn: prizes, or a list of
    wagers.
    """
    found = verify([draw], public_key, {sha256(text).digest(): text})
    problems = list(found.problems)
    if draw.digest != sha256(text).digest():
        problems.append("it was drawn for another table of prizes, or another list")
    if problems:
        raise DrawDoesNotHoldError(
            f"draw {draw.counter} of the controller is invalid: {'; '.join(problems)}. Take the "
            "controller out of use and keep the journal for an investigation."
        )


class Jackpot:
    """One jackpot wager of a table. Its methods are the steps of a round, in order."""

    bet: str
    refused_box: int | None = None  # the box with a refused wager; None: no box

    def opened(self, live: LiveTable, kept: Mapping[str, Any] | None) -> None:
        """Start with an open table; `kept` is the stored state of its last settled round."""

    def met_another(self, live: LiveTable) -> None:
        """Start with another controller than in the last settled round."""

    def kept(self) -> dict[str, Any]:
        """Return the state of the equipment for the next program, after a settled round."""
        return {}

    def last_round(self, live: LiveTable) -> int:
        """Return the highest round number that the equipment knows; rounds count up."""
        return 0

    def enter(self, live: LiveTable, placed: Sequence[Placed]) -> Sequence[Placed]:
        """Register the jackpot wagers before the first card. Raises NotOfferedError."""
        return placed

    def began(self, live: LiveTable) -> None:
        """Handle the start of the round."""

    def listen(self, live: LiveTable) -> None:
        """Handle the events that the equipment has reported."""

    def is_due(self, before: Round, after: Round) -> bool:
        """Return whether a jackpot must be settled before the round may reach the state `after`."""
        return False

    def settle(self, live: LiveTable) -> None:
        """Settle the jackpot wagers that are due."""

    def go_on(self, live: LiveTable) -> bool:
        """Continue after the settlement; return True if play waited for this."""
        return False

    def settled(self, live: LiveTable) -> None:
        """Handle the end of the round."""
