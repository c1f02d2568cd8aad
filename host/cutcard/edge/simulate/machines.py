"""A game on our machines, through their twins: the effect of a machine's way of shuffling.

A batch shuffler shuffles the entire pack; the cards are then in a shoe with a cutting card, and go
back into the tray in the order in which they were dealt, those behind the cutting card last. A
carousel takes the cards of a round back before the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cutcard.edge.simulate.drawing import BUFFER, Cards
from cutcard.edge.simulate.job import Job, Ready, cached_ready, whole_pack
from cutcard.edge.simulate.kernel import COUNTS, MAIN, OUT_OF_CARDS, ROUNDS, TALLY, play
from cutcard.edge.simulate.room import HI_LO, room
from cutcard.edge.simulate.side_bets import MOST_ROWS
from cutcard.edge.simulate.watching import Gauge, Watcher
from cutcard.machines import Machine, find
from rng_certification.base.compiled import Counts, Decks, Floats, compiled
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

BATCH = 64  # packs that a twin shuffles together
# The progress of the rounds on a carousel, by place in `progress`.
_PLAYED, _HAS, _WANTS = range(3)


def run_machine_shard(
    data: Mapping[str, Any], machine: str, shard: int, rounds: int
) -> list[list[int]]:
    """Return the counts of one shard of a job on a machine, as plain data."""
    return _played(_job(data), machine, shard, rounds, None)


def run_watched_shard(
    data: Mapping[str, Any], machine: str, gauge: Mapping[str, Any], shard: int, rounds: int
) -> list[list[int]]:
    """Return the counts, and the watchers' gains; without a machine, for an ideally shuffled
    shoe."""
    counted, watcher = _watched(data, machine, gauge, shard, rounds)
    return [*counted, watcher.sums.ravel().tolist()]


def seen_in_a_shard(
    data: Mapping[str, Any], machine: str, gauge: Mapping[str, Any], shard: int, rounds: int
) -> tuple[Floats, Floats]:
    """Return a learning watcher's observations in a shard: hits and exposures of each class."""
    _, watcher = _watched(data, machine, gauge, shard, rounds)
    return watcher.hits, watcher.exposures


def _watched(
    data: Mapping[str, Any], machine: str, gauge: Mapping[str, Any], shard: int, rounds: int
) -> tuple[list[list[int]], Watcher]:
    job = _job(data)
    watcher = Watcher(_faces(job, machine, shard), Gauge(**gauge))
    return _played(job, machine, shard, rounds, watcher), watcher


def _faces(job: Job, machine: str, shard: int) -> Cards:
    """Return the cards of a shard by their identities: in any order, from the shard's name."""
    faces = whole_pack(job.decks, job.table.pack)
    np.random.default_rng(_number(_name(job, machine, shard))).shuffle(faces)
    return faces


def _name(job: Job, machine: str, shard: int) -> str:
    return f"{job.seed}/{machine}/{shard}"


def _number(name: str) -> int:
    return int.from_bytes(name.encode(), "big") % 2**64


def _job(data: Mapping[str, Any]) -> Job:
    return Job(**{**data, "variants": tuple(data["variants"])})


def _played(
    job: Job, machine: str, shard: int, rounds: int, watcher: Watcher | None
) -> list[list[int]]:
    made = cached_ready(job)
    made = made._replace(sides=made.sides._replace(carried=np.zeros_like(made.sides.carried)))
    counted = ShardCounts(
        np.zeros(TALLY, dtype=np.int64),
        np.zeros(len(made.bets) * MOST_ROWS, dtype=np.int64),
        np.zeros(COUNTS, dtype=np.int64),
    )
    name, faces = _name(job, machine, shard), _faces(job, machine, shard)
    kept = _RoundLog(rounds if watcher is not None else 0, job.boxes, watcher)
    if not machine:
        chance = np.random.default_rng(_number(f"{name}/shoes"))
        _from_shoes(
            made, _ideal(chance, len(faces)), faces, job.cut, rounds, counted, kept, job.tags
        )
        return counted.as_lists()
    mechanism, source = Mechanism.of(find(machine)), start(name)
    if mechanism.kind == "carousel":
        _on_a_carousel(made, mechanism, source, faces, rounds, counted, kept, job.tags)
    else:
        orders = _shuffled(source, mechanism, len(faces))
        _from_shoes(made, orders, faces, job.cut, rounds, counted, kept, job.tags)
    return counted.as_lists()


class ShardCounts(NamedTuple):
    """The counts of one shard, as the kernel sums them."""

    tally: Counts
    rows: Counts
    counts: Counts

    def as_lists(self) -> list[list[int]]:
        return [each.tolist() for each in self]


class _RoundLog:
    """The cards and the result of each round, for watchers; empty without watchers."""

    def __init__(self, rounds: int, boxes: int, watcher: Watcher | None) -> None:
        self.watcher = watcher
        self.ends = np.zeros(rounds, dtype=np.int64)
        self.nets = np.zeros(rounds, dtype=np.int64)
        # A round takes 2.7 cards a box and for the dealer on average; there is room for twice that.
        cards = MOST_CARDS + 6 * (boxes + 1) * rounds if rounds else 0
        self.dealt = np.zeros(cards, dtype=np.uint16)


