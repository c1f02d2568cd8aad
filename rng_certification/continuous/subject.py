"""A continuous shuffler's history as a subject to certify."""

from __future__ import annotations

from typing import Any

import numpy as np

from rng_certification.base.finding import Finding
from rng_certification.base.reading import UnusableDataError
from rng_certification.base.text_records import TextForm
from rng_certification.continuous.continuous_battery import LEAST_CARDS, ContinuousBattery
from rng_certification.continuous.law import REFERENCE_CARDS
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.step_lines import StepLines
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    CARD_MASK,
    DEALT,
    FED,
    PUSHED,
    ROUND,
    STEP_SHIFT,
    UNSEEN_BIN,
    Steps,
)


class ContinuousHistory:
    kind, unit, record = "steps", "cards", 4

    def __init__(self, settings: Settings, reference_cards: int = REFERENCE_CARDS) -> None:
        self.settings = settings
        self.text: TextForm = StepLines(settings.bins, settings.pack)
        self.battery = ContinuousBattery(settings, reference_cards)
        self._inside = np.zeros(settings.pack, dtype=np.bool_)

    def feed(self, piece: bytes, offset: int) -> None:
        steps = np.frombuffer(piece, dtype="<u4").astype(np.uint32, copy=False)
        self._require_possible(steps, offset)
        self.battery.feed(steps)

    def _require_possible(self, steps: Steps, offset: int) -> None:
        kind = steps >> np.uint32(STEP_SHIFT)
        card = steps & np.uint32(CARD_MASK)
        bin_ = steps >> np.uint32(BIN_SHIFT) & np.uint32(0xFFF)
        moves = (kind == FED) | (kind == DEALT)
        lies = (kind == FED) | (kind == PUSHED)
        wrong = (
            (kind < FED)
            | (kind > ROUND)
            | (moves & (card >= self.settings.pack))
            | (lies & (bin_ >= self.settings.bins) & (bin_ != UNSEEN_BIN))
        )
        if wrong.any():
            first = int(np.argmax(wrong))
            where = offset + 4 * first
            raise UnusableDataError(
                f"step {where // 4} is {steps[first]:#010x}, which is not a valid step", where
            )
        astray = self._astray(kind[moves], card[moves])
        if astray is not None:
            first = int(np.flatnonzero(moves)[astray])
            where = offset + 4 * first
            raise UnusableDataError(
                f"step {where // 4} feeds card {card[first]} twice, or deals it twice", where
            )

    def _astray(self, kinds: Steps, cards: Steps) -> int | None:
        """Return the first card that is fed while inside, or dealt while not inside."""
        order = np.argsort(cards, kind="stable")
        kinds, sorted_cards = kinds[order] == FED, cards[order]
        firsts = np.concatenate(([True], sorted_cards[1:] != sorted_cards[:-1]))[: len(order)]
        inside = np.concatenate(([False], kinds[:-1]))[: len(order)]
        inside[firsts] = self._inside[sorted_cards[firsts]]
        wrong = order[inside == kinds]
        lasts = np.concatenate((firsts[1:], [True]))[: len(order)]
        self._inside[sorted_cards[lasts]] = kinds[lasts]
        return int(wrong.min()) if len(wrong) else None

    def sample(self) -> int:
        return self.battery.cards

    def least(self) -> int:
        return LEAST_CARDS

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {
            "bins": self.settings.bins,
            "capacity": self.settings.capacity,
            "chute_low": self.settings.chute_low,
            "pack": self.settings.pack,
            **self.battery.figures(),
        }
