"""A listener at the table, with the start, the stop and the step rate of each motor.

A turn of the wheel takes the time of its distance, or a constant time at the pace of its distance.
Both reveal the number of bins between one card and the next, within the accuracy of hearing
(`Hearing`). A turn made of legs that are always the same reveals only their directions. The
listener has the machine file and sees the faces that go into the tray. The listener estimates the
position of the wheel from turn to turn. When a card comes out, the wheel is where it was when that
card went in, which corrects the estimate. For each card inside the result is a hint: the chance
that it is in the bin of the push that is dealt from, and the chance that older ones are. The
counter learns the worth of a hint (`logit_counter.py`).

The direction of the wheel counts as heard whenever the distance is. If the maker states that it is
hidden, no listener is modelled: the most that any listener could learn (`direction_bits`) follows
from the share of directions left open by the maker's own test (`share_heard_right`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

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

Hints = npt.NDArray[np.uint8]

UNHEARD = 1e6  # the variance of an inaudible turn
NOT_THERE = 0  # the hint for a card that was not in a bin at the push
_LIKELY, _OLDER = 20, 8  # classes: of the chance of the card, and of older cards
TURNS_OF_A_CARD = 2
# A difference between two sounds counts as just audible if listeners identify it three times in
# four: half way from guessing to certainty, as in forced-choice tests (Green and Swets, 1966).
JUST_HEARD = 0.75
_SURE = 0.95  # confidence that a tested drive reveals no more than its assumed worst case
HINTS = 1 + _LIKELY * _OLDER


@dataclass(frozen=True)
class Sound:
    """The audible part of a turn."""

    turn_ms: int = 0  # of every turn, for any distance; 0: `bin_ms` for each bin
    bin_ms: float = 12.0
    shorter_way: bool = True
    pace_heard: bool = True  # the pitch of the steps, if the time is constant
    rests_at_zero: bool = False  # a turn of no bins is silent
    legs: int = 0  # number of legs in every turn; 0: the turn is direct
    direction_heard: bool = True
    tested: tuple[int, ...] = ()  # legs in the maker's listening test, and right answers

    @property
    def hidden(self) -> bool:
        """Whether all turns sound the same except for their directions, and those are hidden."""
        return bool(self.legs) and not self.direction_heard


@dataclass(frozen=True)
class Hearing:
    """The accuracy of hearing: standard deviations of a time, and of a relative step rate.

    Also how often a listener identifies the direction of a hidden leg, if there was no test.
    """

    start_stop_ms: float = 3.0
    pace: float = 0.01
    direction: float = JUST_HEARD


def heard(
    turns: Counts, bins: int, sound: Sound, hearing: Hearing, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return, for each turn (its difference of places), the distance heard, and its variance."""
    away = np.where((turns > bins // 2) & sound.shorter_way, turns - bins, turns).astype(float)
    if sound.legs:
        error = np.zeros(len(turns))
    elif not sound.turn_ms:
        error = np.full(len(turns), hearing.start_stop_ms * np.sqrt(2) / sound.bin_ms)
    elif sound.pace_heard:
        error = np.abs(away) * hearing.pace
    else:
        silent = (away == 0) & sound.rests_at_zero
        return np.zeros(len(turns)), np.where(silent, 0.0, UNHEARD)
    return away + random.normal(0, 1, len(turns)) * error, error**2


def direction_bits(legs: int, right: float) -> float:
    """Return the most bits of a card that leg directions reveal, if a share `right` is guessed.

    A listener may be certain of some legs and guess the others, so the share alone limits each leg
    only to 2q - 1 bits: a leg guessed right with probability p reveals 1 - h(p), at most 2p - 1.
    A card goes in with one turn and comes out with another.
    """
    return TURNS_OF_A_CARD * legs * max(0.0, 2 * right - 1)


def share_heard_right(sound: Sound, hearing: Hearing) -> float:
    """Return the worst-case share of directions that a listener identifies correctly.

    The maker of the machine has declared the directions hidden. Returns the upper confidence limit
    of the maker's listening test, or `hearing.direction` if there was no test.
    """
    if not sound.tested:
        return hearing.direction
    legs, right = sound.tested
    worst = float(betaincinv(right + 1, legs - right, _SURE)) if right < legs else 1.0
    return max(worst, 0.5)


def turns_of(steps: Steps, bins: int) -> Counts:
    """Return the difference of each place from the one before, for every fed card and push."""
    kind = steps >> np.uint32(STEP_SHIFT)
    moves = steps[(kind == FED) | (kind == PUSHED)]
    places = (moves >> np.uint32(BIN_SHIFT) & np.uint32(0xFFF)).astype(np.int64)
    turns: Counts = np.diff(places, prepend=places[:1]) % bins
    return turns


@compiled
def _same_place(apart: float, variance: float, bins: int) -> float:
    """Return the chance that two places are equal, given their estimated distance and variance."""
    if variance > bins * bins:
        return 1.0 / bins
    spread = max(variance, 1e-4)
    away = (apart + bins / 2) % bins - bins / 2
    nearest = abs(away - round(away))
    total = 0.0
    for other in range(-bins // 2, bins // 2 + 1):
        total += np.exp((nearest**2 - (away - other) ** 2) / (2 * spread))
    return float(np.exp((nearest**2 - away**2) / (2 * spread)) / total)


@compiled
def _set_right(known: Floats, place: Floats, card: int, bins: int, gain: Floats) -> None:
    """Correct the estimate, because the wheel is where it was when this card went in.

    This is Kalman's update of all places. `known` is the covariance of the places of all cards and,
    last, of the wheel.
    """
    wheel = len(place) - 1
    variance = known[card, card] + known[wheel, wheel] - 2 * known[card, wheel] + 1e-4
    apart = (place[card] - place[wheel] + bins / 2) % bins - bins / 2
    for i in range(wheel + 1):
        gain[i] = (known[i, wheel] - known[i, card]) / variance
    for i in range(wheel + 1):
        place[i] += gain[i] * apart
        for j in range(wheel + 1):
            known[i, j] -= gain[i] * gain[j] * variance


@compiled
def _listen(
    steps: Steps, away: Floats, variances: Floats, pack: int, bins: int, most_likely: int,
    most_older: int, hints: Hints,
) -> None:  # fmt: skip
    """Write a row of `hints` for each dealt card."""
    order = np.zeros(pack + 1, dtype=np.int64)  # in bins, in the order of entry
    place = np.zeros(pack + 1)
    known = np.zeros((pack + 1, pack + 1))
    gain = np.zeros(pack + 1)
    dealt = np.zeros(len(hints), dtype=np.int64)
    wheel = pack
    number = 0
    for step in steps:
        if step >> STEP_SHIFT == DEALT:
            dealt[number] = step & CARD_MASK
            number += 1
    inside = event = shown = 0
    for step in steps:
        kind, card = step >> STEP_SHIFT, np.int64(step & CARD_MASK)
        if kind != FED and kind != PUSHED:
            continue
        place[wheel] += away[event]
        known[wheel, wheel] += variances[event]
        event += 1
        if kind == FED:
            place[card] = place[wheel]
            known[card] = known[wheel]
            known[:, card] = known[:, wheel]
            known[card, card] = known[wheel, wheel]
            order[inside] = card
            inside += 1
            continue
        for _ in range(card):
            if shown == number:
                return
            older = 0.0
            for i in range(inside):
                one = order[i]
                variance = known[one, one] + known[wheel, wheel] - 2 * known[one, wheel]
                chance = _same_place(place[wheel] - place[one], variance, bins)
                level = int((np.log2(chance * bins + 1e-3) + 10) / 16 * most_likely)
                level = min(max(level, 0), most_likely - 1)
                hints[shown, one] = 1 + level * most_older + min(int(2 * older), most_older - 1)
                older += chance
            out = dealt[shown]
            shown += 1
            _set_right(known, place, out, bins, gain)
            i = 0
            while order[i] != out:
                i += 1
            inside -= 1
            for j in range(i, inside):
                order[j] = order[j + 1]


def listen(steps: Steps, pack: int, bins: int, away: Floats, variances: Floats) -> Hints:
    """Return the hint of each card at each deal of a history that begins with an empty machine."""
    deals = int(np.count_nonzero(steps >> np.uint32(STEP_SHIFT) == DEALT))
    hints = np.zeros((deals, pack), dtype=np.uint8)
    _listen(steps, away, variances, pack, bins, _LIKELY, _OLDER, hints)
    return hints
