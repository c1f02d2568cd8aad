"""What a live table needs from its jackpot equipment: a button, or a prize meter."""

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
            f"{bet} is not offered: {why} [{', '.join(rules)}]. Take the wager off, mend the "
            "equipment, and offer it again then."
        )
        self.bet = bet
        self.rules = rules


class DrawDoesNotHoldError(Exception):
    """Raised when a draw is not signed by the table's controller, or is from another text."""


def check_draw(draw: Draw, public_key: bytes, text: bytes) -> None:
    """Check a draw as a third party could, before anything is paid.

    Signature, number, and the text that the number was drawn for: prizes, or a list of wagers.
    """
    found = verify([draw], public_key, {sha256(text).digest(): text})
    problems = list(found.problems)
    if draw.digest != sha256(text).digest():
        problems.append("it was drawn for another table of prizes, or another list")
    if problems:
        raise DrawDoesNotHoldError(
            f"draw {draw.counter} of the controller does not hold: {'; '.join(problems)}. Take the "
            "controller out of use and keep the journal for whoever investigates."
        )


class Jackpot:
    """One jackpot wager of a table. Its methods are the moments of a round, in order."""

    bet: str
    refused_box: int | None = None  # whose wager was not taken; None: none of them was

    def opened(self, live: LiveTable, kept: Mapping[str, Any] | None) -> None:
        """The table has opened; `kept` is what the last settled round of its journal left."""

    def met_another(self, live: LiveTable) -> None:
        """Another controller is there than at the last settled round."""

    def kept(self) -> dict[str, Any]:
        """What the next program needs of the equipment, once a round is settled."""
        return {}

    def last_round(self, live: LiveTable) -> int:
        """The highest round number that the equipment knows; rounds count up."""
        return 0

    def enter(self, live: LiveTable, placed: Sequence[Placed]) -> Sequence[Placed]:
        """Register the jackpot wagers before the first card. Raises NotOfferedError."""
        return placed

    def began(self, live: LiveTable) -> None:
        """The round has started."""

    def listen(self, live: LiveTable) -> None:
        """Take the events that the equipment has reported."""

    def is_due(self, before: Round, after: Round) -> bool:
        """Whether a jackpot must be settled before the round may reach the state `after`."""
        return False

    def settle(self, live: LiveTable) -> None:
        """Settle the jackpot wagers that are due."""

    def go_on(self, live: LiveTable) -> bool:
        """Continue after the settlement; True if something was done that play waited for."""
        return False

    def settled(self, live: LiveTable) -> None:
        """The round is over."""
