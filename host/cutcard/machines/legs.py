"""Turns that all sound alike: the same legs for every distance, of which some go back.

A wheel that goes straight to a bin tells by the length of its turn, or by its pitch, how far that
is. So every turn may be made of the same legs, in the same order, at the same pace: half bins, so
that a wheel of an even number of bins gets to odd ones too. Where it comes to stand depends on
which of them go back, and on nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cutcard_firmware.boards.rp2 import steps

MOST_LEGS = 8  # which of them go back is one byte


def ways(legs: Sequence[int], positions: int) -> bytes:
    """For each distance in bins which legs go back: bit i is set for leg i.

    ValueError where some distance cannot be gone with these legs.
    """
    found: dict[int, int] = {}
    for back in range(1 << len(legs)):
        away = sum(-leg if back >> i & 1 else leg for i, leg in enumerate(legs))
        found.setdefault(away % (2 * positions), back)
    missing = [bins for bins in range(positions) if 2 * bins not in found]
    if missing:
        few = ", ".join(map(str, missing[:4])) + (", ..." if len(missing) > 4 else "")
        raise ValueError(f"with these legs no turn goes {few} bins on")
    return bytes(found[2 * bins] for bins in range(positions))


@cache  # the bench asks for every leg of every turn, and a machine has a handful
def leg_ms(halves: int, steps_bin: int, turn_bin: int) -> int:
    """Milliseconds of a leg with its ramps, which are most of a short one."""
    words = steps.turn(halves * steps_bin // 2, 1000 * turn_bin // steps_bin)
    return -(-int(steps.duration(words)) // 1000)
