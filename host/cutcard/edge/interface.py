"""Exact analysis and simulation of a game, for programs. Needs `cutcard[certify]`.

    game = GameSetup("uk-blackjack", decks=6, rules={"dealer.peeks": True})
    analyse(game).edge  # exact, of the initial wager
    simulate(game, 10_000_000, seed="mine").edge  # an Estimate with its 95 % interval
    play_rounds(game, 100_000).boxes["net"].mean()  # numpy arrays; .frames() for pandas

The same seed gives the same rounds, with any number of cores and on a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import resources
from typing import TYPE_CHECKING, Any

from cutcard.edge.game.figures import GameFigures, figures_of
from cutcard.edge.game.splits import NotAnalysedError
from cutcard.edge.money_rules import MoneyRules, money_rules
from cutcard.edge.own_rules import BadRuleError
from cutcard.edge.simulate.figures import Estimate, SideFigures, SimulationFigures
from cutcard.edge.simulate.game import NotSimulatedError, RefusedTableError, game_of
from cutcard.edge.simulate.job import EVERY_ROUND, SHOE, Job, ready
from cutcard.edge.simulate.machines import deals_cards
from cutcard.edge.simulate.rounds import ACTIONS, DECISIONS, PAYMENTS, PlayedRounds
from cutcard.edge.simulate.running import SimulationInterruptedError, play_recorded
from cutcard.edge.simulate.running import simulate as _simulate
from cutcard.edge.strategy import BadStrategyError, Strategy, as_json, read_strategy
from cutcard.machines import find
from cutcard.rulebooks.book import Rulebook
from rng_certification.base.cluster import ClusterFailedError

if TYPE_CHECKING:
    from distributed import Client

__all__ = [
    "ACTIONS",
    "DECISIONS",
    "PAYMENTS",
    "BadRuleError",
    "BadStrategyError",
    "ClusterFailedError",
    "Estimate",
    "GameFigures",
    "GameSetup",
    "NotAnalysedError",
    "NotSimulatedError",
    "PlayedRounds",
    "RefusedTableError",
    "SideFigures",
    "SimulationFigures",
    "SimulationInterruptedError",
    "Strategy",
    "analyse",
    "basic_strategy",
    "play_rounds",
    "read_strategy",
    "simulate",
]

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class GameSetup:
    """A game, its table and its players, for `analyse`, `simulate` and `play_rounds`.

    `rulebook` is a name or the path of a folder; `rules` replaces values of its keys. `stake`, the
    stakes of `sides` (`{bet: (pay scale, stake)}`), `ante` and `meters` are in cents. `dealing` is
    "every-round", "shoe" or the name of a machine; `cut` is the share of a shoe before the cutting
    card.
    """

    rulebook: str
    variants: tuple[str, ...] = ()
    decks: int = 6
    rules: Mapping[str, Any] = field(default_factory=dict)
    boxes: int = 1
    stake: int = 1000
    sides: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    blackjack: str | None = None
    ante: int | None = None
    forced_draw: bool = False
    meters: Mapping[str, int] = field(default_factory=dict)
    dealing: str = EVERY_ROUND
    cut: float = 0.75

    @property
    def book(self) -> Rulebook:
        """The rulebook with the replaced values. Raises BadRuleError."""
        return self._job("", "").book

    def _job(self, strategy: str, seed: str) -> Job:
        return Job(
            rulebook=self.rulebook,
            variants=tuple(self.variants),
            decks=self.decks,
            strategy=strategy,
            boxes=self.boxes,
            stake=self.stake,
            sides=dict(self.sides),
            blackjack=self.blackjack,
            ante=self.ante,
            forced_draw=self.forced_draw,
            meters=dict(self.meters),
            dealing=self.dealing if self.dealing == EVERY_ROUND else SHOE,
            cut=self.cut,
            seed=seed,
            own=dict(self.rules),
        )

    @property
    def _machine(self) -> str:
        """The machine that deals; empty without one. Raises NotSimulatedError for another word."""
        if self.dealing in (EVERY_ROUND, SHOE):
            return ""
        cards = self.decks * int(self.book["cards.pack"].value)
        if not deals_cards(find(self.dealing), cards):
            raise NotSimulatedError(f"{self.dealing} cannot deal {cards} cards")
        return self.dealing


def analyse(game: GameSetup) -> GameFigures:
    """Return the exact figures and the best strategy of a game with one box and a full pack.

    Raises BadRuleError, RefusedTableError and NotAnalysedError.
    """
    job = game._job("", "")
    game_of(job.table, job.placed[:1])
    return figures_of(_money(game))


def simulate(
    game: GameSetup,
    rounds: int,
    *,
    strategy: Strategy | None = None,
    seed: str = "cutcard",
    cores: int | None = None,
    scheduler: str | Client | None = None,
    progress: Progress | None = None,
) -> SimulationFigures:
    """Play rounds and return the edge with its interval. The default strategy is the basic one.

    `cores` is all by default. `scheduler` is the address of a Dask scheduler, or a client that
    stays open. `progress` is called with the rounds played and all rounds.

    Raises RefusedTableError, NotSimulatedError, BadStrategyError, BadRuleError, ClusterFailedError,
    and SimulationInterruptedError after Ctrl-C.
    """
    _require_rounds(rounds)
    job = game._job(_text(strategy), seed)
    found, whole = _simulate(
        job,
        ready(job),
        rounds,
        machine=game._machine,
        cores=cores,
        scheduler=scheduler,
        played=_counting(progress, rounds),
    )
    if not whole:
        raise SimulationInterruptedError(f"stopped after {found.rounds:,} of {rounds:,} rounds")
    return found


def play_rounds(
    game: GameSetup,
    rounds: int,
    *,
    strategy: Strategy | None = None,
    seed: str = "cutcard",
    cores: int | None = None,
    scheduler: str | Client | None = None,
    progress: Progress | None = None,
) -> PlayedRounds:
    """Play the rounds that `simulate` would play, and return their cards, decisions and results.

    The parameters and errors are those of `simulate`. A machine cannot deal: NotSimulatedError.
    """
    _require_rounds(rounds)
    if game._machine:
        raise NotSimulatedError(f"rounds from {game.dealing} are not recorded; use simulate")
    job = game._job(_text(strategy), seed)
    ready(job)
    return play_recorded(job, rounds, cores, scheduler, _counting(progress, rounds))


def basic_strategy() -> Strategy:
    """Return the built-in strategy."""
    return read_strategy(_text(None))


def _money(game: GameSetup) -> MoneyRules:
    ante = Fraction(game.ante, game.stake) if game.ante is not None else None
    return money_rules(
        game.book,
        game.decks,
        blackjack=game.blackjack,
        wager=Fraction(game.stake, 100),
        ante=ante,
        forced_draw=game.forced_draw,
    )


def _text(strategy: Strategy | None) -> str:
    if strategy is not None:
        return as_json(strategy)
    return (resources.files("cutcard.edge.simulate") / "basic.json").read_text("utf-8")


def _require_rounds(rounds: int) -> None:
    if rounds < 1:
        raise NotSimulatedError(f"{rounds} rounds: play at least 1")


def _counting(progress: Progress | None, rounds: int) -> Callable[[int], None]:
    """Return a callback for parts of a run that reports the sum of all parts."""
    done = 0

    def played(number: int) -> None:
        nonlocal done
        done += number
        if progress is not None:
            progress(done, rounds)

    return played