def _ideal(chance: np.random.Generator, cards: int) -> Iterator[Decks]:
    packs = np.tile(np.arange(cards, dtype=np.uint16), (BATCH, 1))
    while True:
        yield from chance.permuted(packs, axis=1)


def _shuffled(source: TwinSource, mechanism: Mechanism, cards: int) -> Iterator[Decks]:
    while True:
        yield from next(iter(shuffles(source, mechanism, cards, BATCH, BATCH)))


def deals_cards(machine: Machine, cards: int) -> bool:
    """Return whether a machine shuffles this many cards."""
    mechanism = Mechanism.of(machine) if machine.kind == "shuffler" else None
    return mechanism is not None and cards <= mechanism.bins * mechanism.capacity


@compiled
def _one_shoe(
    game: Any,
    bonus: Any,
    strategy: Any,
    sides: Any,
    shoe: Cards,
    stop: int,
    rounds: int,
    state: Any,
    numbers: Any,
    places: Any,
    work: Any,
    tally: Any,
    rows: Any,
    counts: Any,
    log: Any,
    ends: Counts,
    nets: Counts,
) -> int:
    """Return the rounds of a shoe, each with its end and its winnings, and their number."""
    played = 0
    while places[1] < stop and played < rounds:
        won, short = tally[MAIN], tally[OUT_OF_CARDS]
        play(
            game,
            bonus,
            strategy,
            sides,
            shoe,
            False,
            -stop,
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
        if tally[OUT_OF_CARDS] > short:
            break
        ends[played], nets[played] = places[1], tally[MAIN] - won
        played += 1
    return played


def _from_shoes(
    made: Ready,
    orders: Iterator[Decks],
    faces: Cards,
    cut: float,
    rounds: int,
    counted: ShardCounts,
    kept: _RoundLog,
    tags: Sequence[int] = HI_LO,
) -> None:
    """Play shoe after shoe: the tray's cards go in again, in the order in which they were dealt."""
    stop = max(1, int(cut * len(faces)))
    places, played, work = np.zeros(3, dtype=np.int64), 0, room(tags)
    numbers, state = np.zeros(BUFFER, dtype=np.uint32), np.ones(16, dtype=np.uint64)
    log = np.zeros(0, dtype=np.int64)
    tally = counted.tally
    tray = np.arange(len(faces), dtype=np.uint16)
    while played < rounds:
        shoe = tray[next(orders)]
        places[:] = BUFFER, 0, 0
        game = (made.game, made.bonus, made.play, made.sides, faces[shoe])
        left = rounds - played
        if kept.watcher is None:
            play(*game, False, -stop, state, numbers, places, left, work, *counted, log)
        else:
            noted = (*counted, log, kept.ends, kept.nets)
            number = _one_shoe(*game, stop, left, state, numbers, places, work, *noted)
            ends, nets = kept.ends[:number], kept.nets[:number]
            kept.watcher.see(tray, shoe, ends, nets, put_back=False)
        tray = shoe
        played = int(tally[ROUNDS] + tally[OUT_OF_CARDS])


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
    ids: Decks,
    dealt: Decks,
    ends: Counts,
    nets: Counts,
) -> bool:
    """Play all rounds, each with as many cards as it needs.

    A round is tried with the cards that have left; if they are not enough, one more leaves.
    """
    while progress[_PLAYED] < rounds:
        while progress[_HAS] < progress[_WANTS]:
            came = one_card(one, now, mechanics, source)
            if came != CARD:
                return came == NO_CARD_YET
            shoe[progress[_HAS]] = faces[one[0]]
            ids[progress[_HAS]] = one[0]
            progress[_HAS] += 1
        short_before, count, won = tally[OUT_OF_CARDS], places[2], tally[MAIN]
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
        # A counter at a continuous shuffler knows the cards of the round that was just returned.
        places[2] -= count
        if len(nets) > 0:
            played = progress[_PLAYED]
            first = ends[played - 1] if played > 0 else 0
            for i in range(progress[_HAS]):
                dealt[first + i] = ids[i]
            ends[played], nets[played] = first + progress[_HAS], tally[MAIN] - won
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
    counted: ShardCounts,
    kept: _RoundLog,
    tags: Sequence[int] = HI_LO,
) -> None:
    pack = len(faces)
    machine = (mechanism.bins, mechanism.capacity, mechanism.chute_low, pack, CYCLE_EVERY)
    carousel = CarouselAtAGame(source, *machine, mechanism.single, mechanism.row(pack))
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
        room(tags),
        *counted,
        np.zeros(0, dtype=np.int64),
        np.zeros(2 * MOST_CARDS, dtype=np.uint16),
        kept.dealt,
        kept.ends,
        kept.nets,
    )
    carousel.run(_rounds, arguments, lambda: bool(progress[_PLAYED] >= rounds))
    if kept.watcher is not None:
        tray = np.arange(pack, dtype=np.uint16)
        kept.watcher.see(tray, kept.dealt, kept.ends, kept.nets, put_back=True)
