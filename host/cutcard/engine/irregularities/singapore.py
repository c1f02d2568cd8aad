"""Singapore, rules 5 and 6."""

from __future__ import annotations

from cutcard.engine.events import Fault
from cutcard.engine.irregularities.procedure import absent, handles
from cutcard.engine.state import Round

SINGAPORE = "mbs-free-bet-3"


@handles(SINGAPORE, "absent")
def player_absent(round: Round, fault: Fault) -> None:
    """5.22: the dealer draws to the hand; splits, doubles and other options are forfeited."""
    absent(round, fault, "dealer")
