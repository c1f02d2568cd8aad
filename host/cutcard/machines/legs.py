"""Moves that all sound the same: equal legs for every distance, some of them backwards.

A wheel that moves straight to a bin reveals the distance by the duration or pitch of the move. So
every move can consist of the same legs, in the same order, at the same speed. Legs are counted in
half bins, so that a wheel with an even number of bins also reaches odd ones. Only the directions of
the legs decide the final position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cutcard_firmware.boards.rp2 import steps

MOST_LEGS = 8  # one byte has the directions


def ways(legs: Sequence[int], positions: int) -> bytes:
    """Return for each distance in bins the legs that go back: bit i is set for leg i.

    Raises ValueError if a distance cannot be reached with these legs.
    """
    found: dict[int, int] = {}
    for back in range(1 << len(legs)):
        away = sum(-leg if back >> i & 1 else leg for i, leg in enumerate(legs))
        found.setdefault(away % (2 * positions), back)
    missing = [bins for bins in range(positions) if 2 * bins not in found]
    if missing:
        few = ", ".join(map(str, missing[:4])) + (", ..." if len(missing) > 4 else "")
        raise ValueError(f"no turn with these legs moves the wheel by {few} bins")
    return bytes(found[2 * bins] for bins in range(positions))


@cache  # the bench asks for every leg, and a machine has only a few
def leg_ms(halves: int, steps_bin: int, turn_bin: int) -> int:
    """Return the milliseconds of a leg with its ramps, which are most of a short leg."""
    words = steps.turn(halves * steps_bin // 2, 1000 * turn_bin // steps_bin)
    return -(-int(steps.duration(words)) // 1000)
