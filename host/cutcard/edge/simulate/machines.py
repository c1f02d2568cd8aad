"""A game on our machines, through their twins: what a machine's own way of shuffling does to it.

A batch shuffler shuffles the whole pack; the cards then lie in a shoe with a cutting card, and go
back into the tray in the order in which they were dealt, those behind the cutting card last. A
carousel takes the cards of a round back before the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cutcard.edge.simulate.drawing import BUFFER, Cards
from cutcard.edge.simulate.job import Job, Ready, kept_ready, whole_pack
from cutcard.edge.simulate.kernel import COUNTS, OUT_OF_CARDS, ROUNDS, TALLY, play
from cutcard.edge.simulate.room import room
from cutcard.edge.simulate.side_bets import MOST_ROWS
from cutcard.machines import Machine, find
from rng_certification.base.compiled import Counts, Decks, compiled
from rng_certification.twin.at_a_game import (
    CARD,
    MOST_CARDS,
    NO_CARD_YET,
    CarouselAtAGame,
    one_card,
    round_is_over,
)
from rng_certification.twin.source import TwinSource
from rng_certification.twin.streams import CYCLE_EVERY, Mechanism, shuffles, start

BATCH = 64  # packs that a twin shuffles at once
# How far the rounds on a carousel are, by place in `progress`.
_PLAYED, _HAS, _WANTS = range(3)


def run_machine_shard(
    data: Mapping[str, Any], machine: str, shard: int, rounds: int
) -> list[list[int]]:
    """What is counted in one shard of a job on a machine. Plain data."""
    job = Job(**{**data, "variants": tuple(data["variants"])})
    made = kept_ready(job)
    made = made._replace(sides=made.sides._replace(carried=np.zeros_like(made.sides.carried)))
    tally = np.zeros(TALLY, dtype=np.int64)
    rows = np.zeros(len(made.bets) * MOST_ROWS, dtype=np.int64)
    counts = np.zeros(COUNTS, dtype=np.int64)
    mechanism = Mechanism.of(find(machine))
    source = start(f"{job.seed}/{machine}/{shard}")
    pack = whole_pack(job.decks, job.table.pack)
    _mix(pack, f"{job.seed}/{machine}/{shard}")
    if mechanism.kind == "carousel":
        _on_a_carousel(made, mechanism, source, pack, rounds, tally, rows, counts)
    else:
        _from_shoes(made, mechanism, source, pack, job.cut, rounds, tally, rows, counts)
    return [tally.tolist(), rows.tolist(), counts.tolist()]


def deals_cards(machine: Machine, cards: int) -> bool:
    """Whether a machine shuffles so many cards."""
    mechanism = Mechanism.of(machine) if machine.kind == "shuffler" else None
    return mechanism is not None and cards <= mechanism.bins * mechanism.capacity


def _mix(pack: Cards, name: str) -> None:
    """The tray as it was first filled: any order, from the name."""
    seed = int.from_bytes(name.encode(), "big") % 2**64
    np.random.default_rng(seed).shuffle(pack)


def _from_shoes(
    made: Ready,
    mechanism: Mechanism,
    source: TwinSource,
    tray: Cards,
    cut: float,
    rounds: int,
    tally: Counts,
    rows: Counts,
    counts: Counts,
) -> None:
    stop = -max(1, int(cut * len(tray)))
    places, played, work = np.zeros(3, dtype=np.int64), 0, room()
    numbers, state = np.zeros(BUFFER, dtype=np.uint32), np.ones(16, dtype=np.uint64)
    log = np.zeros(0, dtype=np.int64)
    while played < rounds:
        for order in next(iter(shuffles(source, mechanism, len(tray), BATCH, BATCH))):
            shoe = tray[order]
            places[:] = BUFFER, 0, 0
            args = (made.game, made.bonus, made.play, made.sides, shoe, False, stop, state, numbers)
            play(*args, places, rounds - played, work, tally, rows, counts, log)
            tray = shoe
            played = int(tally[ROUNDS] + tally[OUT_OF_CARDS])
            if played >= rounds:
                return


@compiled
def _rounds(
    now: Any,
    mechanics: Any,
    source: Any,
    progress: Any,
    rounds: int,
    faces: Cards,
    game: Any,
    bonus: Any,
    strategy: Any,
    sides: Any,
    shoe: Cards,
    one: Decks,
    state: Any,
    numbers: Any,
    places: Any,
    work: Any,
    tally: Any,
    rows: Any,
    counts: Any,
    log: Any,
) -> bool:
    """Rounds until all are played, each with as many cards as it turns out to need.

    A round is tried with the cards that have left; where they are not enough, one more leaves.
    """
    while progress[_PLAYED] < rounds:
        while progress[_HAS] < progress[_WANTS]:
            came = one_card(one, now, mechanics, source)
            if came != CARD:
                return came == NO_CARD_YET
            shoe[progress[_HAS]] = faces[one[0]]
            progress[_HAS] += 1
        short_before, count = tally[OUT_OF_CARDS], places[2]
        places[1] = 0
        play(
            game,
            bonus,
            strategy,
            sides,
            shoe[: progress[_HAS]],
            False,
            0,
            state,
            numbers,
            places,
            1,
            work,
            tally,
            rows,
            counts,
            log,
        )
        if tally[OUT_OF_CARDS] > short_before:
            tally[OUT_OF_CARDS], places[2] = short_before, count
            progress[_WANTS] += 1
            continue
        # Who counts at a continuous shuffler knows the cards of the round that just went back.
        places[2] -= count
        progress[_PLAYED] += 1
        progress[_HAS], progress[_WANTS] = 0, 2 * game.boxes + 1
        round_is_over(now)
    return True


def _on_a_carousel(
    made: Ready,
    mechanism: Mechanism,
    source: TwinSource,
    faces: Cards,
    rounds: int,
    tally: Counts,
    rows: Counts,
    counts: Counts,
) -> None:
    pack = len(faces)
    kept = (mechanism.bins, mechanism.capacity, mechanism.chute_low, pack, CYCLE_EVERY)
    carousel = CarouselAtAGame(source, *kept, mechanism.single, mechanism.row(pack))
    progress = np.array([0, 0, 2 * made.game.boxes + 1], dtype=np.int64)
    arguments = (
        progress,
        rounds,
        faces,
        made.game,
        made.bonus,
        made.play,
        made.sides,
        np.zeros(2 * MOST_CARDS, dtype=np.uint8),
        np.zeros(1, dtype=np.uint16),
        np.ones(16, dtype=np.uint64),
        np.zeros(BUFFER, dtype=np.uint32),
        np.array([BUFFER, 0, 0], dtype=np.int64),
        room(),
        tally,
        rows,
        counts,
        np.zeros(0, dtype=np.int64),
    )
    carousel.run(_rounds, arguments, lambda: bool(progress[_PLAYED] >= rounds))
