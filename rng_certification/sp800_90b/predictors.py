"""The four predictors of SP 800-90B, each guessing every sample from those before it.

Each is a small committee: the member with the most right guesses so far makes the guess.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rng_certification.base.compiled import Bytes, Counts, compiled, whole
from rng_certification.sp800_90b.estimate import EntropyEstimate
from rng_certification.sp800_90b.prediction import PredictionHits, predicted
from rng_certification.sp800_90b.repeats import Places

MULTI_MCW = "multi-most-common-in-window"
LAG = "lag"
MULTI_MMC = "multi-markov-model"
LZ78Y = "lz78y"

WINDOWS = np.array((63, 255, 1023, 4095))
LAGS = 128
DEPTH = 16
MARKOV_ENTRIES = 100_000
DICTIONARY = 65_536

Numbers = npt.NDArray[np.int32]


def multi_most_common_in_window(
    symbols: Bytes, alphabet: int, windows: Counts = WINDOWS
) -> EntropyEstimate:
    if len(symbols) <= windows[0] + 1:
        return EntropyEstimate.skip(MULTI_MCW, f"needs {windows[0] + 2} samples")
    return predicted(MULTI_MCW, PredictionHits(*_in_windows(symbols, alphabet, windows)), alphabet)


@compiled
def _in_windows(symbols: Bytes, alphabet: int, windows: Counts) -> tuple[int, int, int]:
    """Guess the most common of the last samples; among equals, the most recent."""
    size = len(symbols)
    counts = np.zeros((len(windows), alphabet), dtype=np.int64)
    last = np.full(alphabet, -1, dtype=np.int64)
    modes = np.zeros(len(windows), dtype=np.int64)
    scores = np.zeros(len(windows), dtype=np.int64)
    winner = correct = run = longest = 0
    for place in range(size):
        symbol = symbols[place]
        if place >= windows[0]:
            if place >= windows[winner] and modes[winner] == symbol:
                correct += 1
                run += 1
                longest = max(longest, run)
            else:
                run = 0
            for k in range(len(windows)):
                if place >= windows[k] and modes[k] == symbol:
                    scores[k] += 1
                    if scores[k] >= scores[winner]:
                        winner = k
        last[symbol] = place
        for k in range(len(windows)):
            seen = counts[k]
            seen[symbol] += 1
            if seen[symbol] >= seen[modes[k]]:
                modes[k] = symbol
            if place >= windows[k]:
                left = symbols[place - windows[k]]
                seen[left] -= 1
                if left == modes[k]:
                    modes[k] = _commonest(seen, last)
    return size - windows[0], correct, longest


@compiled
def _commonest(counts: Counts, last: Counts) -> int:
    best = 0
    for symbol in range(1, len(counts)):
        if counts[symbol] > counts[best] or (
            counts[symbol] == counts[best] and last[symbol] > last[best]
        ):
            best = symbol
    return best


def lag(symbols: Bytes, alphabet: int, lags: int = LAGS) -> EntropyEstimate:
    if len(symbols) < 3:
        return EntropyEstimate.skip(LAG, "needs 3 samples")
    return predicted(LAG, PredictionHits(*_lagging(symbols, lags)), alphabet)


@compiled
def _lagging(symbols: Bytes, lags: int) -> tuple[int, int, int]:
    """Guess the sample at a fixed distance before."""
    size = len(symbols)
    scores = np.zeros(lags, dtype=np.int32)
    # Newest first, and twice as long as needed, so that the last ones are always contiguous.
    recent = np.full(8 * lags, 255, dtype=np.uint8)
    known = 0
    head = len(recent)
    winner = correct = run = longest = 0
    high = np.int32(0)
    for place in range(size):
        symbol = symbols[place]
        if place:
            if symbols[place - 1 - winner] == symbol:
                correct += 1
                run += 1
                longest = max(longest, run)
            else:
                run = 0
            known = min(place, lags)
            before = recent[head : head + known]
            top = np.int32(0)
            for k in range(known):
                hit = np.int32(before[k] == symbol)
                scores[k] += hit
                top = max(top, scores[k] * hit)
            if top >= high:
                high = top
                for k in range(known - 1, -1, -1):
                    if before[k] == symbol and scores[k] == top:
                        winner = k
                        break
        if head == 0:
            head = len(recent) - lags
            recent[head:] = recent[:lags]
        head -= 1
        recent[head] = symbol
    return size - 1, correct, longest


def multi_markov_model(stretches: Stretches) -> EntropyEstimate:
    if len(stretches.symbols) < 3:
        return EntropyEstimate.skip(MULTI_MMC, "needs 3 samples")
    hits = _markov_models(stretches.symbols, stretches.numbers, stretches.offsets, MARKOV_ENTRIES)
    return predicted(MULTI_MMC, PredictionHits(*hits), stretches.alphabet)


def lz78y(stretches: Stretches) -> EntropyEstimate:
    least = stretches.depth + 2
    if len(stretches.symbols) < least:
        return EntropyEstimate.skip(LZ78Y, f"needs {least} samples")
    hits = _dictionary(stretches.symbols, stretches.numbers, stretches.offsets, DICTIONARY)
    return predicted(LZ78Y, PredictionHits(*hits), stretches.alphabet)


class Stretches:
    """A number for every stretch of 1 to 17 samples, equal for equal stretches.

    For bits, the number is the bits themselves. For larger samples, `numbers[d - 1, i]` is the
    number of the d samples from i on, from the sorted suffixes. `offsets[d]` separates numbers of
    different lengths.
    """

    def __init__(
        self, symbols: Bytes, alphabet: int, order: Places, prefixes: Places, depth: int = DEPTH
    ) -> None:
        self.symbols = symbols
        self.alphabet = alphabet
        self.depth = depth
        if alphabet == 2:
            self.numbers = np.empty((0, 0), dtype=np.int32)
            kinds = 2 ** np.arange(1, depth + 2)
        else:
            self.numbers = _numbered(order, prefixes, depth + 1)
            kinds = self.numbers.max(axis=1).astype(np.int64) + 1
        self.offsets = np.concatenate(([0, 0], np.cumsum(kinds)))


@compiled
def _numbered(order: Places, prefixes: Places, depth: int) -> Numbers:
    numbers = np.empty((depth, len(order)), dtype=np.int32)
    for d in range(depth):
        number = -1
        for place in range(len(order)):
            if prefixes[place] <= d:
                number += 1
            numbers[d, order[place]] = number
    return numbers


@compiled
def _before(numbers: Numbers, offsets: Counts, latest: int, end: int, length: int) -> int:
    """Return the number of the stretch that ends before `end`; `latest` has its bits, for bits."""
    if numbers.shape[0] == 0:
        return whole(offsets[length] + (latest & ((1 << length) - 1)))
    return whole(offsets[length] + numbers[length - 1, end - length])


@compiled
def _learn(counts: Numbers, best: Numbers, pair: int, context: int, symbol: int) -> None:
    """Count the pair; the best symbol of a context is the most frequent one, and the largest of
    equals."""
    counts[pair] += 1
    if counts[pair] > best[context, 0] or (
        counts[pair] == best[context, 0] and symbol > best[context, 1]
    ):
        best[context, 0] = counts[pair]
        best[context, 1] = symbol


@compiled
def _markov_models(
    symbols: Bytes, numbers: Numbers, offsets: Counts, most: int
) -> tuple[int, int, int]:
    """Guess the most frequent follower of the last d samples so far, for each d."""
    size, depth = len(symbols), len(offsets) - 3
    counts = np.zeros(offsets[-1], dtype=np.int32)
    best = np.zeros((offsets[-1], 2), dtype=np.int32)
    entries = np.zeros(depth + 1, dtype=np.int64)
    scores = np.zeros(depth + 1, dtype=np.int64)
    latest = whole(symbols[0])
    winner = 1
    correct = run = longest = 0
    for place in range(2, size):
        symbol, seen = symbols[place], symbols[place - 1]
        earlier, latest = latest, latest << 1 | seen
        for d in range(1, min(depth, place - 1) + 1):
            pair = _before(numbers, offsets, latest, place, d + 1)
            if counts[pair] == 0:
                if entries[d] == most:
                    continue
                entries[d] += 1
            _learn(counts, best, pair, _before(numbers, offsets, earlier, place - 1, d), seen)
        guesser, right = winner, False
        for d in range(1, min(depth, place) + 1):
            context = _before(numbers, offsets, latest, place, d)
            if best[context, 0] and best[context, 1] == symbol:
                right |= d == guesser
                scores[d] += 1
                if scores[d] >= scores[winner]:
                    winner = d
        run = run + 1 if right else 0
        correct += right
        longest = max(longest, run)
    return size - 2, correct, longest


@compiled
def _dictionary(
    symbols: Bytes, numbers: Numbers, offsets: Counts, most: int
) -> tuple[int, int, int]:
    """Use the context, of any length, with the most frequent follower (as LZ78 compresses)."""
    size, depth = len(symbols), len(offsets) - 3
    counts = np.zeros(offsets[-1], dtype=np.int32)
    best = np.zeros((offsets[-1], 2), dtype=np.int32)
    entries = 0
    latest = 0
    for place in range(depth):
        latest = latest << 1 | symbols[place]
    correct = run = longest = 0
    for place in range(depth + 1, size):
        symbol, seen = symbols[place], symbols[place - 1]
        earlier, latest = latest, latest << 1 | seen
        for d in range(depth, 0, -1):
            context = _before(numbers, offsets, earlier, place - 1, d)
            if best[context, 0] == 0:
                if entries == most:
                    continue
                entries += 1
            pair = _before(numbers, offsets, latest, place, d + 1)
            _learn(counts, best, pair, context, seen)
        often, guess = 0, -1
        for d in range(depth, 0, -1):
            context = _before(numbers, offsets, latest, place, d)
            if best[context, 0] > often:
                often, guess = best[context, 0], best[context, 1]
        run = run + 1 if guess == symbol else 0
        correct += guess == symbol
        longest = max(longest, run)
    return size - depth - 1, correct, longest
