"""What a listener and a counter are told, on simulated machines that a test has time for."""

from __future__ import annotations

import numpy as np

from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import UNHEARD, Hearing, Sound, heard, listen, turns_of
from rng_certification.predictability.logit_counter import LogitCounter

SMALL = CarouselLaw(12, 6, 3, 48, "single")
CARDS = 6_000


def _bits(law: CarouselLaw, sound: Sound | None) -> float:
    """Of the counter who weighs waiting times and neighbours, with ears or without."""

    def hints(steps: np.ndarray, seed: int) -> np.ndarray:
        if sound is None:
            return np.zeros((0, 1), dtype=np.uint8)
        turns = turns_of(steps, law.bins)
        away = heard(turns, law.bins, sound, Hearing(), np.random.default_rng(seed))
        return listen(steps, law.pack, law.bins, *away)

    learned = SimulatedCarousel(law, 1).steps(CARDS)
    scored = SimulatedCarousel(law, 2).steps(CARDS)
    pupil = LogitCounter(law, CARDS)
    pupil.feed(learned, hints(learned, 3))
    counter = LogitCounter(law, weights=pupil.learned())
    return float(counter.feed(scored, hints(scored, 4)).mean())


def test_turns_of_constant_time_tell_a_listener_nothing_by_their_length() -> None:
    constant = Sound(turn_ms=260, pace_heard=False)
    turns = np.arange(SMALL.bins)
    away, variance = heard(turns, SMALL.bins, constant, Hearing(), np.random.default_rng(1))
    assert not away.any() and (variance == UNHEARD).all()
    without_ears = _bits(SMALL, None)
    assert abs(_bits(SMALL, constant) - without_ears) < 0.05
    assert _bits(SMALL, Sound(turn_ms=0)) > without_ears + 2


def test_single_cards_by_weights_tell_a_counter_little() -> None:
    """The whole bin tells several times as much; figures of real machines are the certificate's."""
    weights = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0)
    single = CarouselLaw(12, 6, 3, 48, "single", weights, weights)
    assert _bits(single, None) < _bits(CarouselLaw(12, 6, 3, 48), None) / 2
