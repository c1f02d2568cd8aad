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
_FINE = 16
_MISHEARD = 0.02  # of a card's place that stays open where the turn to its bin was heard

Shares = npt.NDArray[np.float32]


def _finely(weights: Floats, most: int) -> Shares:
    """Weights of loads that are means, in steps of a sixteenth, between those of whole loads.

    A mean may be more than fits: nothing makes sure that what is only likely adds up.
    """
    loads = np.arange(_FINE * (most + 3)) / _FINE
    fine: Shares = np.interp(loads, np.arange(len(weights)), weights).astype(np.float32)
    return fine


@compiled
def _drawn(random: np.random.Generator, weights: Shares) -> int:
    """A bin by these weights; the last one that has any where rounding leaves none."""
    total = 0.0
    for weight in weights:
        total += weight
    left = random.random() * total
    last = 0
    for b in range(len(weights)):
        if weights[b] > 0:
            last = b
            left -= weights[b]
            if left < 0:
                break
    return last


@compiled
def _firsts(
    lies: Shares, loads: Shares, order: Counts, inside: int, ejecting: Shares, sound: Shares,
    place: int, own: Shares, from_bin: Shares, open_: Shares, younger: Shares,
) -> float:  # fmt: skip
    """How likely each card is the next, in one guess; of the card at `place`, also from which bin.

    A card is the first of a bin if it lies there and no older one does.
    """
    bins = len(loads)
    total = np.float32(0)
    for b in range(bins):
        open_[b] = sound[b]
        younger[b] = (loads[b] + 0.01) * _FINE
    for i in range(inside):
        here = lies[order[i]]
        sum_ = np.float32(0)
        for b in range(bins):
            first = here[b] * open_[b]
            younger[b] -= here[b] * _FINE
            open_[b] -= first
            from_bin[b] = first * ejecting[max(int(younger[b]), 0) + _FINE]
            sum_ += from_bin[b]
        own[i] = sum_
        total += sum_
        if i == place:
            for b in range(bins):
                open_[bins + b] = from_bin[b]
    for b in range(bins):
        from_bin[b] = open_[bins + b]
    return total


@compiled
def _put_in(
    random: np.random.Generator, lies: Shares, loads: Shares, feeding: Shares, sound: Shares,
    hears: bool, misheard: float, at: int, weight: Shares,
) -> tuple[int, float]:  # fmt: skip
    """A card goes in: where it may lie. Gives the bin of the turn, and how likely its sound was."""
    bins = len(loads)
    total = np.float32(0)
    for b in range(bins):
        lies[b] = feeding[int(max(loads[b], 0) * _FINE)] + 1e-9
        total += lies[b]
    for b in range(bins):
        lies[b] /= total
    heard = 1.0
    if hears:
        heard = 0.0
        for b in range(bins):
            weight[b] = lies[b] * sound[b]
            heard += weight[b]
        at = _drawn(random, weight)
        for b in range(bins):
            lies[b] *= misheard
        lies[at] += 1 - misheard
    for b in range(bins):
        loads[b] += lies[b]
    return at, heard


@compiled
def _came_out(lies: Shares, loads: Shares, order: Counts, older: int, card: int, out: int) -> None:
    """The card was the first of bin `out`: no older card lies there."""
    bins = len(loads)
    for b in range(bins):
        loads[b] -= lies[card, b]
    for i in range(older):
        here = lies[order[i]]
        gone = here[out]
        if gone <= 0:
            continue
        certain = gone > 0.999999  # it was taken for certain, and is wrong: it may lie anywhere
        for b in range(bins):
            before = here[b]
            here[b] = 1.0 / bins if certain else before / (1 - gone)
            loads[b] += here[b] - before
        if not certain:
            loads[out] -= here[out]
            here[out] = 0.0


