"""The plain data of a simulation, and one shard of it: the same numbers on every computer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from cutcard.cards import RANKS
from cutcard.edge.own_rules import with_own
from cutcard.edge.simulate.deviations import Deviation, varied
from cutcard.edge.simulate.drawing import BUFFER, Cards, generator
from cutcard.edge.simulate.game import KernelGame, bonus_of, game_of
from cutcard.edge.simulate.kernel import COUNTS, TALLY, play
from cutcard.edge.simulate.room import HI_LO, room
from cutcard.edge.simulate.side_bets import MOST_ROWS, SideBet, Sides, side_bets_of, sides_of
from cutcard.edge.simulate.strategy import Play, play_of
from cutcard.edge.strategy import read_strategy
from cutcard.engine.state import Placed, Table
from cutcard.rulebooks.book import Rulebook, open_rulebook
from rng_certification.base.compiled import Counts

EVERY_ROUND, SHOE = "every-round", "shoe"
SHARD = 1 << 20  # rounds of a shard if each is dealt from a full pack
# rounds of a shard if they are not independent: intervals then use entire shards
SHORT_SHARD = 1 << 13


@dataclass(frozen=True)
class Job:
    """A table, its players and how it is dealt.

    `cut` is the share of a shoe before the cutting card, `own` the rules that replace the
    rulebook's. A counter keeps the count with these `tags`, from the ace to the ten, and plays the
    `deviations` from the strategy by the true count before the round.
    """

    rulebook: str
    variants: tuple[str, ...]
    decks: int
    strategy: str  # the text of its file
    boxes: int = 1
    stake: int = 1000
    sides: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    blackjack: str | None = None
    ante: int | None = None
    forced_draw: bool = False
    chip: int | None = None
    meters: Mapping[str, int] = field(default_factory=dict)
    dealing: str = EVERY_ROUND
    cut: float = 0.75
    seed: str = "cutcard"
    own: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[int, ...] = HI_LO
    deviations: tuple[Deviation, ...] = ()

    @property
    def book(self) -> Rulebook:
        return with_own(open_rulebook(self.rulebook, tuple(self.variants)), self.own)

    @property
    def table(self) -> Table:
        return Table(
            self.book,
            decks=self.decks,
            blackjack=self.blackjack,
            ante=self.ante,
            minimum=self.stake if self.ante is not None else None,
            forced_draw=self.forced_draw,
            chip=self.chip,
            offers={bet: choice for bet, (choice, _) in self.sides.items()},
            meters=dict(self.meters),
        )

    @property
    def placed(self) -> list[Placed]:
        mains = [Placed(b, f"P{b}", "main", self.stake) for b in range(1, self.boxes + 1)]
        return mains + [
            Placed(b, f"P{b}", bet, stake)
            for bet, (_, stake) in self.sides.items()
            for b in range(1, self.boxes + 1)
        ]

    @property
    def shard_rounds(self) -> int:
        return SHARD if self.dealing == EVERY_ROUND else SHORT_SHARD


class Ready(NamedTuple):
    """A job with everything that the kernel needs."""

    game: KernelGame
    bonus: Counts
    play: Play
    sides: Sides
    bets: tuple[SideBet, ...]


def ready(job: Job) -> Ready:
    """Prepare a job for the kernel.

    Raises RefusedTableError, NotSimulatedError, BadStrategyError and the errors of `open_rulebook`.
    """
    table, placed = job.table, job.placed
    game = game_of(table, placed)
    return Ready(
        game,
        bonus_of(table, job.stake),
        varied(play_of(read_strategy(job.strategy), game), job.deviations),
        sides_of(table, placed),
        tuple(side_bets_of(table, placed)),
    )


def whole_pack(decks: int, pack: int) -> Cards:
    """Return every card of the shoe by its code, unshuffled."""
    codes = [
        suit * len(RANKS) + rank
        for suit in range(4)
        for rank, name in enumerate(RANKS)
        if pack == 52 or name != "T"
    ]
    return np.array(codes * decks, dtype=np.uint8)


def rounds_of(job: Job, shard: int, rounds: int) -> int:
    """Return the number of rounds in a shard."""
    return min(job.shard_rounds, rounds - shard * job.shard_rounds)


def run_shard(data: Mapping[str, Any], shard: int, rounds: int) -> list[list[int]]:
    """Return the counts of one shard: the tally, the rows of side wagers, and by true count."""
    counted = ShardPlay(data, shard)
    counted.play(rounds, np.zeros(0, dtype=np.int64))
    return [each.tolist() for each in (counted.tally, counted.rows, counted.counts)]


class ShardPlay:
    """One shard of a job in play: its rounds are the same however they are divided into calls."""

    def __init__(self, data: Mapping[str, Any], shard: int) -> None:
        self.job = job = Job(**{**data, "variants": tuple(data["variants"])})
        self.made = made = cached_ready(job)
        table = job.table
        self._shoe = whole_pack(table.decks, table.pack)
        self.tally = np.zeros(TALLY, dtype=np.int64)
        self.rows = np.zeros(len(made.bets) * MOST_ROWS, dtype=np.int64)
        self._fresh = job.dealing == EVERY_ROUND
        self._cut = 0 if self._fresh else max(1, int(job.cut * len(self._shoe)))
        at = 0 if self._fresh else len(self._shoe)
        self._places = np.array([BUFFER, at, 0], dtype=np.int64)
        self.counts = np.zeros(0 if self._fresh else COUNTS, dtype=np.int64)
        self._sides = made.sides._replace(carried=np.zeros_like(made.sides.carried))
        self._state = generator(job.seed, shard)
        self._numbers = np.zeros(BUFFER, dtype=np.uint32)
        self._room = room(job.tags)

    def play(self, rounds: int, log: Counts) -> None:
        """Play the next rounds; `log` takes their cards, decisions and payments if it has room."""
        play(
            self.made.game,
            self.made.bonus,
            self.made.play,
            self._sides,
            self._shoe,
            self._fresh,
            self._cut,
            self._state,
            self._numbers,
            self._places,
            rounds,
            self._room,
            self.tally,
            self.rows,
            self.counts,
            log,
        )


_READY: dict[str, Ready] = {}


def cached_ready(job: Job) -> Ready:
    """Return the tables of a job, from a cache after the first shard."""
    key = repr(job)
    if key not in _READY:
        _READY.clear()
        _READY[key] = ready(job)
    return _READY[key]
