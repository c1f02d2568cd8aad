"""The log of a round, for comparison with the engine: five numbers per entry."""

from __future__ import annotations

from typing import Any

from cutcard.edge.simulate.drawing import inlined

# The subject of an entry; box, hand and two numbers follow.
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
ORDINARY, OF_21, SUPER_BONUS, FIVE_AND_UNDER, OF_INSURANCE = range(5)  # the reason for a payment


@inlined
def note(log: Any, what: int, box: int, hand: int, value: int, more: int) -> None:
    """Append an entry; the first number of a log is the place of its next entry."""
    at = log[0]
    log[at], log[at + 1], log[at + 2] = what, box, hand
    log[at + 3], log[at + 4] = value, more
    log[0] = at + ENTRY
