"""Convert a machine file for the counters and the listener."""

from __future__ import annotations

from fractions import Fraction
from math import factorial, log2

import numpy as np

from cutcard.machines import Machine
from rng_certification.base.compiled import Floats
from rng_certification.continuous.blackjack import TEN, tens_of, worth
from rng_certification.continuous.counter import house_edge_against
from rng_certification.predictability.carousel import CarouselLaw
from rng_certification.predictability.ear import Hearing, Sound, direction_bits, share_heard_right
from rng_certification.shuffles.oracles import orders_by_valleys, shelf_law


def law_of(machine: Machine, pack: int) -> CarouselLaw:
    """Return the law of a carousel with a pack that it allows."""
    row = machine.row(pack)
    return CarouselLaw(
        machine.whole("bins.count"),
        machine.whole("bins.capacity"),
        machine.whole("chute.low"),
        pack,
        "single" if machine.single else "group",
        tuple(float(weight) for weight in row.into),
        tuple(float(weight) for weight in row.out),
    )


def sound_of(machine: Machine) -> Sound:
    return Sound(
        bin_ms=machine.whole("timing.turn_bin"),
        legs=len(machine.legs),
        direction_heard=machine.values["sound.direction"] == "heard",
        tested=tuple(machine.values["sound.tested"]),
    )


def order_heard(machine: Machine, pack: int, law_bits: float, hearing: Hearing) -> float:
    """Return the bits per card that a listener gets of a batch: all, unless turns sound alike."""
    sound = sound_of(machine)
    if not sound.hidden:
        return order_bits(pack)
    return min(
        law_bits + direction_bits(sound.legs, share_heard_right(sound, hearing)), order_bits(pack)
    )


def edge_of_knowing(pack: int) -> float:
    """The house edge against a player with knowledge of only each round's first card."""
    tens = tens_of(pack)
    values: Floats = worth(tens)[0][np.minimum(np.arange(pack) % (9 + tens), TEN)]
    return house_edge_against(values)


def order_bits(cards: int) -> float:
    """Return the bits per card of a completely known order."""
    return log2(factorial(cards)) / cards


def shelf_bits(cards: int, shelves: int) -> float:
    """Return the bits of each card that the law of a shelf machine leaks, given all cards before
    it.

    Exact: the bits of successive cards add up to the bits that the law leaks of the order.
    """
    leaked = 0.0
    for chance, orders in zip(shelf_law(cards, shelves), orders_by_valleys(cards), strict=True):
        if chance:
            ratio = Fraction(chance, orders) * factorial(cards)
            leaked += float(chance) * (log2(ratio.numerator) - log2(ratio.denominator))
    return leaked / cards
