"""All rulebooks' irregularities in one place, so that each has registered itself."""

from __future__ import annotations

from cutcard.engine.irregularities import crown, new_zealand, singapore
from cutcard.engine.state import Round

_MODULES = (crown, new_zealand, singapore)


def of(round: Round) -> str:
    return round.book.name
