"""All tests of raw bits: SP 800-22 by sequences, tests of the stream, and its bytes as draws."""

from __future__ import annotations

import numpy as np

from rng_certification.base.chunks import Rechunked
from rng_certification.base.compiled import Bytes
from rng_certification.base.finding import Finding
from rng_certification.bits.far_lags import FarBitLags
from rng_certification.bits.periods import BitLags, BitPeriods
from rng_certification.bits.stretches import Blocks, LongestRun
from rng_certification.bits.weights import Weights
from rng_certification.bits.words import FirstWords
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.draws.sums_of_bits import SumsOfBits
from rng_certification.sp800_22.planes import Planes
from rng_certification.sp800_22.second_level import SEQUENCE_BITS, SecondLevel
from rng_certification.sp800_22.sequence import BitSequence

PIECE = 1 << 20  # a multiple of every tested block and period


class BitsBattery:
    """Feed bytes in pieces of any size."""

    def __init__(self) -> None:
        self.second_level = SecondLevel()
        self.longest_run, self.blocks = LongestRun(), Blocks()
        self.lags, self.periods, self.planes = BitLags(), BitPeriods(), Planes()
        self.far_lags, self.weights, self.words = FarBitLags(), Weights(), FirstWords()
        self.sums = SumsOfBits(1 << 16)
        self.as_draws = DrawsBattery(256, "bytes/", of_bits=True)
        self.bytes = 0
        self._by_sequence = Rechunked(SEQUENCE_BITS // 8)
        self._by_piece = Rechunked(PIECE)
        self._by_chunk = Rechunked(CHUNK)

    def feed(self, data: Bytes) -> None:
        self.bytes += len(data)
        for sequence in self._by_sequence.feed(data):
            self.second_level.add(BitSequence.of(sequence))
        for piece in self._by_piece.feed(data):
            self._stream(piece)
        for chunk in self._by_chunk.feed(data):
            self._chunk(chunk)

    def findings(self) -> list[Finding]:
        self._stream(self._by_piece.rest())
        rest = self._by_chunk.rest()
        if len(rest):
            self._chunk(rest)
        found = self.second_level.findings()
        for test in (
            self.longest_run,
            self.blocks,
            self.lags,
            self.far_lags,
            self.periods,
            self.planes,
            self.weights,
            self.words,
        ):
            found += test.findings()
        found += [each.named(f"words/16-bits/{each.name}") for each in self.sums.findings()]
        return found + self.as_draws.findings()

    def _stream(self, data: Bytes) -> None:
        if not len(data):
            return
        words = data[: len(data) // 8 * 8].view(">u8").astype(np.uint64)
        self.longest_run.feed(data)
        self.blocks.feed(words)
        self.lags.feed(words)
        self.far_lags.feed(data)
        self.weights.feed(words)
        self.words.feed(data)
        self.sums.feed(words.astype(">u8").view(">u2").astype(np.uint32))
        self.periods.feed(data)
        self.planes.feed(words)

    def _chunk(self, data: Bytes) -> None:
        self.as_draws.feed(data.astype(np.uint32))
