"""The effect of the cutting card on a game: a shoe that is poor in high cards has fewer rounds.

Every round of a fixed number of rounds has the same mean as the first, because every order of the
pack is equally likely. So the entire effect is in the rounds between that number and the cutting
card. Each shoe is dealt to both, and only the rounds between them are counted: with six decks one
round of forty, with a fortieth of the variance of a simulation of the entire shoe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

from cutcard.edge.simulate.drawing import BUFFER, Cards, generator, shuffle
from cutcard.edge.simulate.figures import Estimate, Shard
from cutcard.edge.simulate.job import Job, cached_ready, whole_pack
from cutcard.edge.simulate.kernel import COUNTS, MAIN, OUT_OF_CARDS, ROUNDS, TALLY, play
from cutcard.edge.simulate.room import room
from cutcard.edge.simulate.side_bets import MOST_ROWS
from rng_certification.base.compiled import compiled

SHOES = 256  # per shard
# The sums over all shoes: rounds dealt, shoes, rounds to the cutting card, the number of rounds in
# between (negative if the card came first), their winnings, squares and product.
_DEALT, _SHOES, _TO_CARD, _BETWEEN, _WON, _BETWEEN_2, _WON_2, _PRODUCT, _RAN_OUT = range(9)
_NO_END = 1 << 30


def rounds_to_compare_with(cards: int, cut: float, cards_a_round: float) -> int:
    """Return a number of rounds near the cutting card for which there are always enough cards.

    A round's cards vary by about a third of their mean; five such deviations are one in a million.
    """
    near = round(cut * cards / cards_a_round + 0.5)
    while near > 1:
        spread = cards_a_round / 3 * sqrt(near)
        if cards_a_round * (near + 2) + 5 * spread <= cards:
            break
        near -= 1
    return near


def run_cut_shard(data: Mapping[str, Any], fixed: int, shard: int, shoes: int) -> list[list[int]]:
    """Return the sums of this many shoes, as plain data with integers."""
    job = Job(**{**data, "variants": tuple(data["variants"])})
    made = cached_ready(job)
    shoe = whole_pack(job.decks, job.table.pack)
    sums = np.zeros(9, dtype=np.int64)
    _between(
        made.game,
        made.bonus,
        made.play,
        made.sides._replace(carried=np.zeros_like(made.sides.carried)),
        shoe,
        max(1, int(job.cut * len(shoe))),
        fixed,
        shoes,
        generator(f"{job.seed}/cutting card", shard),
        np.zeros(BUFFER, dtype=np.uint32),
        np.array([BUFFER, 0, 0], dtype=np.int64),
        room(),
        np.zeros(TALLY, dtype=np.int64),
        np.zeros(len(made.bets) * MOST_ROWS, dtype=np.int64),
        np.zeros(COUNTS, dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        sums,
    )
    return [sums.tolist()]


@compiled
def _between(
    game: Any,
    bonus: Any,
    strategy: Any,
    sides: Any,
    shoe: Cards,
    stop: int,
    fixed: int,
    shoes: int,
    state: Any,
    numbers: Any,
    places: Any,
    work: Any,
    tally: Any,
    rows: Any,
    counts: Any,
    log: Any,
    sums: Any,
) -> None:
    """Deal each shoe to the first of its two ends, then on to the other; the latter part is
    counted."""
    for _ in range(shoes):
        places[0] = shuffle(shoe, len(shoe), state, numbers, places[0])
        places[1], places[2] = 0, 0
        began = tally[ROUNDS]
        cut, more, sign = -stop, fixed, 1
        won = middle = began
        for part in range(2):
            if part == 1:
                won, middle = tally[MAIN], tally[ROUNDS]
                more = _NO_END
                if places[1] >= stop:
                    cut, more, sign = 0, fixed - (middle - began), -1
            play(
                game,
                bonus,
                strategy,
                sides,
                shoe,
                False,
                cut,
                state,
                numbers,
                places,
                more,
                work,
                tally,
                rows,
                counts,
                log,
            )
        between = sign * (tally[ROUNDS] - middle)
        won = sign * (tally[MAIN] - won)
        sums[_SHOES] += 1
        sums[_TO_CARD] += fixed + between
        sums[_BETWEEN] += between
        sums[_WON] += won
        sums[_BETWEEN_2] += between * between
        sums[_WON_2] += won * won
        sums[_PRODUCT] += won * between
    sums[_DEALT] = tally[ROUNDS]
    sums[_RAN_OUT] = tally[OUT_OF_CARDS]


def cut_card_effect(job: Job, shards: Sequence[Shard], edge: Estimate) -> Estimate:
    """Return the effect of the cutting card on the house edge; `edge` is the edge from a full
    pack."""
    sums = [sum(shard[0][place] for shard in shards) for place in range(9)]
    shoes, unit = sums[_SHOES], job.boxes * job.stake
    worth = -edge.value * unit  # of a round
    mean = (sums[_WON] - worth * sums[_BETWEEN]) / shoes
    squares = sums[_WON_2] - 2 * worth * sums[_PRODUCT] + worth**2 * sums[_BETWEEN_2]
    by_chance = sqrt(max(0.0, squares / shoes - mean**2) / shoes)
    by_edge = edge.error * unit * sums[_BETWEEN] / shoes
    a_shoe = sums[_TO_CARD] / shoes * unit
    return Estimate(-mean / a_shoe, sqrt(by_chance**2 + by_edge**2) / a_shoe)
