"""Planted defects in continuous shufflers: carousels with one fault each."""

from __future__ import annotations

import numpy as np

from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.steps import BIN_SHIFT, DEALT, FED, PUSHED, ROUND, STEP_SHIFT
from rng_certification.continuous.steps import Steps as StepCodes

Random = np.random.Generator
MACHINE = Settings(bins=38, capacity=10, chute_low=8, pack=312)
ROUNDS = (12, 5, 17, 9, 14, 21, 7, 11, 16, 4, 19, 8, 13, 6, 22, 10)
(
    NOTHING,
    NEVER_BIN_7,
    BIN_7_LIKELIER,
    SAME_BIN_AGAIN,
    BINS_IN_TURN,
    BY_THE_CLOCK,
    ACES_APART,
    PUSHES_IN_TURN,
    FULLEST_FIRST,
    UPSIDE_DOWN,
    SHORTCUT,
    CARD_LEFT_BEHIND,
    TWO_CARDS_SWAPPED,
    AFTER_THE_LAST_PUSH,
) = range(14)


@compiled
def _chosen_bin(
    fault: int, often: float, random: Random, held: Counts, full: int, card: int, number: int,
    last: int, last_push: int, round_number: int,
) -> int:  # fmt: skip
    """Return the bin of a card; the fault occurs with its given chance."""
    bins = len(held)
    while True:
        chosen = int(random.random() * bins)
        if fault != NOTHING and random.random() < often:
            if fault == NEVER_BIN_7 and chosen == 7:
                continue
            if fault == BIN_7_LIKELIER:
                chosen = 7
            elif fault == SAME_BIN_AGAIN:
                chosen = last
            elif fault == BINS_IN_TURN:
                chosen = number % bins
            elif fault == BY_THE_CLOCK:
                chosen = chosen % 19 + 19 * (round_number // 4 % 2)
            elif fault == ACES_APART and card % 13 == 0:
                chosen %= 19
            elif fault == AFTER_THE_LAST_PUSH:
                chosen = last_push
        if held[chosen] < full:
            return chosen
        often = 0.0  # if the bin is full, choose again without the fault


@compiled
def _pushed_bin(fault: int, often: float, random: Random, held: Counts, last_push: int) -> int:
    bins = len(held)
    faulty = random.random() < often
    if fault == PUSHES_IN_TURN and faulty:
        chosen = (last_push + 1) % bins
        while held[chosen] == 0:
            chosen = (chosen + 1) % bins
        return chosen
    if fault == FULLEST_FIRST and faulty:
        chosen = 0
        for b in range(bins):
            if held[b] > held[chosen]:
                chosen = b
        return chosen
    while True:
        chosen = int(random.random() * bins)
        if held[chosen] > 0:
            return chosen


@compiled
def _history(
    cards: int, fault: int, often: float, random: Random, lengths: Counts, held: Counts,
    cells: Decks, pack: int, low: int, steps: StepCodes,
) -> int:  # fmt: skip
    chute = np.zeros(pack + 1, dtype=np.int64)
    table = np.zeros(64, dtype=np.int64)
    supply = inside = written = dealt = number = last = last_push = round_number = 0
    for card in range(pack):
        chosen = _chosen_bin(
            NOTHING, 0.0, random, held, cells.shape[1], card, number, last, last_push, 0
        )
        cells[chosen, held[chosen]] = card
        held[chosen] += 1
        inside += 1
        steps[written] = FED << STEP_SHIFT | chosen << BIN_SHIFT | card
        written += 1
    while dealt < cards:
        length = lengths[round_number % len(lengths)]
        round_number += 1
        steps[written] = ROUND << STEP_SHIFT
        written += 1
        for turn in range(2 * length):
            while supply <= low and inside > 0:
                chosen = _pushed_bin(fault, often, random, held, last_push)
                moved = held[chosen]
                if fault == CARD_LEFT_BEHIND and moved > 1 and random.random() < often:
                    moved -= 1
                turned = fault == UPSIDE_DOWN and random.random() < often
                for i in range(moved):
                    chute[supply] = cells[chosen, moved - 1 - i if turned else i]
                    supply += 1
                if fault == TWO_CARDS_SWAPPED and moved > 1 and random.random() < often:
                    kept = chute[supply - 1]
                    chute[supply - 1] = chute[supply - 2]
                    chute[supply - 2] = kept
                for i in range(moved, held[chosen]):
                    cells[chosen, i - moved] = cells[chosen, i]
                held[chosen] -= moved
                inside -= moved
                last_push = chosen
                steps[written] = PUSHED << STEP_SHIFT | chosen << BIN_SHIFT | moved
                written += 1
            if turn < length:
                table[turn] = chute[0]
                supply -= 1
                for i in range(supply):
                    chute[i] = chute[i + 1]
                steps[written] = DEALT << STEP_SHIFT | table[turn]
                written += 1
                dealt += 1
                continue
            card = table[turn - length]
            chosen = _chosen_bin(
                fault, often, random, held, cells.shape[1], card, number, last, last_push,
                round_number,
            )  # fmt: skip
            steps[written] = FED << STEP_SHIFT | chosen << BIN_SHIFT | card
            written += 1
            last = chosen
            number += 1
            if fault == SHORTCUT and random.random() < often:
                # the card slips into the middle of the chute, and a card from there into the bin
                slipped = card
                card = chute[supply // 2]
                chute[supply // 2] = slipped
            cells[chosen, held[chosen]] = card
            held[chosen] += 1
            inside += 1
    return written


def history(random: Random, cards: int, fault: int = NOTHING, often: float = 1.0) -> StepCodes:
    """Load a pack, and play rounds until `cards` cards were dealt."""
    steps = np.empty(5 * (cards + MACHINE.pack + max(ROUNDS)), dtype=np.uint32)
    held = np.zeros(MACHINE.bins, dtype=np.int64)
    cells = np.zeros((MACHINE.bins, MACHINE.capacity), dtype=np.uint16)
    lengths = np.array(ROUNDS, dtype=np.int64)
    written = _history(
        cards, fault, often, random, lengths, held, cells, MACHINE.pack, MACHINE.chute_low, steps
    )
    return steps[:written]
