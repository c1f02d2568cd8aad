"""A counter that learns on a simulated machine, and can be read at several stops."""

from __future__ import annotations

from rng_certification.base.compiled import Floats
from rng_certification.predictability.candidates import MachineInterior
from rng_certification.predictability.carousel import CarouselLaw, SimulatedCarousel
from rng_certification.predictability.logit_counter import NO_HINTS, LogitCounter

_PIECE = 16_384


class Pupil:
    """Weights learned from numbers of cards of one machine, extended on request.

    A larger number continues the learning. `stops` are all numbers of cards that may be requested.
    """

    def __init__(self, law: CarouselLaw, seed: int, lengths: tuple[int, ...], *stops: int) -> None:
        self.law, self.seed, self.lengths = law, seed, lengths
        self._stops = sorted(set(stops))
        self._counter = LogitCounter(law, *self._stops)
        self._machine, self._inside = SimulatedCarousel(law, seed, lengths), MachineInterior(law)
        self._learned: dict[int, Floats] = {}

    def learned_from(self, cards: int) -> Floats:
        """Return the weights after this many cards, one of the stops."""
        for place, stop in enumerate(self._stops):
            if stop <= cards and stop not in self._learned:
                self._go_on_to(stop)
                self._learned[stop] = self._counter.learned(place)
        return self._learned[cards]

    def _go_on_to(self, stop: int) -> None:
        while self._counter.dealt < stop:
            steps = self._machine.steps(_PIECE)
            self._counter.feed(steps, NO_HINTS, self._inside.candidates(steps))
