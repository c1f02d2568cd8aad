"""`cutcard edge counting`: the win of a card counter, in a shoe and at our machines."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from typing import Annotated, Any

import typer

from cutcard.cli.edges.game_arguments import Words, ante_of, decks_words, game_named
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
from cutcard.columns import show_table
from cutcard.edge.counting.counts import COUNTS, CardCount, pack_shares
from cutcard.edge.counting.indices import PlayIndex, indices
from cutcard.edge.counting.ramp import (
    CountBucket,
    SpreadFigures,
    buckets,
    optimal_bets,
    simple_bets,
    spread_figures,
)
from cutcard.edge.game.card_worth import card_worth
from cutcard.edge.game.splits import NotAnalysedError
from cutcard.edge.money_rules import money_rules
from cutcard.edge.simulate.job import SHOE, Job
from cutcard.edge.simulate.machines import deals_cards
from cutcard.edge.simulate.running import SimulationInterruptedError, played_shards
from cutcard.machines import find, shipped
from cutcard.progress import working
from cutcard.rulebooks.book import open_rulebook
from rng_certification.base.cluster import ClusterFailedError

CountName = Annotated[str, typer.Option("--count", help=f"The count: {', '.join(COUNTS)}.")]
Dealing = Annotated[str, typer.Option(help="`shoe`, or a machine through its twin: carousel-38.")]
Cut = Annotated[float, typer.Option(help="The share of the shoe before the cutting card.")]
Spread = Annotated[int, typer.Option(help="The largest bet, in small bets.")]
From = Annotated[int, typer.Option("--from", help="The true count of the largest bet.")]
Bankroll = Annotated[float, typer.Option(help="The bankroll, in small bets.")]
Risk = Annotated[float, typer.Option(help="The risk of ruin of the optimal spread, in per cent.")]
Indices = Annotated[
    bool, typer.Option(help="Play and insure by the indices, or only by the strategy.")
]


def counting_command(
    words: Words,
    decks: Decks,
    count: CountName = "hi-lo",
    rounds: Rounds = 20_000_000,
    dealing: Dealing = SHOE,
    cut: Cut = 0.75,
    spread: Spread = 12,
    least: From = 2,
    bankroll: Bankroll = 1000.0,
    risk: Risk = 5.0,
    by_indices: Indices = True,
    strategy: StrategyFile = BASIC,
    own: OwnRules = None,
    paytable: PayFile = None,
    seed: Seed = "cutcard",
    cores: Cores = 0,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
) -> None:
    """The bets, win rate and risk of a card counter, and the indices of the count.

    One box. The true count is per deck of 52 cards, rounded down, before the round; bets and plays
    follow it. Indices are linear in the cards left, from exact effects of removal. The optimal
    spread wins most within the risk of ruin of the bankroll. At a continuous shuffler the counter
    knows the cards of the last round.

        cutcard edge counting uk-blackjack --decks 6 --rounds 1e6

        cutcard edge counting uk-blackjack --decks 6 --rounds 1e5 --dealing carousel-38

    Exit 1: a cluster was lost. Exit 2: the game, the count or an option is not valid.
    """
    rulebook, variants = game_named(words)
    require_rounds(rounds)
    system = _count_named(count)
    if spread < 1 or bankroll <= 0 or not 0 < risk < 100:
        called_wrongly("--spread is 1 or more, --bankroll above 0, --risk between 0 and 100")
    if not 0.05 <= cut <= 0.95:
        called_wrongly(f"--cut {cut}: a share of the shoe, from 0.05 to 0.95")
    of_ones_own = own_game_rules(own, paytable)
    book = book_with_own(open_rulebook(rulebook, variants), of_ones_own.values)
    refuse_other_decks(book, of_ones_own.values, decks)
    job = Job(
        rulebook,
        variants,
        decks,
        strategy_text(strategy),
        dealing=SHOE,
        cut=cut,
        seed=seed,
        own=of_ones_own.values,
        tags=system.tags,
    )
    job = replace(job, ante=ante_of(book, job.stake, None))
    machine = _machine(dealing, decks * job.table.pack)
    made_or_refused(job, strategy, cores)
    refuse_rules_without_effect(job, of_ones_own, own)
    warn_about_other_game(job, strategy)
    rules = money_rules(book, decks)
    with working("working out effects of removal"):
        try:
            worth = -card_worth(rules).share
            found = indices(rules, system)
        except NotAnalysedError as error:
            called_wrongly(f"{error}; the indices of this game cannot be worked out")
    if by_indices:
        job = replace(job, deviations=tuple(each.deviation for each in found))
    lost: list[str] = []
    try:
        with working("playing", rounds) as work:
            shards, whole = played_shards(
                job,
                rounds,
                machine=machine,
                cores=cores or None,
                scheduler=scheduler or None,
                played=work.advance,
                lost=lost.append,
            )
    except SimulationInterruptedError:
        typer.echo("stopped before the first rounds were played", err=True)
        raise typer.Exit(130) from None
    except ClusterFailedError as failed:
        called_wrongly(f"--scheduler: {failed}")
    counted = buckets(shards, job.stake, system.unit)
    simple = spread_figures(counted, simple_bets(counted, spread, least))
    best = optimal_bets(counted, spread, bankroll, risk / 100)
    shares = pack_shares(rules)
    data = {
        "game": {"rulebook": rulebook, "variants": list(book.variants), "decks": decks},
        "rules_of_ones_own": of_ones_own.values,
        "count": system.name,
        "betting_correlation": round(system.betting_correlation(worth, shares), 4),
        "insurance_correlation": round(system.insurance_correlation(shares), 4),
        "dealing": machine or SHOE,
        "cut": cut,
        "seed": seed,
        "rounds": sum(each.rounds for each in counted),
        "complete": whole,
        "by_indices": by_indices,
        "indices": [each.as_json() for each in found],
        "counts": [_bucket_json(each) for each in counted],
        "simple_spread": _figures_json(simple, bankroll),
        "optimal_spread": _figures_json(best, bankroll) if best else None,
    }
    if as_json:
        print(json.dumps(data))
    else:
        if not whole:
            typer.echo(STOPPED)
        name = f"{rulebook} {' '.join(book.variants)}, {decks_words(decks)}"
        name += f", dealt by {machine}" if machine else f", a shoe cut at {cut:.0%}"
        typer.echo(f"{name}, {system.name}{own_rules_suffix(of_ones_own.values)}")
        _print(data, counted, [simple, best] if best else [simple], bankroll=bankroll, risk=risk)
        _print_indices(found)
    if not whole:
        raise typer.Exit(cut_short(lost))


def _count_named(name: str) -> CardCount:
    if name not in COUNTS:
        called_wrongly(f"--count {name}: the counts are {', '.join(COUNTS)}")
    return COUNTS[name]


def _machine(dealing: str, cards: int) -> str:
    """Return the machine that deals, or "" for a shoe; exit 2 for any other word."""
    if dealing == SHOE:
        return ""
    able = [file.stem for file in shipped() if deals_cards(find(file.stem), cards)]
    if dealing not in able:
        ways = ", ".join((SHOE, *able))
        called_wrongly(f"--dealing {dealing!r}: {cards} cards are dealt by {ways}")
    return dealing


def _bucket_json(each: CountBucket) -> dict[str, Any]:
    mean, error = round(each.mean, 6), round(each.error, 6)
    return {"count": each.count, "share": each.share, "edge": mean, "error": error}


def _figures_json(found: SpreadFigures, bankroll: float) -> dict[str, Any]:
    return {
        "bets": {str(count): bet for count, bet in found.bets.items()},
        "win_a_hundred_rounds": 100 * found.win,
        "error": 100 * found.error,
        "deviation_of_a_round": found.variance**0.5,
        "n0": None if found.n0 == inf else found.n0,
        "risk_of_ruin": found.risk_of_ruin(bankroll),
    }


def _print(
    data: dict[str, Any],
    counted: list[CountBucket],
    spreads: list[SpreadFigures],
    *,
    bankroll: float,
    risk: float,
) -> None:
    typer.echo(f"betting correlation    {data['betting_correlation']:.3f}")
    typer.echo(f"insurance correlation  {data['insurance_correlation']:.3f}")
    rows = [
        (
            f"{each.count:+d}",
            f"{each.share:.3%}",
            f"{each.mean:+.3%} ± {1.96 * each.error:.3%}",
            *(str(spread.bets[each.count]) for spread in spreads),
        )
        for each in counted
        if each.share >= 5e-4
    ]
    bets = ("simple bet", "optimal bet")[: len(spreads)]
    show_table(("true count", "rounds", "player's edge", *bets), rows)
    figures = [
        (
            name,
            f"{100 * each.win:+.2f} ± {196 * each.error:.2f}",
            f"{each.variance**0.5:.2f}",
            f"{each.n0:,.0f}" if each.n0 < inf else "never",
            f"{each.risk_of_ruin(bankroll):.2%}",
            f"{each.bankroll(risk / 100):,.0f}" if each.win > 0 else "",
        )
        for name, each in zip(("simple", "optimal"), spreads, strict=False)
    ]
    headings = (
        "spread",
        "win in 100 rounds",
        "deviation",
        "N0 in rounds",
        "risk of ruin",
        f"bankroll for {risk:g} %",
    )
    show_table(headings, figures, title=f"in small bets, with {bankroll:g} of them")
    if len(spreads) == 1:
        typer.echo(f"No spread with these bets has a risk of ruin of {risk:g} % or less.")


def _print_indices(found: list[PlayIndex]) -> None:
    rows = [
        (
            each.hand,
            each.up,
            f"{each.from_count:+d}",
            f"{each.index:+.2f}",
            each.deviation.above or "insure",
            each.deviation.below or "do not",
        )
        for each in found
    ]
    show_table(("hand", "against", "from", "index", "then", "else"), rows)
