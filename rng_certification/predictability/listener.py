"""A model of a listener who identifies the direction of each leg with a given probability.

`ear.direction_bits` is the limit for every listener. This is one model: it weights each leg by its
average worth, estimates the position of the wheel like `ear.py`, and has learned the worth of the
estimate. A listener that keeps all possible turns, instead of their mean, learns more; so the
verdict uses the limit, and this model shows how far below it a listener may be.
"""

from __future__ import annotations

import numpy as np

from cutcard.machines import Machine
from cutcard.machines.legs import ways
from rng_certification.base.compiled import Counts, Floats
from rng_certification.continuous.steps import Steps
from rng_certification.predictability.carousel import SimulatedCarousel
from rng_certification.predictability.ear import Hints, listen, turns_of
from rng_certification.predictability.figures import Effort, Figure, interval
from rng_certification.predictability.logit_counter import LogitCounter
from rng_certification.predictability.of_machine import law_of
from rng_certification.predictability.pupil import Pupil

LISTENER = "listener"


def heard_legs(
    turns: Counts, machine: Machine, right: float, random: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return the mean distance heard in each turn, in bins, and its variance."""
    legs = np.array(machine.legs) / 2  # in bins
    back = np.frombuffer(ways(machine.legs, machine.positions), dtype=np.uint8)[turns]
    signs = np.where(back[:, None] >> np.arange(len(legs)) & 1, -1.0, 1.0)
    heard_signs = np.where(random.random(signs.shape) < right, signs, -signs)
    sure = 2 * right - 1  # worth of a direction heard with this probability
    away: Floats = sure * (heard_signs @ legs)
    return away, np.full(len(turns), (1 - sure**2) * float(legs @ legs))


def bits_gained_by_ear(
    machine: Machine, pack: int, right: float, effort: Effort, seed: int = 1
) -> Figure:
    """Measure the bits that a listener gains over the logit counter."""
    law = law_of(machine, pack)
    weights = Pupil(law, seed, (), effort.learned).learned_from(effort.learned)
    learned = SimulatedCarousel(law, seed + 3).steps(effort.listened + 8 * pack)
    scored = SimulatedCarousel(law, seed + 4).steps(effort.listened // 2 + 8 * pack)

    def hints(steps: Steps, chance: int) -> Hints:
        turns = turns_of(steps, law.bins)
        heard = heard_legs(turns, machine, right, np.random.default_rng(chance))
        return listen(steps, pack, law.bins, *heard)

    pupil = LogitCounter(law, effort.listened, begun=weights)
    pupil.feed(learned, hints(learned, seed + 5))
    with_ears = LogitCounter(law, weights=pupil.learned()).feed(scored, hints(scored, seed + 6))
    without = LogitCounter(law, weights=weights).feed(scored)
    more, error = interval(with_ears - without)
    return Figure(LISTENER, more, error, len(with_ears), None)
