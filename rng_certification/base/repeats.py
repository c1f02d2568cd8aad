"""Find repeated stretches of data in fixed memory.

Every window of a stream has a 64-bit fingerprint. Two tables of fixed size store fingerprints and
detect repeats: a small one has the most recent windows, and a large one those whose fingerprint
begins with a certain number of zeros. When the large table is full, it requires one more zero and
drops half of its entries. A stretch that repeats at any distance is found if it is long enough,
because the content of a window decides whether it is stored.
"""

from __future__ import annotations

import numpy as np
from scipy.special import pdtrc

from rng_certification.base.compiled import Counts, Decks, Draws, Words, compiled
from rng_certification.base.finding import CountPower, Finding

RECENT = 1 << 16
REMEMBERED = 1 << 20


@compiled
def _mixed(number: np.uint64) -> np.uint64:
    """Spread the window over all 64 bits (the finaliser of splitmix64)."""
    number ^= number >> np.uint64(30)
    number *= np.uint64(0xBF58476D1CE4E5B9)
    number ^= number >> np.uint64(27)
    number *= np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def _insert(table: Words, print_: np.uint64) -> bool:
    """Store a fingerprint, and return whether it was already stored."""
    mask = np.uint64(len(table) - 1)
    place = print_ & mask
    while table[place] != np.uint64(0):
        if table[place] == print_:
            return True
        place = (place + np.uint64(1)) & mask
    table[place] = print_
    return False


@compiled
def _forget_half(remembered: Words, state: Counts) -> None:
    state[0] += 1
    kept = remembered.copy()
    remembered[:] = np.uint64(0)
    state[1] = 0
    for fingerprint in kept:
        if fingerprint != np.uint64(0) and fingerprint >> np.uint64(64 - state[0]) == np.uint64(0):
            _insert(remembered, fingerprint)
            state[1] += 1


@compiled
def _meet(fingerprint: np.uint64, recent: Words, remembered: Words, state: Counts) -> None:
    """`state`: zeros required, entries stored, repeats found, look-ups, windows."""
    slot = (fingerprint >> np.uint64(20)) & np.uint64(len(recent) - 1)
    again = recent[slot] == fingerprint
    recent[slot] = fingerprint
    state[4] += 1
    if state[0] == 0 or fingerprint >> np.uint64(64 - state[0]) == np.uint64(0):
        state[3] += 1
        if _insert(remembered, fingerprint):
            again = True
        else:
            state[1] += 1
            if 2 * state[1] > len(remembered):
                _forget_half(remembered, state)
    state[2] += again


@compiled
def _look(draws: Draws, length: int, recent: Words, remembered: Words, state: Counts) -> None:
    base = np.uint64(0x9E3779B97F4A7C15)
    leaving = np.uint64(1)
    for _ in range(length):
        leaving *= base
    rolling = np.uint64(0)
    for at in range(len(draws)):
        rolling = rolling * base + np.uint64(draws[at]) + np.uint64(1)
        if at >= length:
            rolling -= (np.uint64(draws[at - length]) + np.uint64(1)) * leaving
        if at < length - 1:
            continue
        _meet(_mixed(rolling) | np.uint64(1), recent, remembered, state)


@compiled
def _look_at_records(records: Decks, recent: Words, remembered: Words, state: Counts) -> None:
    for record in range(len(records)):
        number = np.uint64(0)
        for card in records[record]:
            number = _mixed(number + np.uint64(card) + np.uint64(0x9E3779B97F4A7C15))
        _meet(number | np.uint64(1), recent, remembered, state)


class Repeats:
    def __init__(self) -> None:
        self._recent = np.zeros(RECENT, dtype=np.uint64)
        self._remembered = np.zeros(REMEMBERED, dtype=np.uint64)
        self._state = np.zeros(5, dtype=np.int64)
        self.windows = 0

    def feed(self, draws: Draws, length: int) -> None:
        """Feed windows of `length` draws; the caller repeats the last length - 1 draws in the next
        call."""
        if len(draws) >= length:
            _look(draws, length, self._recent, self._remembered, self._state)
            self.windows += len(draws) - length + 1

    def feed_records(self, records: Decks) -> None:
        """Feed complete records instead of windows."""
        _look_at_records(records, self._recent, self._remembered, self._state)
        self.windows += len(records)

    @property
    def found(self) -> int:
        return int(self._state[2])

    def finding(self, name: str, unit: str, different: float = 2.0**96) -> Finding:
        """The test of the number of repeats against Poisson's law with the mean of chance
        agreements.

        `different` is the number of possible windows. If it is large, only fingerprints of 63 bits
        agree by chance, each independently.
        """
        looked_up, met = float(self._state[3]), float(self._state[4])
        pairs = looked_up * min(looked_up, REMEMBERED / 2) + met * min(met, RECENT)
        mean = pairs / min(different, 2.0**63)
        p = float(pdtrc(self.found - 1, mean)) if self.found else 1.0
        power = CountPower(mean, "repeats")
        return Finding(name, self.windows, unit, p, float(self.found), power=power)
