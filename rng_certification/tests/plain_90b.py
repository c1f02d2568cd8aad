"""A second, slow implementation of the estimators of SP 800-90B section 6.3, as in its text.

It uses only lists, dictionaries and loops, and shares only the final bounds with the tested code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from math import comb, log2, sqrt

Z = 2.5758293035489008


def most_common_value(s: Sequence[int]) -> float:
    return Counter(s).most_common(1)[0][1] / len(s)


def collision_times(s: Sequence[int]) -> list[int]:
    times: list[int] = []
    index = 0
    while True:
        seen: set[int] = set()
        for j in range(index, len(s)):
            if s[j] in seen:
                times.append(j - index + 1)
                index = j + 1
                break
            seen.add(s[j])
        else:
            return times


def markov(s: Sequence[int]) -> float:
    """The six products of step 3, over 128 bits."""
    pairs = list(pairwise(s))

    def step(a: int, b: int) -> float:
        return pairs.count((a, b)) / max(1, sum(before == a for before, _ in pairs))

    p0, p1 = list(s).count(0) / len(s), list(s).count(1) / len(s)
    p00, p01, p10, p11 = step(0, 0), step(0, 1), step(1, 0), step(1, 1)
    likeliest = max(
        p0 * p00**127,
        p0 * p01**64 * p10**63,
        p0 * p01 * p11**126,
        p1 * p10 * p00**126,
        p1 * p10**64 * p01**63,
        p1 * p11**127,
    )
    return min(1.0, -log2(likeliest) / 128)


def compression_distances(s: Sequence[int], dictionary: int, width: int = 6) -> list[int]:
    blocks = [tuple(s[i : i + width]) for i in range(0, len(s) // width * width, width)]
    last: dict[Hashable, int] = {}
    distances = []
    for i, block in enumerate(blocks, start=1):
        if i > dictionary:
            distances.append(i - last.get(block, 0))
        last[block] = i
    return distances


def compression_mean(p: float, blocks: int, dictionary: int, width: int = 6) -> float:
    """The right side of the equation of step 7, term by term."""

    def g(z: float) -> float:
        total = 0.0
        for t in range(dictionary + 1, blocks + 1):
            for u in range(1, t + 1):
                chance = z * z * (1 - z) ** (u - 1) if u < t else z * (1 - z) ** (t - 1)
                total += log2(u) * chance
        return total / (blocks - dictionary)

    q = (1 - p) / (2**width - 1)
    return float(g(p) + (2**width - 1) * g(q))


def tuple_counts(s: Sequence[int], length: int) -> Counter[Hashable]:
    return Counter(tuple(s[i : i + length]) for i in range(len(s) - length + 1))


def t_tuple(s: Sequence[int], often: int) -> float:
    """p-hat max."""
    shares, t = [], 1
    while (most := max(tuple_counts(s, t).values())) >= often:
        shares.append((most / (len(s) - t + 1)) ** (1 / t))
        t += 1
    return float(max(shares))


def longest_repeat(s: Sequence[int], often: int) -> tuple[int, int, float]:
    """u, v and p-hat."""
    u = 1
    while max(tuple_counts(s, u).values()) >= often:
        u += 1
    v = max(w for w in range(1, len(s)) if max(tuple_counts(s, w).values()) >= 2)
    shares = [
        (sum(comb(c, 2) for c in tuple_counts(s, w).values()) / comb(len(s) - w + 1, 2)) ** (1 / w)
        for w in range(u, v + 1)
    ]
    return u, v, float(max(shares))


Guesses = tuple[int, int, int]  # N, C and the longest run


def _scored(correct: list[bool]) -> Guesses:
    run = longest = 0
    for right in correct:
        run = run + 1 if right else 0
        longest = max(longest, run)
    return len(correct), sum(correct), longest


def multi_most_common_in_window(s: Sequence[int], windows: Sequence[int]) -> Guesses:
    scores, winner, correct = [0] * len(windows), 0, []
    for i in range(windows[0], len(s)):
        guesses = []
        for w in windows:
            recent = list(s[i - w : i]) if i >= w else []
            counts = Counter(recent)
            most = max(counts.values(), default=0)
            guesses.append(next((x for x in reversed(recent) if counts[x] == most), None))
        correct.append(guesses[winner] == s[i])
        for j, guess in enumerate(guesses):
            if guess == s[i]:
                scores[j] += 1
                if scores[j] >= scores[winner]:
                    winner = j
    return _scored(correct)


def lag(s: Sequence[int], lags: int) -> Guesses:
    scores, winner, correct = [0] * lags, 0, []
    for i in range(1, len(s)):
        guesses = [s[i - d] if d <= i else None for d in range(1, lags + 1)]
        correct.append(guesses[winner] == s[i])
        for d, guess in enumerate(guesses):
            if guess == s[i]:
                scores[d] += 1
                if scores[d] >= scores[winner]:
                    winner = d
    return _scored(correct)


def multi_markov_model(s: Sequence[int], depth: int, entries: int) -> Guesses:
    models: list[Counter[tuple[Hashable, int]]] = [Counter() for _ in range(depth + 1)]
    scores, winner, correct = [0] * (depth + 1), 1, []
    for i in range(2, len(s)):
        for d in range(1, depth + 1):
            if d < i:
                key = tuple(s[i - d - 1 : i - 1]), s[i - 1]
                if key in models[d] or len(models[d]) < entries:
                    models[d][key] += 1
        guesses: list[int | None] = [None] * (depth + 1)
        for d in range(1, min(depth, i) + 1):
            context = tuple(s[i - d : i])
            after = [(n, y) for (x, y), n in models[d].items() if x == context]
            guesses[d] = max(after)[1] if after else None
        correct.append(guesses[winner] == s[i])
        for d in range(1, depth + 1):
            if guesses[d] == s[i]:
                scores[d] += 1
                if scores[d] >= scores[winner]:
                    winner = d
    return _scored(correct)


def lz78y(s: Sequence[int], depth: int, most: int) -> Guesses:
    dictionary: dict[Hashable, Counter[int]] = {}
    correct = []
    for i in range(depth + 1, len(s)):
        for j in range(depth, 0, -1):
            context = tuple(s[i - j - 1 : i - 1])
            if context not in dictionary and len(dictionary) < most:
                dictionary[context] = Counter()
            if context in dictionary:
                dictionary[context][s[i - 1]] += 1
        guess, often = None, 0
        for j in range(depth, 0, -1):
            after = dictionary.get(tuple(s[i - j : i]), Counter())
            count, y = max(((n, y) for y, n in after.items()), default=(0, None))
            if count > often:
                guess, often = y, count
        correct.append(guess == s[i])
    return _scored(correct)


def upper_bound(share: float, size: int) -> float:
    return min(1.0, share + Z * sqrt(share * (1 - share) / (size - 1)))
