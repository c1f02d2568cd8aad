"""A counter who simulates the machine: many guesses of where each card lies, kept while they fit.

A guess (particle) is a machine in which it is known which bin each card came out of, and
of each card inside how likely it is in each bin. A card that goes in is in every bin as likely as
the law has it, and as the turn sounded where he has ears. A card that comes out was the first
of its bin: so no card that is older lies there. Which bin that was is drawn anew in each
guess; guesses that made the card likely are multiplied and the others die.

Cards of one bin are taken for independent of each other but for that, which is a simplification:
it can only make him weaker. The chute only delays: which card a push brought out is seen some
cards later, and everything is worked out as of the moment of that push. For machines that push
card by card.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Counts, Floats, compiled
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    CARD_MASK,
    DEALT,
    FED,
    PUSHED,
    STEP_SHIFT,
    Steps,
)
from rng_certification.continuous.tally import WARM_UP_PACKS
from rng_certification.predictability.carousel import CarouselLaw

PARTICLES = 24
_FEWEST = 0.5  # of the guesses that still count; below it they are drawn anew
_UNSURE = 0.01  # of each prediction that goes to all cards alike
_MISHEARD = 0.02  # of a card's place that stays open where the turn to its bin was heard

Shares = npt.NDArray[np.float32]


@compiled
def _between(weights: Floats, load: float) -> float:
    """The weight of a load that is a mean, between those of whole loads."""
    last = len(weights) - 1
    if load >= last:
        return weights[last]
    whole = int(load)
    part = load - whole
    return weights[whole] * (1 - part) + weights[whole + 1] * part


@compiled
def _follow(
    steps: Steps, sounds: Floats, hears: bool, random: np.random.Generator, unsure: float,
    misheard: float, fewest: float, warm_up: int, feeding: Floats, ejecting: Floats, pack: int,
    lies: Shares, loads: Floats, at: Counts, weights: Floats, shares: Floats,
) -> int:  # fmt: skip
    """`steps` in the order of the mechanics, each push with its card. How many were scored.

    `lies[particle, card, bin]` is how likely the card lies there; `at` is the bin of the last turn.
    """
    particles, bins = loads.shape
    order = np.zeros(pack + 1, dtype=np.int64)
    chances = np.zeros(pack)
    chosen = np.zeros(particles, dtype=np.int64)
    kept = np.zeros(particles, dtype=np.int64)
    bin_weight = np.zeros(bins)
    own = np.zeros(pack + 1)
    nobody_older = np.zeros(bins)
    younger = np.zeros(bins)
    by_bin = np.zeros(bins)
    inside = dealt = scored = 0
    for event in range(len(steps)):
        kind, card = steps[event] >> STEP_SHIFT, np.int64(steps[event] & CARD_MASK)
        if kind == FED:
            for p in range(particles):
                total = heard = 0.0
                for b in range(bins):
                    bin_weight[b] = _between(feeding, loads[p, b]) + 1e-9
                    total += bin_weight[b]
                for b in range(bins):
                    lies[p, card, b] = bin_weight[b] / total
                if hears:
                    for b in range(bins):
                        bin_weight[b] *= sounds[event, (b - at[p]) % bins] / total
                        heard += bin_weight[b]
                    weights[p] *= heard
                    left = random.random() * heard
                    last = 0
                    for b in range(bins):
                        if bin_weight[b] > 0:
                            last = b
                            left -= bin_weight[b]
                            if left < 0:
                                break
                    at[p] = last
                    for b in range(bins):
                        lies[p, card, b] *= misheard
                    lies[p, card, last] += 1 - misheard
                for b in range(bins):
                    loads[p, b] += lies[p, card, b]
            order[inside] = card
            inside += 1
            continue
        place = 0
        while order[place] != card:
            place += 1
        chances[:inside] = 0.0
        everything = 0.0
        for p in range(particles):
            total = 0.0
            for b in range(bins):
                nobody_older[b] = 1.0
                younger[b] = loads[p, b]
            if hears:
                for b in range(bins):
                    bin_weight[b] = sounds[event, (b - at[p]) % bins]
            for i in range(inside):
                one = order[i]
                sum_ = 0.0
                for b in range(bins):
                    here = lies[p, one, b]
                    younger[b] -= here
                    if here > 0:
                        first = here * nobody_older[b] * _between(ejecting, 1 + max(younger[b], 0))
                        if hears:
                            first *= bin_weight[b]
                        nobody_older[b] *= 1 - here
                        sum_ += first
                        if i == place:
                            by_bin[b] = first
                    elif i == place:
                        by_bin[b] = 0.0
                own[i] = sum_
                total += sum_
            if total > 0:
                for i in range(inside):
                    chances[i] += weights[p] * own[i] / total
                everything += weights[p]
                weights[p] *= own[place] / total
            else:
                weights[p] = 0.0
            # Which bin it came out of, in this guess.
            left = random.random() * own[place]
            last = 0
            for b in range(bins):
                if by_bin[b] > 0:
                    last = b
                    left -= by_bin[b]
                    if left < 0:
                        break
            chosen[p] = last
        if dealt >= warm_up:
            share = chances[place] / everything if everything > 0 else 0.0
            shares[scored] = (1 - unsure) * share + unsure / inside
            scored += 1
        dealt += 1
        inside -= 1
        for i in range(place, inside):
            order[i] = order[i + 1]
        for p in range(particles):
            out = chosen[p]
            at[p] = out
            for b in range(bins):
                loads[p, b] -= lies[p, card, b]
            for i in range(place):
                one = order[i]
                gone = lies[p, one, out]
                if gone > 0:
                    rest = 1 - gone
                    if rest > 1e-6:
                        for b in range(bins):
                            loads[p, b] -= lies[p, one, b]
                            lies[p, one, b] /= rest
                        lies[p, one, out] = 0.0
                    else:  # it was taken for certain, and is wrong: it lies anywhere
                        for b in range(bins):
                            loads[p, b] -= lies[p, one, b]
                            lies[p, one, b] = 1.0 / bins
                    for b in range(bins):
                        loads[p, b] += lies[p, one, b]
        # Guesses that fit are multiplied once too few of them count.
        alive = squares = 0.0
        for p in range(particles):
            alive += weights[p]
            squares += weights[p] * weights[p]
        if alive <= 0:
            weights[:] = 1.0
            continue
        for p in range(particles):
            weights[p] /= alive
        if alive * alive / squares >= fewest * particles:
            continue
        kept[:] = 0
        reach = weights[0]
        source = 0
        begin = random.random() / particles
        for p in range(particles):
            while reach < begin + p / particles and source < particles - 1:
                source += 1
                reach += weights[source]
            kept[source] += 1
        free = 0
        for p in range(particles):
            while kept[p] > 1:
                while kept[free] != 0:
                    free += 1
                lies[free] = lies[p]
                loads[free] = loads[p]
                at[free] = at[p]
                kept[free] = 1
                kept[p] -= 1
        weights[:] = 1.0 / particles
    return scored


def in_order_of_the_mechanics(steps: Steps) -> tuple[Steps, Counts, Counts]:
    """Feeds, and pushes with the card that each brought out; the bin of each; and for each push
    how many cards were inside the machine when its card was dealt.

    Pushes whose card was not yet dealt, and all that came after the first of them, are left out.
    """
    kind = steps >> np.uint32(STEP_SHIFT)
    pushes = np.flatnonzero(kind == PUSHED)
    if (steps[pushes] & np.uint32(CARD_MASK) != 1).any():
        raise ValueError("a counter who simulates the machine follows single cards only")
    deals = np.flatnonzero(kind == DEALT)
    number = min(len(pushes), len(deals))
    cut = pushes[number] if len(pushes) > number else len(steps)
    done = steps[:cut].copy()
    cards = steps[deals[:number]] & np.uint32(CARD_MASK)
    done[pushes[:number]] = np.uint32(PUSHED << STEP_SHIFT) | cards
    moves = (kind[:cut] == FED) | (kind[:cut] == PUSHED)
    bins = (steps[:cut][moves] >> np.uint32(BIN_SHIFT) & np.uint32(0xFFF)).astype(np.int64)
    done = done[moves] & ~np.uint32(0xFFF << BIN_SHIFT)
    inside = np.cumsum((kind == FED).astype(np.int64) - (kind == DEALT))
    return done, bins, inside[deals[:number]] + 1


class ParticleCounter:
    """Bits told of each card of a whole history, by guesses that are kept while they fit."""

    def __init__(
        self, law: CarouselLaw, particles: int = PARTICLES, unsure: float = _UNSURE,
        misheard: float = _MISHEARD, seed: int = 1,
    ) -> None:  # fmt: skip
        if law.ejection != "single" or law.last_in_first_out:
            raise ValueError("a counter who simulates the machine follows single cards only")
        self._law, self._particles, self._seed = law, particles, seed
        self._unsure, self._misheard = unsure, misheard

    def bits(self, steps: Steps, sounds: Floats | None = None) -> Floats:
        """`sounds`: for each feed and push, how likely what was heard is for each turn."""
        law, particles = self._law, self._particles
        done, _, inside = in_order_of_the_mechanics(steps)
        shares = np.zeros(len(inside))
        warm_up = WARM_UP_PACKS * law.pack
        scored = _follow(
            done, np.zeros((1, law.bins)) if sounds is None else sounds, sounds is not None,
            np.random.Generator(np.random.PCG64(self._seed)), self._unsure, self._misheard,
            _FEWEST, warm_up, law.feeding, law.ejecting, law.pack,
            np.zeros((particles, law.pack, law.bins), dtype=np.float32),
            np.zeros((particles, law.bins)), np.zeros(particles, dtype=np.int64),
            np.full(particles, 1 / particles), shares,
        )  # fmt: skip
        result: Floats = np.log2(shares[:scored] * inside[warm_up : warm_up + scored])
        return result
