"""What a round writes down for somebody who holds it against the engine: five numbers an entry."""

from __future__ import annotations

from typing import Any

from cutcard.edge.simulate.drawing import inlined

# What an entry is about; box, hand and two numbers follow.
(
    CARD,
    DECISION,
    INSURE,
    EVEN_MONEY,
    GIVE_UP,
    RESCUE,
    PAID,
    SIDE_PAID,
    BEGUN,  # a round begins
    LEFT_OUT,  # the cards ran out: the round does not count
) = range(10)
ENTRY = 5
DEALER = -1  # instead of a box
ORDINARY, OF_21, SUPER_BONUS, FIVE_AND_UNDER, OF_INSURANCE = range(5)  # what a payment was for


@inlined
def note(log: Any, what: int, box: int, hand: int, value: int, more: int) -> None:
    """The first number of a log is where its next entry goes."""
    at = log[0]
    log[at], log[at + 1], log[at + 2] = what, box, hand
    log[at + 3], log[at + 4] = value, more
    log[0] = at + ENTRY
