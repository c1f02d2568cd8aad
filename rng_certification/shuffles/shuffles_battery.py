"""All tests of shuffles, fed in chunks, in fixed memory."""

from __future__ import annotations

from math import factorial

import numpy as np

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Counts, Decks, Floats
from rng_certification.base.finding import Finding
from rng_certification.base.laws import binomial, chi_square, normal
from rng_certification.base.repeats import Repeats
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.shuffles import exact_laws, figures
from rng_certification.shuffles.moves import CardMoves
from rng_certification.shuffles.oracles import distance_seen
from rng_certification.shuffles.tables import Tables

HAND = 5
SUCCESSIVE = 4  # each shuffle is compared with the four before it
_COLUMN = {name: i for i, name in enumerate(figures.NAMES)}


class OrderHistograms:
    """Histograms of the figures of many orders, against their exact laws."""

    def __init__(self, cards: int, names: tuple[str, ...]) -> None:
        self.cards = cards
        self.counts = {name: np.zeros(cards + 2, dtype=np.int64) for name in names}
        self.correlation = 0.0
        self.orders = 0

    def feed(self, decks: Decks) -> None:
        rows = figures.figures_of(decks)
        for name, counts in self.counts.items():
            counts += np.bincount(rows[:, _COLUMN[name]], minlength=self.cards + 2)
        mean = self.cards * ((self.cards - 1) / 2) ** 2
        self.correlation += float(np.sum(rows[:, _COLUMN["rank-correlation"]] - mean))
        self.orders += len(decks)

    def findings(self, prefix: str = "") -> list[Finding]:
        found = [self._finding(prefix + name, name) for name in self.counts]
        # Spearman's coefficient has variance 1/(n-1) in a fair pack
        spread = self.cards * (self.cards**2 - 1) / 12
        z = self.correlation / spread * np.sqrt((self.cards - 1) / self.orders)
        scale = (self.orders * (self.cards - 1)) ** -0.5
        name = f"{prefix}rank-correlation"
        found.append(normal(name, self.orders, "shuffles", z, scale, "correlation coefficient"))
        return found

    def _finding(self, title: str, name: str) -> Finding:
        counts = self.counts[name]
        if name == "odd":
            return binomial(title, "shuffles", int(counts[1]), self.orders, 0.5)
        counts, law = aligned(counts, law_of(name, self.cards))
        return chi_square(title, "shuffles", counts, law)


def law_of(name: str, cards: int) -> Floats:
    """Return the law of a figure in a fair pack: the chances of 0, 1, 2 and so on."""
    if name == "descents":
        return exact_laws.descents(cards)
    if name == "rising-sequences":
        return np.concatenate(([0.0], exact_laws.descents(cards)))
    if name.startswith(("valleys", "peaks")):
        return exact_laws.valleys(cards)
    if name in ("cycles", "guesses"):
        return exact_laws.cycles(cards)
    if name == "fixed-points":
        return exact_laws.fixed_points(cards)
    if name.endswith("successions"):
        return exact_laws.successions(cards)
    red = cards // 2 if name == "colour-changes" else cards - cards // 2
    return exact_laws.colour_changes(cards, red)


def aligned(counts: Counts, law: Floats) -> tuple[Counts, Floats]:
    """Return counts and law with equal length; the last cell has all larger counts."""
    together = counts[: len(law)].copy()
    together[-1] += counts[len(law) :].sum()
    return together, law


class FirstHands:
    """Tests of the lowest and the highest of the first five cards."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.lowest = np.zeros(cards, dtype=np.int64)
        self.highest = np.zeros(cards, dtype=np.int64)

    def feed(self, decks: Decks) -> None:
        hands = decks[:, :HAND].astype(np.int64)
        self.lowest += np.bincount(hands.min(axis=1), minlength=self.cards)
        self.highest += np.bincount(hands.max(axis=1), minlength=self.cards)

    def findings(self) -> list[Finding]:
        law = exact_laws.smallest_of(self.cards, min(HAND, self.cards))
        return [
            chi_square("order-statistic/lowest", "shuffles", self.lowest, law),
            chi_square("order-statistic/highest", "shuffles", self.highest[::-1], law),
        ]


class FirstCards:
    """Tests of the first card of each shuffle, as a draw from n."""

    def __init__(self, cards: int) -> None:
        self.battery = DrawsBattery(cards, "first-card/")
        self.chunks = Rechunked(CHUNK)

    def feed(self, decks: Decks) -> None:
        for chunk in self.chunks.feed(decks[:, 0].astype(np.uint32)):
            self.battery.feed(chunk)

    def findings(self) -> list[Finding]:
        rest = self.chunks.rest()
        if len(rest):
            self.battery.feed(rest)
        return self.battery.findings()


class ShufflesBattery:
    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.shuffles = 0
        self.tables = Tables(cards)
        self.figures = OrderHistograms(
            cards, tuple(n for n in figures.NAMES if n != "rank-correlation")
        )
        self.moves = {
            lag: OrderHistograms(
                cards, ("fixed-points", "cycles", "descents", "valleys", "successions")
            )
            for lag in range(1, SUCCESSIVE + 1)
        }
        self.places = {lag: CardMoves(cards) for lag in range(1, SUCCESSIVE + 1)}
        self.hands = FirstHands(cards)
        self.first_cards = FirstCards(cards)
        self.repeats = Repeats()
        self.history = np.empty((0, cards), dtype=np.uint16)

    def feed(self, decks: Decks) -> None:
        self.tables.feed(decks)
        self.figures.feed(decks)
        self.hands.feed(decks)
        self.first_cards.feed(decks)
        self.repeats.feed_records(decks)
        joined = np.concatenate((self.history, decks))
        for lag, moves in self.moves.items():
            later = joined[max(lag, len(self.history)) :]
            earlier = joined[max(lag, len(self.history)) - lag : len(joined) - lag]
            if len(later):
                moved = figures.compose(earlier, later)
                moves.feed(moved)
                self.places[lag].feed(moved)
        self.history = joined[-SUCCESSIVE:]
        self.shuffles += len(decks)

    def findings(self) -> list[Finding]:
        found = [*self.tables.findings(), *self.figures.findings(), *self.hands.findings()]
        for lag, moves in self.moves.items():
            if moves.orders:
                found += moves.findings(f"successive/{lag}-before/")
                found += self.places[lag].findings(f"successive/{lag}-before/")
        orders = float(factorial(min(self.cards, 100)))
        found.append(self.repeats.finding("duplicates", "shuffles", orders))
        return found + self.first_cards.findings()

    def distances(self) -> dict[str, dict[str, float]]:
        """Return lower bounds of the distance to uniform, and their means by chance alone.

        They use the figures that determine the distance for shelves and riffles.
        """
        result = {}
        for name in ("valleys", "peaks", "rising-sequences"):
            counts, law = aligned(self.figures.counts[name], law_of(name, self.cards))
            seen, by_chance = distance_seen(counts, law)
            result[name] = {"seen": seen, "by_chance": by_chance}
        return result
