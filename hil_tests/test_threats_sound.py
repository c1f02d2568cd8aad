"""What a listener and a counter are told, on simulated machines that a test has time for."""

from __future__ import annotations

import numpy as np

from rng_certification.continuous.steps import Steps
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.ear import (
    UNHEARD,
    Hearing,
    Hints,
    Sound,
    heard,
    listen,
    turns_of,
)
from rng_certification.predictability.logit_counter import LogitCounter

SMALL = CarouselLaw(12, 6, 3, 48, "single")
CARDS = 50_000


def _counter_without_ears(law: CarouselLaw) -> LogitCounter:
    pupil = LogitCounter(law, CARDS)
    pupil.feed(SimulatedCarousel(law, 1).steps(CARDS))
    return LogitCounter(law, weights=pupil.learned())


def _bits(law: CarouselLaw, sound: Sound | None = None) -> float:
    """Of the counter who weighs waiting times and neighbours, with ears or without."""
    counter = _counter_without_ears(law)
    scored = SimulatedCarousel(law, 2).steps(CARDS // 2)
    if sound is None:
        return float(counter.feed(scored).mean())
    learned = SimulatedCarousel(law, 3).steps(CARDS)
    pupil = LogitCounter(law, CARDS, begun=counter.learned())
    pupil.feed(learned, _hints(law, learned, sound, 4))
    ear = LogitCounter(law, weights=pupil.learned())
    return float(ear.feed(scored, _hints(law, scored, sound, 5)).mean())


def _hints(law: CarouselLaw, steps: Steps, sound: Sound, seed: int) -> Hints:
    turns = turns_of(steps, law.bins)
    away = heard(turns, law.bins, sound, Hearing(), np.random.default_rng(seed))
    return listen(steps, law.pack, law.bins, *away)


def test_turns_of_constant_time_tell_a_listener_nothing_by_their_length() -> None:
    constant = Sound(turn_ms=260, pace_heard=False)
    turns = np.arange(SMALL.bins)
    away, variance = heard(turns, SMALL.bins, constant, Hearing(), np.random.default_rng(1))
    assert not away.any()
    assert (variance == UNHEARD).all()
    without_ears = _bits(SMALL)
    assert abs(_bits(SMALL, constant) - without_ears) < 0.05
    assert _bits(SMALL, Sound(turn_ms=0)) > without_ears + 2


def test_single_cards_by_weights_tell_a_counter_little() -> None:
    """The whole bin tells several times as much; figures of real machines are the certificate's."""
    weights = (32.0, 16.0, 8.0, 4.0, 2.0, 1.0)
    single = CarouselLaw(12, 6, 3, 48, "single", weights, weights)
    assert _bits(single) < _bits(CarouselLaw(12, 6, 3, 48)) / 2
