"""`cutcard edge machines` and `cutcard edge risk`: what dealing does to a game, and to money."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Annotated

import typer

from cutcard.cli.edge_simulate import (
    BASIC,
    AsJson,
    Boxes,
    Cores,
    Decks,
    Rounds,
    Scheduler,
    Seed,
    StrategyFile,
    Words,
    made_or_refused,
    strategy_text,
)
from cutcard.cli.edge_words import ante_of, game_named
from cutcard.cli.options import called_wrongly
from cutcard.columns import show_table
from cutcard.edge.simulate.figures import Estimate, counters_win, figures
from cutcard.edge.simulate.job import EVERY_ROUND, SHOE, Job
from cutcard.edge.simulate.machines import deals_cards
from cutcard.edge.simulate.risk import risk_of_ruin, rounds_until_it_shows
from cutcard.edge.simulate.running import Interrupted, played_shards
from cutcard.machines import find, shipped
from cutcard.progress import working

IDEAL = "ideal source"
BEYOND = 3.0
MORE_FOR_IDEAL = 8  # it is fast, and every difference is to it
ROUNDS_AN_HOUR = 60.0


@dataclass(frozen=True)
class OnAMachine:
    """A game as one machine deals it."""

    name: str
    edge: Estimate
    difference: Estimate | None
    counter: Estimate | None
    variance: float
    hours: float

    @property
    def shows(self) -> bool:
        """Whether the difference is more than three standard errors: there are several at once."""
        apart = self.difference
        return apart is not None and abs(apart.value) > BEYOND * apart.error

    def as_json(self) -> dict[str, object]:
        return {
            "dealt_by": self.name,
            "edge": self.edge.as_json(),
            "difference": self.difference.as_json() if self.difference else None,
            "beyond_chance": self.shows,
            "counter_wins": self.counter.as_json() if self.counter else None,
            "variance_of_a_round": self.variance,
            "hours_until_it_shows": None if self.hours == inf else self.hours,
        }


def machines_command(
    words: Words,
    decks: Decks,
    rounds: Rounds = 5_000_000,
    boxes: Boxes = 1,
    strategy: StrategyFile = BASIC,
    machine: Annotated[
        list[str] | None, typer.Option("--machine", help="Only this machine; several times.")
    ] = None,
    spread: Annotated[int, typer.Option(help="A counter's large wager, in small ones.")] = 8,
    count: Annotated[int, typer.Option(help="The hi-lo true count from which it lies there.")] = 2,
    an_hour: Annotated[
        float, typer.Option("--rounds-an-hour", help="Rounds that a table plays in an hour.")
    ] = ROUNDS_AN_HOUR,
    seed: Seed = "cutcard",
    cores: Cores = 0,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
) -> None:
    """The same game from an ideal source, in a shoe cut at 50 % and 75 %, and on each machine.

    Every machine deals through its twin, which is the firmware card for card. A difference is to
    the ideal source; `beyond chance` says that it is more than three standard errors. A counter
    plays the same strategy and puts down the large wager where the hi-lo count of the cards he saw
    is high: in a shoe since the shuffle, at a continuous shuffler in the round before. `hours` is
    how long a table runs until the difference shows in its drop, four times out of five.

    For example: cutcard edge machines uk-blackjack --decks 6
    """
    rulebook, variants = game_named(words)
    if not 1 <= rounds <= 10**12 or an_hour <= 0 or spread < 1:
        called_wrongly("--rounds, --rounds-an-hour and --spread must be above 0")
    job = Job(rulebook, variants, decks, strategy_text(strategy), boxes=boxes, seed=seed)
    job = replace(job, ante=ante_of(job.table.book, job.stake, None))
    made = made_or_refused(job, strategy)
    cards = decks * job.table.pack
    known = [file.stem for file in shipped() if deals_cards(find(file.stem), cards)]
    for name in machine or ():
        if name not in known:
            called_wrongly(
                f"no machine {name!r} shuffles {cards} cards; these do: {', '.join(known)}"
            )
    shoes = {
        f"shoe cut at {cut:.0%}": (replace(job, dealing=SHOE, cut=cut), "") for cut in (0.5, 0.75)
    }
    ways: dict[str, tuple[Job, str]] = {IDEAL: (replace(job, dealing=EVERY_ROUND), ""), **shoes}
    ways |= {name: (replace(job, dealing=SHOE), name) for name in machine or known}
    found: list[OnAMachine] = []
    total = rounds * (len(ways) - 1 + MORE_FOR_IDEAL)
    try:
        with working("playing", total) as work:
            for name, (table, dealt_by) in ways.items():
                work.on(name)
                number = rounds * MORE_FOR_IDEAL if name == IDEAL else rounds
                shards, whole = played_shards(
                    table,
                    rounds=number,
                    machine=dealt_by,
                    cores=cores or None,
                    scheduler=scheduler or None,
                    played=work.advance,
                )
                came_to = figures(table, made.bets, made.sides, shards)
                counter = None if name == IDEAL else counters_win(table, shards, spread, count)
                ideal = found[0].edge if found else None
                difference = _between(came_to.edge, ideal) if ideal else None
                shift = difference.value if difference else 0.0
                hours = rounds_until_it_shows(shift * boxes, came_to.variance) / an_hour
                found.append(
                    OnAMachine(
                        name,
                        edge=came_to.edge,
                        difference=difference,
                        counter=counter,
                        variance=came_to.variance,
                        hours=hours,
                    )
                )
                if not whole:
                    break
    except Interrupted:
        if not found:
            typer.echo("stopped before the first rounds were played", err=True)
            raise typer.Exit(130) from None
    if as_json:
        print(json.dumps([each.as_json() for each in found]))
    else:
        _print(found, spread, count)
    if len(found) < len(ways):
        raise typer.Exit(130)


def _between(edge: Estimate, ideal: Estimate) -> Estimate:
    return Estimate(edge.value - ideal.value, sqrt(edge.error**2 + ideal.error**2))


def _print(found: list[OnAMachine], spread: int, count: int) -> None:
    rows = [
        (
            each.name,
            _with_error(each.edge),
            _with_error(each.difference) if each.difference else "",
            "yes" if each.shows else "no" if each.difference else "",
            _with_error(each.counter) if each.counter else "",
            f"{each.hours:,.0f}" if each.shows else "",
        )
        for each in found
    ]
    wins = f"counter 1 to {spread} from +{count} wins a round"
    headings = (
        "dealt by",
        "house edge",
        "difference",
        "beyond chance",
        wins,
        "hours until it shows",
    )
    show_table(headings, rows, title="95 % intervals")


def _with_error(figure: Estimate) -> str:
    return f"{figure.value:.4%} ± {(figure.high - figure.value):.4%}"


def risk_command(
    edge: Annotated[float, typer.Option(help="The house edge of a round, in per cent: 0.52.")],
    variance: Annotated[float, typer.Option(help="The variance of a round, wager 1: 1.29.")],
    bankroll: Annotated[float, typer.Option(help="What a player has, in initial wagers.")] = 100.0,
    hours: Annotated[float, typer.Option(help="How long he plays; without end if 0.")] = 4.0,
    an_hour: Annotated[
        float, typer.Option("--rounds-an-hour", help="Rounds that a table plays in an hour.")
    ] = ROUNDS_AN_HOUR,
    shift: Annotated[
        float, typer.Option(help="By how much a fault moves the edge, in per cent; 0 for none.")
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """How likely a player is ruined, and how many hours a fault of the shuffle hides in the drop.

    Edge and variance are what `cutcard edge simulate` prints. For example:
    cutcard edge risk --edge 0.52 --variance 1.29 --bankroll 50 --hours 8 --shift 0.02
    """
    if variance <= 0 or bankroll <= 0 or hours < 0 or an_hour <= 0:
        called_wrongly("--variance, --bankroll and --rounds-an-hour are above 0, --hours not below")
    ruin = risk_of_ruin(edge / 100, variance, bankroll, hours * an_hour if hours else inf)
    hidden = rounds_until_it_shows(shift / 100, variance)
    if as_json:
        told = {"risk_of_ruin": ruin, "rounds_until_it_shows": None if hidden == inf else hidden}
        told["hours_until_it_shows"] = None if hidden == inf else hidden / an_hour
        print(json.dumps(told))
        return
    when = f"in {hours:g} hours" if hours else "in the end"
    typer.echo(f"ruined {when}: {ruin:.4%}, with {bankroll:g} initial wagers")
    if hidden != inf:
        typer.echo(
            f"a shift of {shift:g} % shows in {hidden:,.0f} rounds, {hidden / an_hour:,.0f} hours "
            "of one box (5 % false alarms, found 4 times out of 5)"
        )
