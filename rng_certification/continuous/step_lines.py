"""A history of a continuous shuffler in a simple text form, one line per step.

round               before the first card of each round
dealt CARD          numbers of cards in the pack, from 0
fed CARD [BIN]      the bin, from 0, if known
pushed CARDS BIN    the number of cards that left the bin for the chute, if known
"""

from __future__ import annotations

import struct

from rng_certification.base.reading import UnusableDataError
from rng_certification.base.text_records import LineRecords, is_number
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    DEALT,
    FED,
    PUSHED,
    ROUND,
    STEP_SHIFT,
    UNSEEN_BIN,
)

# Each step, with the least and the most numbers that follow it.
WORDS = {
    "fed": (FED, 1, 2),
    "pushed": (PUSHED, 2, 2),
    "dealt": (DEALT, 1, 1),
    "round": (ROUND, 0, 0),
}


class StepLines(LineRecords):
    """The steps of a machine with the given numbers of bins and cards."""

    def __init__(self, bins: int, pack: int) -> None:
        self._bins, self._pack = bins, pack

    def is_heading(self, words: list[str]) -> bool:
        return words[0] not in WORDS and not any(word.isdecimal() for word in words)

    def record(self, number: int, words: list[str]) -> bytes:
        if words[0] not in WORDS:
            raise UnusableDataError(
                f"line {number}: {words[0][:20]!r} is not a step; use fed, pushed, dealt or round"
            )
        step, least, most = WORDS[words[0]]
        if not least <= len(words) - 1 <= most:
            raise UnusableDataError(
                f"line {number}: {words[0]} with {len(words) - 1} numbers is not a valid step"
            )
        card = self._number(number, words[1], self._pack) if len(words) > 1 else 0
        bin_ = UNSEEN_BIN if step == FED else 0
        if len(words) > 2:
            bin_ = self._number(number, words[2], self._bins)
        return struct.pack("<I", step << STEP_SHIFT | bin_ << BIN_SHIFT | card)

    @staticmethod
    def _number(number: int, word: str, below: int) -> int:
        if not is_number(word) or int(word) >= below:
            raise UnusableDataError(
                f"line {number}: {word[:20]!r} is not a number from 0 to {below - 1}"
            )
        return int(word)
