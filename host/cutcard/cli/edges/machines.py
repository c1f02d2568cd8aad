"""`cutcard edge machines` and `cutcard edge risk`: effects of dealing on a game and on money."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf, sqrt
from typing import Annotated

import typer

from cutcard.cli.edges.game_arguments import (
    Words,
    ante_of,
    boxes_words,
    decks_words,
    game_named,
    numbered,
)
from cutcard.cli.edges.own_rules import (
    OwnRules,
    PayFile,
    book_with_own,
    own_game_rules,
    own_rules_suffix,
    refuse_other_decks,
)
from cutcard.cli.edges.simulate import (
    BASIC,
    STOPPED,
    AsJson,
    Boxes,
    Cores,
    Decks,
    Rounds,
    Scheduler,
    Seed,
    StrategyFile,
    cut_short,
    made_or_refused,
    refuse_rules_without_effect,
    require_rounds,
    strategy_text,
    warn_about_other_game,
)
from cutcard.cli.options import called_wrongly
from cutcard.columns import show_table, wrapped
from cutcard.edge.game.card_worth import card_worth
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.cut_card import SHOES, cut_card_effect, rounds_to_compare_with
from cutcard.edge.simulate.figures import (
    Estimate,
    Shard,
    WatcherGain,
    counters_win,
    figures,
    watchers_win,
)
from cutcard.edge.simulate.job import EVERY_ROUND, SHOE, SHORT_SHARD, Job
from cutcard.edge.simulate.machines import deals_cards
from cutcard.edge.simulate.risk import risk_of_ruin, rounds_until_detectable
from cutcard.edge.simulate.running import (
    SimulationInterruptedError,
    cut_shards,
    having_learned,
    played_shards,
)
from cutcard.edge.simulate.watching import Gauge, gauge_of
from cutcard.machines import find, shipped
from cutcard.progress import Work, working
from cutcard.rulebooks.book import open_rulebook
from rng_certification.base.cluster import ClusterFailedError

IDEAL = "ideal source"
BEYOND = 3.0
MORE_FOR_IDEAL = 8  # it is fast, and every difference refers to it
MOST_WATCHED = 610 * SHORT_SHARD  # rounds, about five million: watching takes longer than playing
ROUNDS_AN_HOUR = 60.0
MOST_EDGE = 30.0  # per cent; the worst side wagers of the rulebooks have about a quarter
LONGEST_HOURS = 10 * 365 * 24  # a table that never closes for ten years
NEVER = "never in practice"


@dataclass(frozen=True)
class MachineResult:
    """A game dealt by one machine."""

    name: str
    rounds: int
    edge: Estimate
    difference: Estimate | None
    counter: Estimate | None
    watchers: Mapping[str, WatcherGain]
    variance: float
    hours: float

    @property
    def shows(self) -> bool:
        """Return whether the difference is more than three standard errors, for several
        comparisons."""
        apart = self.difference
        return apart is not None and abs(apart.value) > BEYOND * apart.error

    @property
    def hours_until_detectable(self) -> float | None:
        """Return the hours until the difference shows; None if it may be chance."""
        return self.hours if self.shows else None

    def as_json(self) -> dict[str, object]:
        return {
            "dealt_by": self.name,
            "rounds": self.rounds,
            "edge": self.edge.as_json(),
            "difference": self.difference.as_json() if self.difference else None,
            "beyond_chance": self.shows,
            "counter_wins": self.counter.as_json() if self.counter else None,
            "watcher_wins": {name: each.as_json() for name, each in self.watchers.items()},
            "variance_of_a_round": self.variance,
            "hours_until_it_shows": self.hours_until_detectable,
        }


def machines_command(
    words: Words,
    decks: Decks,
    rounds: Rounds = 5_000_000,
    boxes: Boxes = 1,
    strategy: StrategyFile = BASIC,
    own: OwnRules = None,
    paytable: PayFile = None,
    machine: Annotated[
        list[str] | None, typer.Option("--machine", help="Only this machine (repeatable).")
    ] = None,
    spread: Annotated[
        int, typer.Option(help="A counter's large wager, in multiples of the small one.")
    ] = 8,
    count: Annotated[
        int, typer.Option(help="The hi-lo true count from which the counter makes it.")
    ] = 2,
    an_hour: Annotated[
        float, typer.Option("--rounds-an-hour", help="Rounds that a table plays in an hour.")
    ] = ROUNDS_AN_HOUR,
    seed: Seed = "cutcard",
    cores: Cores = 0,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
) -> None:
    """Compare a game dealt by an ideal source, by a shoe cut at 50 % and 75 %, and by each machine.

    Every machine deals through its twin, which equals the firmware card for card. Differences are
    relative to the ideal source. The difference of a shoe is the effect of the cutting card, found
    by dealing every shoe to the card and to a fixed number of rounds. `beyond chance` marks a
    difference of more than three standard errors. `hours` is the time until the difference shows in
    a table's drop, four times out of five; it is given only for differences beyond chance.

    The ideal source plays eight times --rounds, because every difference refers to it. About as
    many rounds again are dealt in each shoe to find the effect of the cutting card; `rounds` does
    not count them.

    Three counters play the same strategy, and make the large wager, --spread times the small one,
    when it promises to win. The first keeps the hi-lo count of the cards seen: in a shoe since the
    shuffle, at a continuous shuffler in the round before. The second knows exactly which cards are
    left, and the value of each in this game. The third has also seen the order in which every card
    was put back, and has learned how this machine deals. The last two watch the first five million
    rounds.

    For example: cutcard edge machines uk-blackjack --decks 6
    """
    rulebook, variants = game_named(words)
    require_rounds(rounds)
    if an_hour <= 0 or spread < 1:
        called_wrongly("--rounds-an-hour and --spread must be above 0")
    of_ones_own = own_game_rules(own, paytable)
    values = of_ones_own.values
    book = book_with_own(open_rulebook(rulebook, variants), values)
    refuse_other_decks(book, values, decks)
    text = strategy_text(strategy)
    job = Job(rulebook, variants, decks, text, boxes=boxes, seed=seed, own=values)
    job = replace(job, ante=ante_of(job.table.book, job.stake, None))
    made = made_or_refused(job, strategy, cores)
    refuse_rules_without_effect(job, of_ones_own, own)
    warn_about_other_game(job, strategy)
    cards = decks * job.table.pack
    able = [file.stem for file in shipped() if deals_cards(find(file.stem), cards)]
    for name in machine or ():
        if name not in able:
            called_wrongly(
                f"no machine {name!r} shuffles {cards} cards; these do: {', '.join(able)}"
            )
    shoes = {
        f"shoe cut at {cut:.0%}": (replace(job, dealing=SHOE, cut=cut), "") for cut in (0.5, 0.75)
    }
    ways: dict[str, tuple[Job, str]] = {IDEAL: (replace(job, dealing=EVERY_ROUND), ""), **shoes}
    ways |= {name: (replace(job, dealing=SHOE), name) for name in machine or able}
    found: list[MachineResult] = []
    lost: list[str] = []
    cards_a_round, whole = 0.0, True
    with working("computing the value of each card to a counter"):
        gauge = _gauge(job, spread)
    total = rounds * (len(ways) - 1 + MORE_FOR_IDEAL * (1 + len(shoes)))
    try:
        with working("playing", total) as work:
            for name, (table, dealt_by) in ways.items():
                work.on(name)
                number = rounds * MORE_FOR_IDEAL if name == IDEAL else rounds
                play = partial(
                    played_shards,
                    table,
                    machine=dealt_by,
                    cores=cores or None,
                    scheduler=scheduler or None,
                    played=work.advance,
                    lost=lost.append,
                )
                known = None
                if name != IDEAL:
                    work.on(f"{name}, training a counter")
                    known = replace(gauge, edge=found[0].edge.value)
                    known = having_learned(table, dealt_by, known, cores or None)
                    work.on(name)
                watched, shards, whole = _watched_first(play, number, known)
                came_to = figures(table, made.bets, made.sides, shards)
                edge = came_to.edge
                difference = _between(edge, found[0].edge) if found else None
                if name == IDEAL:
                    cards_a_round = came_to.cards
                elif name in shoes and whole:
                    work.on(f"{name}, and the same shoes without the card")
                    a_shoe = table.cut * cards / cards_a_round + 1  # rounds, about
                    wanted = max(1, round(rounds * MORE_FOR_IDEAL / a_shoe))
                    share = rounds * MORE_FOR_IDEAL / -(-wanted // SHOES)
                    run = partial(
                        cut_shards,
                        table,
                        wanted,
                        rounds_to_compare_with(cards, table.cut, cards_a_round),
                        cores=cores or None,
                        scheduler=scheduler or None,
                        played=partial(_advance_one_shard, work, share),
                        lost=lost.append,
                    )
                    more, whole = _until_interrupted(run)
                    if more:
                        difference = cut_card_effect(table, more, found[0].edge)
                        edge = _together(found[0].edge, difference)
                shift = difference.value if difference else 0.0
                hours = rounds_until_detectable(shift * boxes, came_to.variance) / an_hour
                found.append(
                    MachineResult(
                        name,
                        rounds=came_to.rounds,
                        edge=edge,
                        difference=difference,
                        counter=counters_win(table, shards, spread, count) if known else None,
                        watchers=watchers_win(table, watched) if watched else {},
                        variance=came_to.variance,
                        hours=hours,
                    )
                )
                if not whole:
                    break
    except (SimulationInterruptedError, KeyboardInterrupt):
        if not found:
            typer.echo("Stopped before the first rounds were played", err=True)
            raise typer.Exit(130) from None
    except ClusterFailedError as failed:
        if not found:
            called_wrongly(f"--scheduler: {failed}")
    complete = whole and len(found) == len(ways)
    if as_json:
        game = {"rulebook": rulebook, "variants": list(variants), "decks": decks, "boxes": boxes}
        asked = {"strategy": strategy, "seed": seed, "complete": complete}
        asked |= {"rules_of_ones_own": values}
        counted = {"large_wager": spread, "from_count": count}
        print(json.dumps([{**each.as_json(), **game, **asked, **counted} for each in found]))
    else:
        game_played = f"{rulebook} {' '.join(variants)}, {decks_words(decks)}, {boxes_words(boxes)}"
        if not complete:
            typer.echo(STOPPED)
        changed = own_rules_suffix(values)
        _print(f"{game_played}, strategy {strategy}{changed}", found, spread, count)
    if not complete:
        raise typer.Exit(cut_short(lost))


def _advance_one_shard(work: Work, share: float, rounds: int) -> None:
    """Advance the progress by a shard, whose shoes are all dealt, even if fewer are wanted."""
    work.advance(share)


def _watched_first(
    play: Callable[..., tuple[list[Shard], bool]], rounds: int, known: Gauge | None
) -> tuple[list[Shard], list[Shard], bool]:
    """Return the rounds watched by counters, all rounds, and whether all were completed."""
    if known is None:
        shards, whole = play(rounds)
        return [], shards, whole
    watched, whole = play(min(rounds, MOST_WATCHED), gauge=known)
    if not whole or rounds <= MOST_WATCHED:
        return watched, watched, whole
    try:
        more, whole = play(rounds - MOST_WATCHED, after=len(watched))
    except (SimulationInterruptedError, ClusterFailedError):
        return watched, watched, False
    return watched, watched + more, whole


def _until_interrupted(run: Callable[[], tuple[list[Shard], bool]]) -> tuple[list[Shard], bool]:
    """Return the shards played, or an empty list if the run was interrupted before the first."""
    try:
        return run()
    except (SimulationInterruptedError, ClusterFailedError):
        return [], False


def _gauge(job: Job, spread: int) -> Gauge:
    """Return the value of cards at this table, for this spread of wagers."""
    table = job.table
    ante = Fraction(job.ante, job.stake) if job.ante else None
    rules = money_rules(table.book, job.decks, wager=Fraction(job.stake, 100), ante=ante)
    return gauge_of(card_worth(rules), job.boxes, spread)


def _between(edge: Estimate, ideal: Estimate) -> Estimate:
    return Estimate(edge.value - ideal.value, sqrt(edge.error**2 + ideal.error**2))


def _together(ideal: Estimate, effect: Estimate) -> Estimate:
    return Estimate(ideal.value + effect.value, sqrt(ideal.error**2 + effect.error**2))


def _print(name: str, found: list[MachineResult], spread: int, count: int) -> None:
    rows = [
        (
            each.name,
            f"{each.rounds:,}",
            _with_error(each.edge),
            _with_error(each.difference) if each.difference else "",
            "yes" if each.shows else "no" if each.difference else "",
            _until(hours) if (hours := each.hours_until_detectable) is not None else "",
        )
        for each in found
    ]
    headings = (
        "dealt by",
        "rounds",
        "house edge",
        "difference",
        "beyond chance",
        "hours until it shows",
    )
    show_table(headings, rows, title=f"{name}: the house edge, with 95 % intervals")
    counted = [each for each in found if each.counter is not None]
    if not counted:
        return
    counters = ("dealt by", f"hi-lo, from +{count}", "by the cards left", "sees every discard")
    cells = [
        (
            each.name,
            _with_error(each.counter) if each.counter else "",
            *(_with_error(watched.win) for watched in each.watchers.values()),
        )
        for each in counted
    ]
    title = f"a counter's gain per round, in small wagers; the large wager is {spread} of them"
    show_table(counters, cells, title=title)


def _until(hours: float) -> str:
    """Return hours in words, for the time until a defect shows in the drop."""
    return f"{hours:,.0f}" + (f" ({NEVER})" if hours > LONGEST_HOURS else "")


def _with_error(figure: Estimate) -> str:
    return f"{figure.value:.4%} ± {(figure.high - figure.value):.4%}"


def risk_command(
    edge: Annotated[float, typer.Option(help="The house edge of a round, in per cent: 0.52.")],
    variance: Annotated[float, typer.Option(help="The variance of a round, wager 1: 1.29.")],
    bankroll: Annotated[float, typer.Option(help="The player's money, in initial wagers.")] = 100.0,
    hours: Annotated[float, typer.Option(help="Hours of play; 0: unlimited.")] = 4.0,
    an_hour: Annotated[
        float, typer.Option("--rounds-an-hour", help="Rounds that a table plays in an hour.")
    ] = ROUNDS_AN_HOUR,
    shift: Annotated[
        float, typer.Option(help="The change of the edge by a defect, in per cent; 0: no defect.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """The risk of ruin, and the hours of play until a defect of the shuffle shows in the drop.

    Edge and variance refer to a round, as printed by `cutcard edge simulate` for one box. With
    several boxes it prints the edge of one wager, and the variance of all boxes together: multiply
    edge and shift by the number of boxes.

    Exit 2: an edge or a shift above 30 %, which is usually a share instead of per cent.

        cutcard edge risk --edge 0.52 --variance 1.29 --bankroll 50 --shift 0.02
    """
    for option, percent in (("--edge", edge), ("--shift", shift)):
        if abs(percent) > MOST_EDGE:
            called_wrongly(
                f"{option} {percent:g}: more than {MOST_EDGE:g} % of a wager is not the edge of a "
                f"table game. The unit is per cent: did you mean {percent / 100:g}?"
            )
    if variance <= 0 or bankroll <= 0 or hours < 0 or an_hour <= 0:
        called_wrongly(
            "--variance, --bankroll and --rounds-an-hour must be above 0, --hours 0 or more"
        )
    ruin = risk_of_ruin(edge / 100, variance, bankroll, hours * an_hour if hours else inf)
    hidden = rounds_until_detectable(shift / 100, variance)
    if as_json:
        result = {"risk_of_ruin": ruin, "rounds_until_it_shows": None if hidden == inf else hidden}
        result["hours_until_it_shows"] = None if hidden == inf else hidden / an_hour
        print(json.dumps(result))
        return
    when = f"in {numbered(f'{hours:g}', 'hour', 'hours')}" if hours else "in the end"
    typer.echo(f"ruined {when}: {ruin:.4%}, with {bankroll:g} initial wagers")
    if hidden != inf:
        rounds = numbered(f"{hidden:,.0f}", "round", "rounds")
        shows = (
            f"a shift of {shift:g} % shows in {rounds}, "
            f"{numbered(f'{hidden / an_hour:,.0f}', 'hour', 'hours')} "
            "of one box (5 % false alarms, found 4 times out of 5)"
        )
        if hidden / an_hour > LONGEST_HOURS:
            shows += f": {NEVER}"
        typer.echo("\n".join(wrapped(shows, later="  ")))
