"""All tests of a continuous shuffler's history, fed in pieces, in fixed memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from rng_certification.base.compiled import Counts, Floats
from rng_certification.base.finding import Finding
from rng_certification.base.laws import never
from rng_certification.continuous import counter, law
from rng_certification.continuous.bin_choice import BinChoice
from rng_certification.continuous.counter import LearnedWeights, Prediction
from rng_certification.continuous.law import Law
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.steps import DEALT, STEP_SHIFT, Steps
from rng_certification.continuous.tally import FOLLOWER_CELLS, Tally

LEAST_CARDS = 10_000  # counted after the warm-up: GLI-19 requires 10,000 outcomes of a machine
SHOWN_GAPS = 80  # in the picture
DISTANCE_CELLS = 256  # with more, the distance would show the sampling error instead


class ContinuousBattery:
    """Feed steps (`steps.py`), then call `findings`, and after that `figures`.

    `reference_cards` is the number of cards that the reference machine deals: more cards give more
    sensitive tests.
    """

    def __init__(self, settings: Settings, reference_cards: int = law.REFERENCE_CARDS) -> None:
        self.settings = settings
        self._reference_cards = reference_cards
        self.tally = Tally(settings.pack)
        self.bins = BinChoice(settings)
        self._watched: list[Steps] = []
        self._watched_cards = 0
        self._law: Law | None = None
        self._known: LearnedWeights | None = None
        self._prediction: Prediction | None = None

    def feed(self, steps: Steps) -> None:
        self.tally.feed(steps)
        self.bins.feed(steps)
        if self._watched_cards < counter.MOST_WATCHED:
            self._watched.append(steps)
            self._watched_cards += int(np.count_nonzero(steps >> np.uint32(STEP_SHIFT) == DEALT))

    @property
    def cards(self) -> int:
        """The number of counted cards: those dealt after the warm-up."""
        return self.tally.counted

    def findings(self) -> list[Finding]:
        tally, cards = self.tally, self.cards
        if cards < LEAST_CARDS:
            reason = f"fewer than {LEAST_CARDS} cards after the first {tally.warm_up}"
            return [Finding.skip("gap/law", cards, "cards", reason)]
        lengths = tuple(int(length) for length in tally.round_lengths)
        reference = law.sample_law(self.settings, lengths, self._reference_cards)
        self._law = reference
        return [
            *_cells("gap", tally.gaps, cards, reference.gaps, law.GAP_CELLS),
            law.most_extreme(
                "gap/extreme-fine-cell",
                tally.gaps,
                cards,
                reference.gaps,
                law.fair_shares(reference.gaps, law.FINE_GAP_CELLS, cards),
            ),
            *_cells("followers", tally.followers, cards, reference.followers, len(FOLLOWER_CELLS)),
            *_cells("runs", tally.runs, cards, reference.runs, len(tally.runs)),
            *_cells(
                "first-card",
                tally.ranks,
                int(tally.ranks.sum()),
                reference.ranks,
                len(tally.ranks),
                "rounds",
            ),
            self._latency(),
            self._counted(lengths),
            *self.bins.findings(),
        ]

    def _latency(self) -> Finding:
        """A card cannot leave before the cards that were in the chute when it was fed."""
        early = int(self.tally.gaps[: self.settings.chute_low + 1].sum())
        return never("chute/latency", self.cards, "cards", early)

    def _counted(self, lengths: tuple[int, ...]) -> Finding:
        cards = min(counter.LEARNED_CARDS, self._reference_cards // 4)
        self._known = counter.learn(self.settings, lengths, cards)
        self._prediction = counter.predict(self.settings, self._known.weights, self._watched)
        return counter.matches_law(self._known, self._prediction)

    def figures(self) -> dict[str, Any]:
        """Return the figures for pictures, after `findings`; empty for too little data."""
        if self._law is None or self._prediction is None or self._known is None:
            return {}
        return {
            "gap_profile": self._gap_profile(self._law),
            "chute": self._chute(self._law),
            "counter": _counter_figures(self._prediction, self._known),
        }

    def _gap_profile(self, reference: Law) -> dict[str, Any]:
        """The law of this machine, and the law of an ideal one with the same latency and mean."""
        sampled = reference.gaps.mean
        mean = float(np.dot(sampled, np.arange(len(sampled))))
        ideal = law.ideal_gaps(self.settings.chute_low + 1, mean, len(sampled))
        edges = law.fair_shares(reference.gaps, SHOWN_GAPS, self.cards)
        fine = law.fair_shares(reference.gaps, DISTANCE_CELLS, reference.gaps.cards)
        observed = self.tally.gaps / self.cards
        return {
            "gap": edges.tolist(),
            "observed": np.add.reduceat(observed, edges).tolist(),
            "law": np.add.reduceat(sampled, edges).tolist(),
            "ideal": np.add.reduceat(ideal, edges).tolist(),
            "mean": float(np.dot(observed, np.arange(len(observed)))),
            "mean_law": mean,
            "cards": self.cards,
            "distance_to_ideal": _distance(sampled, ideal, fine),
            "distance_to_law": _distance(observed, sampled, fine),
            "distance_to_law_by_chance": _by_chance(
                np.add.reduceat(sampled, fine), self.cards, reference.gaps.cards
            ),
        }

    def _chute(self, reference: Law) -> dict[str, Any]:
        """The smallest number of cards between a discard's return and its next deal."""
        gaps = self.tally.gaps
        last = 3 * (self.settings.chute_low + self.settings.capacity)
        return {
            "bound": self.settings.chute_low + 1,
            "least": int(np.flatnonzero(gaps)[0]),
            "cards_between": list(range(last)),
            "observed": (gaps[:last] / self.cards).tolist(),
            "law": reference.gaps.mean[:last].tolist(),
        }


