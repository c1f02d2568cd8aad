"""Planted defects in shufflers, and two exact machines: shelves and riffles."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.planted import generators

Random = np.random.Generator


def good(random: Random, size: int, cards: int) -> Decks:
    return random.permuted(_new(size, cards), axis=1)


def _new(size: int, cards: int) -> Decks:
    return np.tile(np.arange(cards, dtype=np.uint16), (size, 1))


@compiled
def _swap(decks: Decks, places: Counts) -> None:
    """Exchange card i with card places[i], one after the other."""
    for record in range(len(decks)):
        for i in range(decks.shape[1]):
            other = places[record, i]
            kept = decks[record, i]
            decks[record, i] = decks[record, other]
            decks[record, other] = kept


def naive_swaps(random: Random, size: int, cards: int) -> Decks:
    """Each card is exchanged with any card: n^n ways do not divide evenly among n! orders."""
    decks = _new(size, cards)
    _swap(decks, random.integers(0, cards, (size, cards)))
    return decks


def sattolo(random: Random, size: int, cards: int) -> Decks:
    """A Fisher-Yates shuffle that never leaves a card in place: only cycles of all cards."""
    decks = _new(size, cards)
    least = np.minimum(np.arange(cards) + 1, cards - 1)
    _swap(decks, random.integers(least, cards, (size, cards)))
    return decks


def off_by_one(random: Random, size: int, cards: int) -> Decks:
    """A Fisher-Yates shuffle that omits the last index of every draw."""
    decks = _new(size, cards)
    first = np.arange(cards)
    _swap(decks, random.integers(first, np.maximum(first + 1, cards - 1), (size, cards)))
    return decks


def shelves(random: Random, size: int, cards: int, number: int) -> Decks:
    """One pass over shelves, each card on top of the cards on its shelf or underneath."""
    chosen = random.integers(0, 2 * number, (size, cards))
    card = np.arange(cards)
    within = np.where(chosen % 2 == 0, cards - 1 - card, cards + card)
    return np.argsort(chosen // 2 * (2 * cards) + within, axis=1).astype(np.uint16)


def _riffled(random: Random, decks: Decks) -> Decks:
    packets = random.integers(0, 2, decks.shape, dtype=np.uint8)
    from_place = np.argsort(np.argsort(packets, axis=1, kind="stable"), axis=1)
    return np.take_along_axis(decks, from_place, axis=1)


def riffles(random: Random, size: int, cards: int, number: int) -> Decks:
    """A new pack, riffled this many times."""
    decks = _new(size, cards)
    for _ in range(number):
        decks = _riffled(random, decks)
    return decks


def riffled_on(random: Random, size: int, cards: int, number: int) -> Decks:
    """The same pack riffled repeatedly: each order looks random but depends on the last."""
    moves = riffles(random, size, cards, number)
    decks = np.empty_like(moves)
    decks[0] = random.permutation(cards)
    for i in range(1, size):
        decks[i] = decks[i - 1][moves[i]]
    return decks


def sorted_by_bytes(random: Random, size: int, cards: int) -> Decks:
    """Cards sorted by a random byte each: equal bytes keep the old order."""
    keys = random.integers(0, 256, (size, cards), dtype=np.uint8)
    return np.argsort(keys, axis=1, kind="stable").astype(np.uint16)


def seeds_of(random: Random, size: int, cards: int, seeds: int) -> Decks:
    """A perfect shuffle from one of a few seeds."""
    seed = random.integers(0, seeds, (size, 1)).astype(np.uint64)
    numbers = np.add(seed << np.uint64(16), np.arange(cards, dtype=np.uint64), dtype=np.uint64)
    return np.argsort(generators.spread(numbers), axis=1).astype(np.uint16)


def same_again(random: Random, size: int, cards: int, period: int) -> Decks:
    """A machine that sometimes returns the last shuffle again."""
    decks = good(random, size, cards)
    decks[period::period] = decks[period - 1 : -1 : period]
    return decks


def bottom_card_stays(random: Random, size: int, cards: int, share: float) -> Decks:
    """A machine with a bottom card that sometimes sticks to the plate."""
    decks = good(random, size, cards)
    stuck = np.flatnonzero(random.random(size) < share)
    for record in stuck:
        place = int(np.argmax(decks[record] == cards - 1))
        decks[record, place] = decks[record, -1]
        decks[record, -1] = cards - 1
    return decks


def pairs_stick(random: Random, size: int, cards: int, share: float) -> Decks:
    """A machine that sometimes feeds two neighbouring cards as one."""
    decks = good(random, size, cards)
    for record in np.flatnonzero(random.random(size) < share):
        order = [card for card in decks[record] if card != 20]
        order.insert(order.index(19) + 1, 20)
        decks[record] = order
    return decks


def leftovers(random: Random, size: int, cards: int, kept: int) -> Decks:
    """A machine that begins each shuffle with the last cards of the one before, in any order."""
    decks = good(random, size, cards)
    for i in range(1, size):
        held = random.permutation(decks[i - 1, -kept:])
        decks[i] = np.concatenate((held, decks[i][~np.isin(decks[i], held)]))
    return decks