@compiled
def _multiply(
    random: np.random.Generator, fewest: float, weights: Floats, kept: Counts, lies: Shares,
    loads: Shares, at: Counts,
) -> None:  # fmt: skip
    """Draw the guesses anew by their weights once too few of them count."""
    particles = len(weights)
    alive = weights.sum()
    if alive <= 0:
        weights[:] = 1.0 / particles
        return
    weights /= alive
    if 1 / (weights * weights).sum() >= fewest * particles:
        return
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


@compiled
def _follow(
    steps: Steps, sounds: Shares, hears: bool, random: np.random.Generator, unsure: float,
    misheard: float, fewest: float, warm_up: int, feeding: Shares, ejecting: Shares, pack: int,
    lies: Shares, loads: Shares, at: Counts, weights: Floats, shares: Floats,
) -> int:  # fmt: skip
    """`steps` in the order of the mechanics, each push with its card. How many were scored.

    `lies[particle, card, bin]` is how likely the card lies there; `at` is the bin of the last turn.
    """
    particles, bins = loads.shape
    order = np.zeros(pack + 1, dtype=np.int64)
    chances = np.zeros(pack + 1)
    own = np.zeros(pack + 1, dtype=np.float32)
    kept = np.zeros(particles, dtype=np.int64)
    from_bin = np.zeros(bins, dtype=np.float32)
    open_ = np.zeros(2 * bins, dtype=np.float32)
    younger = np.zeros(bins, dtype=np.float32)
    sound = np.ones(bins, dtype=np.float32)
    inside = dealt = scored = 0
    for event in range(len(steps)):
        kind, card = steps[event] >> STEP_SHIFT, np.int64(steps[event] & CARD_MASK)
        place = everything = 0
        if kind != FED:
            while order[place] != card:
                place += 1
            chances[:] = 0.0
        everything = 0.0
        for p in range(particles):
            if hears:
                for b in range(bins):
                    sound[b] = sounds[event, (b - at[p]) % bins]
            if kind == FED:
                at[p], heard = _put_in(random, lies[p, card], loads[p], feeding, sound, hears,
                                       misheard, at[p], from_bin)  # fmt: skip
                weights[p] *= heard
                continue
            total = _firsts(lies[p], loads[p], order, inside, ejecting, sound, place, own,
                            from_bin, open_, younger)  # fmt: skip
            if total > 0:
                for i in range(inside):
                    chances[i] += weights[p] * own[i] / total
                everything += weights[p]
                weights[p] *= own[place] / total * (total if hears else 1.0)
            else:
                weights[p] = 0.0
            at[p] = _drawn(random, from_bin)
        if kind == FED:
            order[inside] = card
            inside += 1
            continue
        if dealt >= warm_up:
            share = chances[place] / everything if everything > 0 else 0.0
            shares[scored] = (1 - unsure) * share + unsure / inside
            scored += 1
        dealt += 1
        inside -= 1
        for i in range(place, inside):
            order[i] = order[i + 1]
        for p in range(particles):
            _came_out(lies[p], loads[p], order, place, card, at[p])
        _multiply(random, fewest, weights, kept, lies, loads, at)
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

    def bits(self, steps: Steps, sounds: Shares | None = None) -> Floats:
        """`sounds`: for each feed and push, how likely what was heard is for each turn."""
        law, particles = self._law, self._particles
        done, _, inside = in_order_of_the_mechanics(steps)
        shares = np.zeros(len(inside))
        warm_up = WARM_UP_PACKS * law.pack
        scored = _follow(
            done, np.zeros((1, law.bins), np.float32) if sounds is None else sounds, sounds is not None,
            np.random.Generator(np.random.PCG64(self._seed)), self._unsure, self._misheard,
            _FEWEST, warm_up, _finely(law.feeding, law.pack),
            _finely(law.ejecting, law.pack), law.pack,
            np.zeros((particles, law.pack, law.bins), dtype=np.float32),
            np.zeros((particles, law.bins), dtype=np.float32), np.zeros(particles, dtype=np.int64),
            np.full(particles, 1 / particles), shares,
        )  # fmt: skip
        result: Floats = np.log2(shares[:scored] * inside[warm_up : warm_up + scored])
        return result