def _cells(
    name: str,
    seen: Counts,
    cards: int,
    sampled: law.SampledStatistic,
    most: int,
    unit: str = "cards",
) -> list[Finding]:
    edges = law.fair_shares(sampled, most, cards)
    return [
        law.compared(f"{name}/law", seen, cards, sampled, edges, unit),
        law.most_extreme(f"{name}/extreme-cell", seen, cards, sampled, edges, unit),
    ]


def _distance(one: Floats, other: Floats, edges: Counts) -> float:
    """Return the total variation of joined cells: a lower bound, little affected by chance."""
    return float(np.abs(np.add.reduceat(one - other, edges)).sum()) / 2


def _by_chance(chances: Floats, cards: int, reference_cards: int) -> float:
    """Return the approximate distance that sampling alone causes."""
    variance = chances * (1 - chances) * (1 / cards + 1 / reference_cards)
    return float(np.sqrt(2 / np.pi * variance).sum()) / 2


def _counter_figures(prediction: Prediction, known: LearnedWeights) -> dict[str, Any]:
    realised, error = prediction.realised()
    return {
        "cards": prediction.cards,
        "bits": prediction.bits,
        "bits_law": float(known.bits.mean()),
        "bits_ideal": prediction.bits_ideal,
        "bits_of_value": prediction.bits_of_value,
        "edge_deviation_percent": 100 * float(prediction.edges.std()),
        "edge_deviation_ideal_percent": 100 * float(prediction.edges_ideal.std()),
        "spread": counter.SPREAD,
        "house_edge_percent": 100 * counter.HOUSE_EDGE,
        "house_edge_counted_percent": 100 * prediction.house_edge(prediction.edges),
        "house_edge_counted_ideal_percent": 100 * prediction.house_edge(prediction.edges_ideal),
        "house_edge_realised_percent": 100 * realised,
        "house_edge_realised_error": 100 * error,
        "method": "One player against the dealer. A computer that saw every card dealt "
        "and returned predicts the chances of the values of the player's first "
        "card, the dealer's and the player's second before the wager; the "
        f"wager is {counter.SPREAD} units if this makes the round favourable, "
        "otherwise one; each card's worth by an exact game with an endless "
        "pack, no splits.",
    }
