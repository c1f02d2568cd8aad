"""A counter that simulates the machine: many guesses of its state, kept while they fit.

A guess (particle) is a machine with the bin of each card that came out, and for each card inside
its chance to be in each bin. A card that goes in has the law's chance for every bin. A card that
comes out was the first of its bin, so no older card is there. Each guess draws that bin at random.
Guesses that gave the card a high chance are multiplied, and the others are removed.

Except for this, the cards of one bin are treated as independent, a simplification that can only
weaken the counter. The chute only delays: the card of a push is seen some cards later, and
everything is computed for the moment of that push. For machines that push single cards.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Counts, Decks, Floats, compiled, whole
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
from rng_certification.predictability.candidates import (
    NOT_INSIDE,
    Candidates,
    MachineInterior,
    Shares,
)
from rng_certification.predictability.carousel import CarouselLaw
from rng_certification.predictability.logit_counter import NO_DEALS

Loads = npt.NDArray[np.uint32]  # in sixteenths of a card
PARTICLES = 8
_FEWEST = 0.5  # share of effective guesses below which they are drawn again
_UNSURE = 0.05  # share of each prediction that is spread over all cards
_FINE = 16

_SINGLE_ONLY = "the counter that simulates the machine needs single cards in order of entry"


def _finely(weights: Floats, most: int) -> Shares:
    """Return weights for mean loads, in steps of a sixteenth, between those of integer loads.

    A mean load may exceed the capacity, because the chances are not forced to add up.
    """
    loads = np.arange(_FINE * (most + 3)) / _FINE
    fine: Shares = np.interp(loads, np.arange(len(weights)), weights).astype(np.float32)
    return fine


@compiled
def _drawn(random: np.random.Generator, weights: Shares) -> int:
    """Draw a bin by these weights; the last one with a weight if rounding leaves none."""
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
    lies: Shares, loads: Shares, order: Counts, inside: int, ejecting: Shares, place: int,
    own: Shares, from_bin: Shares, open_: Shares, younger: Shares, firsts: Shares, behind: Loads,
) -> float:  # fmt: skip
    """Return each card's chance to be next, in one guess; for the card at `place`, also by bin.

    A card is the first of a bin if it is there and no older one is. Four cards are summed in
    parallel, each in the order of the bins, because a single sum would wait for its last addition.
    After the cards inside, `order` has three padding entries.
    """
    bins = len(loads)
    for b in range(bins):
        open_[b] = 1.0
        younger[b] = (loads[b] + 0.01) * _FINE
    for i in range(0, inside, 4):
        for j in range(4):
            card = order[i + j]
            for b in range(bins):
                here = lies[card, b]
                first = here * open_[b]
                firsts[j, b] = first
                left = open_[b] - first
                open_[b] = left if left > 0 else np.float32(0)  # rounding must not make it negative
                younger[b] -= here * np.float32(_FINE)
                load = np.int32(younger[b])
                behind[j, b] = (load if load > 0 else np.int32(0)) + _FINE
        one = two = three = four = np.float32(0)
        for b in range(bins):
            one += firsts[0, b] * ejecting[behind[0, b]]
            two += firsts[1, b] * ejecting[behind[1, b]]
            three += firsts[2, b] * ejecting[behind[2, b]]
            four += firsts[3, b] * ejecting[behind[3, b]]
        own[i], own[i + 1], own[i + 2], own[i + 3] = one, two, three, four
        if i <= place < i + 4:
            for b in range(bins):
                from_bin[b] = firsts[place - i, b] * ejecting[behind[place - i, b]]
    total = np.float32(0)
    for i in range(inside):
        total += own[i]
    return float(total)


@compiled
def _put_in(lies: Shares, loads: Shares, feeding: Shares) -> None:
    """Add a card: set its chance to be in each bin."""
    bins = len(loads)
    total = np.float32(0)
    for b in range(bins):
        lies[b] = feeding[int(max(loads[b], 0) * _FINE)] + 1e-9
        total += lies[b]
    for b in range(bins):
        lies[b] /= total
        loads[b] += lies[b]


@compiled
def _came_out(lies: Shares, loads: Shares, order: Counts, older: int, card: int, out: int) -> None:
    """Remove the card, which was the first of bin `out`: no older card is there."""
    bins = len(loads)
    for b in range(bins):
        loads[b] -= lies[card, b]
    for i in range(older):
        other = order[i]
        gone = lies[other, out]
        if gone <= 0:
            continue
        if gone > 0.999999:  # the guess was certain and wrong: the card may be in any bin
            for b in range(bins):
                loads[b] += np.float32(1.0 / bins) - lies[other, b]
                lies[other, b] = 1.0 / bins
            continue
        for b in range(bins):
            before = lies[other, b]
            lies[other, b] = before / (1 - gone)
            loads[b] += lies[other, b] - before
        loads[out] -= lies[other, out]
        lies[other, out] = 0.0


@compiled
def _multiply(
    random: np.random.Generator, fewest: float, weights: Floats, kept: Counts, lies: Shares,
    loads: Shares,
) -> None:  # fmt: skip
    """Draw the guesses again by their weights if too few of them are effective."""
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
            kept[free] = 1
            kept[p] -= 1
    weights[:] = 1.0 / particles


@compiled
def _follow(
    steps: Steps, random: np.random.Generator, unsure: float, fewest: float, warm_up: int,
    feeding: Shares, ejecting: Shares, pack: int, lies: Shares, loads: Shares, weights: Floats,
    candidates: Decks, likely: Floats, asked: Counts, next_card: Shares,
) -> int:  # fmt: skip
    """Follow `steps` in the order of the mechanics, each push with its card; return the number of
    scored cards.

    `lies[particle, card, bin]` is the chance that the card is in that bin. `likely` receives the
    chance of each candidate; `next_card` a row for each deal in `asked`: the chance of each card.
    """
    particles, bins = loads.shape
    order = np.zeros(pack + 4, dtype=np.int64)
    chances = np.zeros(pack + 1)
    own = np.zeros(pack + 4, dtype=np.float32)
    kept = np.zeros(particles, dtype=np.int64)
    from_bin = np.zeros(bins, dtype=np.float32)
    open_ = np.zeros(bins, dtype=np.float32)
    firsts = np.zeros((4, bins), dtype=np.float32)
    behind = np.zeros((4, bins), dtype=np.uint32)
    younger = np.zeros(bins, dtype=np.float32)
    out = np.zeros(particles, dtype=np.int64)
    places = np.zeros(pack, dtype=np.int64)
    inside = dealt = scored = answered = 0
    for event in range(len(steps)):
        kind, card = steps[event] >> STEP_SHIFT, whole(steps[event] & CARD_MASK)
        if kind == FED:
            for p in range(particles):
                _put_in(lies[p, card], loads[p], feeding)
            order[inside] = card
            inside += 1
            continue
        place = 0
        while order[place] != card:
            place += 1
        chances[:] = 0.0
        everything = 0.0
        for p in range(particles):
            total = _firsts(lies[p], loads[p], order, inside, ejecting, place, own, from_bin,
                            open_, younger, firsts, behind)  # fmt: skip
            if total > 0:
                for i in range(inside):
                    chances[i] += weights[p] * own[i] / total
                everything += weights[p]
                weights[p] *= own[place] / total
            else:
                weights[p] = 0.0
            out[p] = _drawn(random, from_bin)
        if dealt >= warm_up:
            places[:] = -1
            for i in range(inside):
                places[order[i]] = i
            for c in range(candidates.shape[1]):
                i = places[candidates[dealt, c]]
                if i >= 0:
                    share = max(chances[i], 0.0) / max(everything, 1e-300)
                    likely[scored, c] = (1 - unsure) * share + unsure / inside
            if answered < len(asked) and asked[answered] == dealt:
                for i in range(inside):
                    share = max(chances[i], 0.0) / max(everything, 1e-300)
                    next_card[answered, order[i]] = (1 - unsure) * share + unsure / inside
                answered += 1
            scored += 1
        dealt += 1
        inside -= 1
        for i in range(place, inside):
            order[i] = order[i + 1]
        for p in range(particles):
            _came_out(lies[p], loads[p], order, place, card, out[p])
        _multiply(random, fewest, weights, kept, lies, loads)
    return scored


def in_order_of_the_mechanics(steps: Steps) -> tuple[Steps, Counts]:
    """Return feeds, and pushes with the card of each; and for each push the cards inside at its
    deal.

    Pushes with a card that is not dealt yet, and all steps after the first of them, are omitted.
    """
    kind = steps >> np.uint32(STEP_SHIFT)
    pushes = np.flatnonzero(kind == PUSHED)
    if (steps[pushes] & np.uint32(CARD_MASK) != 1).any():
        raise ValueError(_SINGLE_ONLY)
    deals = np.flatnonzero(kind == DEALT)
    number = min(len(pushes), len(deals))
    cut = pushes[number] if len(pushes) > number else len(steps)
    done = steps[:cut].copy()
    cards = steps[deals[:number]] & np.uint32(CARD_MASK)
    done[pushes[:number]] = np.uint32(PUSHED << STEP_SHIFT) | cards
    moves = (kind[:cut] == FED) | (kind[:cut] == PUSHED)
    inside = np.cumsum((kind == FED).astype(np.int64) - (kind == DEALT))
    return done[moves] & ~np.uint32(0xFFF << BIN_SHIFT), inside[deals[:number]] + 1


class ParticleCounter:
    """Score each card of a complete history, by guesses that are kept while they fit."""

    def __init__(
        self,
        law: CarouselLaw,
        particles: int = PARTICLES,
        unsure: float = _UNSURE,
        seed: int = 1,
    ) -> None:
        if not law.one_by_one:
            raise ValueError(_SINGLE_ONLY)
        self._law, self._particles, self._seed = law, particles, seed
        self._unsure = unsure

    def bits(self, steps: Steps) -> Floats:
        candidates = MachineInterior(self._law).candidates(steps)
        leaked = self.bits_leaked(steps, candidates)
        return candidates.of_the_first(WARM_UP_PACKS * self._law.pack + len(leaked)).mean(leaked)

    def bits_leaked(self, steps: Steps, candidates: Candidates) -> Floats:
        """Return the bits by candidate, with a row for each scored card."""
        return self.scored(steps, candidates, NO_DEALS)[0]

    def scored(self, steps: Steps, candidates: Candidates, asked: Counts) -> tuple[Floats, Shares]:
        """Return `bits_leaked`, and the chance of each card of the pack before the deals `asked`.

        A deal has no row, and chances of 0, if its push came after the first unanswered push of
        the history.
        """
        law, particles = self._law, self._particles
        done, inside = in_order_of_the_mechanics(steps)
        likely = np.full((len(inside), candidates.cards.shape[1]), 2.0**NOT_INSIDE)
        warm_up = WARM_UP_PACKS * law.pack
        next_card = np.zeros((len(asked), law.pack), dtype=np.float32)
        scored = _follow(
            done,
            np.random.Generator(np.random.PCG64(self._seed)),
            self._unsure,
            _FEWEST,
            warm_up,
            _finely(law.feeding, law.pack),
            _finely(law.ejecting, law.pack),
            law.pack,
            np.zeros((particles, law.pack, law.bins), dtype=np.float32),
            np.zeros((particles, law.bins), dtype=np.float32),
            np.full(particles, 1 / particles),
            candidates.cards,
            likely,
            asked,
            next_card,
        )
        leaked: Floats = np.log2(likely[:scored] * inside[warm_up : warm_up + scored, None])
        return leaked, next_card
