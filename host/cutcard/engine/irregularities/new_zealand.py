"""New Zealand, section 16."""

from __future__ import annotations

from cutcard.engine.choices import Choice, offer
from cutcard.engine.events import Fault
from cutcard.engine.irregularities.procedure import (
    absent,
    handles,
    void_hands_option,
    void_round_option,
)
from cutcard.engine.state import Round

NZ = "nz-division-2"


@handles(NZ, "malfunction")
def continuous_shuffler_fails(round: Round, fault: Fault) -> None:
    """16.13: the operator voids the round, or the hands that the malfunction affects."""
    rules = ("16.13",)
    options = (
        void_round_option("casino-operator", rules, settled_stands=False),
        void_hands_option("casino-operator", rules),
    )
    offer(round, Choice(fault, options, rules))


@handles(NZ, "absent")
def player_absent(round: Round, fault: Fault) -> None:
    """16.6: the operator may have cards dealt until the hand has 12."""
    absent(round, fault, "casino-operator")
