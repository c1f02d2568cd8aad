"""Crown, rules 9, 11.6, 21.11, 23.5, 24.10 and 32."""

from __future__ import annotations

from cutcard.engine.events import Fault
from cutcard.engine.irregularities.procedure import absent, handles
from cutcard.engine.state import Round

CROWN = "crown-melbourne-26"


@handles(CROWN, "absent")
def player_absent(round: Round, fault: Fault) -> None:
    """7.5.4 and its like in the variations: stand, or draw as far as they say."""
    absent(round, fault, "tg-higher-duties-dealer")
