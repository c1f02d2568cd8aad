"""All rulebooks' irregularities in one place, so that each has registered itself."""

from __future__ import annotations

from cutcard.engine.irregularities import (
    british,
    crown,
    crown_jackpots,
    new_zealand,
    singapore,
    singapore_two_cards,
)
from cutcard.engine.state import Round

MODULES = (british, crown, crown_jackpots, new_zealand, singapore, singapore_two_cards)


def of(round: Round) -> str:
    return round.book.name
