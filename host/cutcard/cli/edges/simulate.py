"""`cutcard edge simulate`: millions of rounds, played like the engine's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from cutcard import untrusted
from cutcard.cli.edges.game_arguments import (
    Words,
    ante_of,
    boxes_words,
    cents_or_refuse,
    decks_words,
    game_named,
    layout_words,
    odds_or_refuse,
)
from cutcard.cli.edges.own_rules import (
    NO_EFFECT,
    OwnRules,
    OwnValues,
    PayFile,
    book_with_own,
    own_game_rules,
    own_rules_suffix,
    refuse_ineffective_rules,
    refuse_other_decks,
)
from cutcard.cli.options import called_wrongly, complain, refuse
from cutcard.columns import wrapped
from cutcard.edge.own_rules import BadRuleError
from cutcard.edge.simulate.figures import Estimate, SideFigures, SimulationFigures
from cutcard.edge.simulate.game import MOST_BOXES, NotSimulatedError, RefusedTableError
from cutcard.edge.simulate.job import EVERY_ROUND, SHOE, Job, Ready, ready
from cutcard.edge.simulate.machines import deals_cards
from cutcard.edge.simulate.running import SimulationInterruptedError, simulate
from cutcard.edge.strategy import OWN_RULES, BadStrategyError, read_strategy
from cutcard.engine.tables import may_force_draws
from cutcard.machines import find, shipped
from cutcard.progress import working
from cutcard.rulebooks.book import Rulebook, open_rulebook
from cutcard.rulebooks.side_wagers.catalogue import NotInTheRulebookError
from cutcard.rulebooks.text import MalformedRulebookError
from rng_certification.base.cluster import ClusterFailedError

Value = TypeVar("Value")
BASIC = "basic"
LEAST_ROUNDS, MOST_ROUNDS = 1_000, 10**13
COMPILING = "compiling, cached for the next run"
STOPPED = "Stopped: these are the rounds played so far."
DEALINGS = (EVERY_ROUND, SHOE)

Decks = Annotated[int, typer.Option(help="Number of decks.")]
Rounds = Annotated[int, typer.Option(help="Number of rounds; 10_000_000 is a valid form.")]
Boxes = Annotated[int, typer.Option(help="Boxes with a wager, each played by the same strategy.")]
Stake = Annotated[float, typer.Option(help="The main wager on each box, in dollars.")]
SideWagers = Annotated[
    list[str] | None,
    typer.Option(
        "--side",
        metavar="BET[/CHOICE][=DOLLARS]",
        help="A side wager on every box: its name, its pay scale if it has several, its stake "
        "(default $1). Repeatable.",
    ),
]
StrategyFile = Annotated[
    str,
    typer.Option(
        "--strategy",
        metavar="FILE",
        help="A strategy file (JSON), or `basic` for the built-in one.",
    ),
]
Dealing = Annotated[
    str,
    typer.Option(
        help="`every-round`: the full pack for every round, as from a continuous shuffler. "
        "`shoe`: shuffled after the cutting card. Or the name of a machine, through its twin: "
        "carousel-60.",
    ),
]
Cut = Annotated[
    float, typer.Option(help="With --dealing shoe: the share of the cards before the cutting card.")
]
Layout = Annotated[
    str, typer.Option("--blackjack", help="The odds of a Blackjack on the layout: 6:5.")
]
Ante = Annotated[
    float | None,
    typer.Option(
        help="The ante in dollars, if the game has one; default: the most allowed.",
        show_default=False,
    ),
]
Sign = Annotated[bool, typer.Option("--forced-draw", help="The sign forces draws up to 12.")]
Meters = Annotated[
    list[str] | None,
    typer.Option("--meter", metavar="NAME=DOLLARS", help="The amount of a prize meter."),
]
Seed = Annotated[str, typer.Option(help="The same seed gives the same rounds on every computer.")]
Cores = Annotated[int, typer.Option(help="Cores to use; default: all.", show_default=False)]
Scheduler = Annotated[
    str, typer.Option(help="A Dask scheduler, as for `cutcard certify`: tcp://host:8786.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def simulate_command(
    context: typer.Context,
    words: Words,
    decks: Decks,
    rounds: Rounds = 10_000_000,
    boxes: Boxes = 1,
    stake: Stake = 10.0,
    side: SideWagers = None,
    strategy: StrategyFile = BASIC,
    dealing: Dealing = EVERY_ROUND,
    cut: Cut = 0.75,
    blackjack: Layout = "",
    ante: Ante = None,
    forced_draw: Sign = False,
    own: OwnRules = None,
    paytable: PayFile = None,
    meter: Meters = None,
    seed: Seed = "cutcard",
    cores: Cores = 0,
    scheduler: Scheduler = "",
    as_json: AsJson = False,
) -> None:
    """Simulate millions of rounds of a game: its house edge with a confidence interval.

    It is the engine's game, compiled: the same cards give the same decisions and the same cents, as
    tests verify for every variant and side wager. It refuses unsupported rules by name.

        cutcard edge simulate uk-blackjack --decks 6

        cutcard edge simulate uk-blackjack --decks 6 --dealing shoe

        cutcard edge simulate crown-melbourne-26 --decks 8 --side buster/a=5

    Ctrl-C prints the rounds played so far. Exit 1: a cluster was lost; its rounds so far are
    printed. Exit 2: the table or the strategy is invalid, or no scheduler answers.
    """
    rulebook, variants = game_named(words)
    require_rounds(rounds)
    if blackjack:
        odds_or_refuse("--blackjack", blackjack)
    of_ones_own = own_game_rules(own, paytable)
    values = of_ones_own.values
    book = book_with_own(open_rulebook(rulebook, variants), values)
    refuse_other_decks(book, values, decks)
    machine = _machine(dealing, decks * book["cards.pack"].value)
    if dealing == EVERY_ROUND or (machine and find(machine).mechanism == "carousel"):
        refuse(context, "requires a shoe: --dealing shoe, or a batch shuffler", "cut")
    if scheduler:
        refuse(context, "cannot be combined with --scheduler, which has its own", "cores")
    if forced_draw and not may_force_draws(book):
        called_wrongly(f"--forced-draw: no rule of {rulebook} lets a sign force draws")
    if not 0.05 <= cut <= 0.95:
        called_wrongly(f"--cut {cut}: a share of the shoe, from 0.05 to 0.95")
    job = Job(
        rulebook=rulebook,
        variants=variants,
        decks=decks,
        strategy=strategy_text(strategy),
        boxes=boxes,
        stake=(cents := cents_or_refuse("--stake", stake)),
        sides=_once("--side", [_side_wager(book, decks, text) for text in side or ()]),
        blackjack=blackjack or None,
        ante=ante_of(book, cents, None if ante is None else cents_or_refuse("--ante", ante)),
        forced_draw=forced_draw,
        meters=_once("--meter", [_meter(text) for text in meter or ()]),
        dealing=SHOE if machine else dealing,
        cut=cut,
        seed=seed,
        own=values,
    )
    _require_meters(book, job)
    made = made_or_refused(job, strategy, cores)
    refuse_rules_without_effect(job, of_ones_own, own)
    warn_about_other_game(job, strategy)
    lost: list[str] = []
    try:
        with working("playing", rounds) as work:
            work.on(f"waiting for {scheduler}" if scheduler else COMPILING)

            def played(number: int) -> None:
                work.on("rounds")
                work.advance(number)

            found, whole = simulate(
                job,
                made,
                rounds,
                machine=machine,
                cores=cores or None,
                scheduler=scheduler or None,
                played=played,
                lost=lost.append,
            )
    except SimulationInterruptedError:
        typer.echo("Stopped before the first rounds were played", err=True)
        raise typer.Exit(130) from None
    except ClusterFailedError as failed:
        called_wrongly(f"--scheduler: {failed}")
    if as_json:
        print(json.dumps(_as_json(job, machine, strategy, found, whole)))
    else:
        _print(job, machine, strategy, found, whole)
    if not whole:
        raise typer.Exit(cut_short(lost))


def require_rounds(rounds: int) -> None:
    """Exit 2 for too few rounds, with which the confidence interval has no meaning."""
    if not LEAST_ROUNDS <= rounds <= MOST_ROUNDS:
        called_wrongly(
            f"--rounds {rounds}: from {LEAST_ROUNDS:,} to {MOST_ROUNDS:,}. "
            "Fewer rounds give no confidence interval"
        )


def cut_short(lost: Sequence[str]) -> int:
    """Return the exit code of an incomplete run; print the losses unless the user stopped it."""
    for why in lost:
        complain(why)
    return 1 if lost else 130


def _machine(dealing: str, cards: int) -> str:
    """Return the machine that deals; empty without a machine."""
    if dealing in DEALINGS:
        return ""
    known = [file.stem for file in shipped() if deals_cards(find(file.stem), cards)]
    if dealing not in known:
        ways = ", ".join((*DEALINGS, *known))
        called_wrongly(f"--dealing {dealing!r}: {cards} cards are dealt by one of {ways}")
    return dealing


def made_or_refused(job: Job, strategy: str, cores: int) -> Ready:
    """Exit 2, with a rule if there is one, for an invalid table or strategy."""
    if not 1 <= job.boxes <= MOST_BOXES:
        called_wrongly(f"--boxes {job.boxes}: the simulator supports 1 to {MOST_BOXES}")
    if cores < 0:
        called_wrongly(f"--cores {cores}: use 1 or more; default: all")
    try:
        return ready(job)
    except RefusedTableError as refused:
        called_wrongly(str(refused))
    except BadStrategyError as bad:
        called_wrongly(f"{strategy}: {bad}")
    except (NotSimulatedError, MalformedRulebookError) as error:
        called_wrongly(str(error))


def refuse_rules_without_effect(job: Job, own: OwnValues, typed: Sequence[str] | None) -> None:
    """Exit 2 for a typed rule without effect in this game; only name a rule of a file."""

    def why_idle(key: str) -> str:
        try:
            without = replace(job, own=own.without(key))
            same = _plays_alike(without, job)
        except (BadRuleError, NotSimulatedError, RefusedTableError, BadStrategyError):
            return ""  # the other rules need it
        return NO_EFFECT if same else ""

    refuse_ineffective_rules(own, typed or [], why_idle)


def _plays_alike(job: Job, other: Job) -> bool:
    """Return whether the kernel plays two jobs by the same rules."""
    one, two = ready(job), ready(other)
    return one.game == two.game and one.bonus.tolist() == two.bonus.tolist()


def basic_strategy() -> str:
    """Return the text of the built-in strategy."""
    file = resources.files("cutcard.edge.simulate") / "basic.json"
    return file.read_text("utf-8")


def strategy_text(strategy: str) -> str:
    if strategy == BASIC:
        return basic_strategy()
    try:
        return untrusted.text_of(untrusted.content(Path(strategy), untrusted.MEBIBYTE))
    except (OSError, untrusted.BadContentError) as error:
        called_wrongly(f"--strategy {strategy} cannot be read: {untrusted.why_unreadable(error)}")


def warn_about_other_game(job: Job, strategy: str) -> None:
    """Warn on standard error if the strategy file is for another game."""
    game: dict[str, object] = {
        "rulebook": job.rulebook,
        "variants": list(job.variants),
        "decks": job.decks,
    }
    if job.own:
        game[OWN_RULES] = dict(job.own)
    others = read_strategy(job.strategy).made_otherwise(game)
    if others:
        said = ", ".join(f"{key} {value}" for key, value in others.items())
        complain(f"{strategy} was written for another game: it has {said}")


def _once(option: str, pairs: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    """Return the value of each name. Exit 2 for a duplicate name."""
    found: dict[str, Value] = {}
    for name, value in pairs:
        if name in found:
            called_wrongly(f"{option} {name}: it is given twice; give it once")
        found[name] = value
    return found


def _side_wager(book: Rulebook, decks: int, text: str) -> tuple[str, tuple[str, int]]:
    named, equals, dollars = text.partition("=")
    bet, _, choice = named.partition("/")
    known = book.side_wagers
    if bet not in known:
        called_wrongly(f"{book.name} has no side wager {bet!r}; it has {', '.join(known)}")
    if choice and not any(column.choice for column in known[bet].columns):
        called_wrongly(
            f"--side {text}: {bet} has no pay scales to choose from; leave /{choice} out"
        )
    try:
        known[bet].column(choice, decks, book["cards.pack"].value)
    except NotInTheRulebookError as error:
        called_wrongly(f"--side {text}: {error}")
    try:
        return bet, (choice, cents_or_refuse("--side", float(dollars) if equals else 1.0))
    except (ValueError, OverflowError):
        called_wrongly(f"--side {text}: {dollars!r} is not a dollar amount; write {named}=5")


def _require_meters(book: Rulebook, job: Job) -> None:
    """Require exactly the meters that pay the side wagers of this table."""
    sides = [book.side_wagers[bet] for bet in job.sides]
    known = sorted({share.meter for side in sides for share in side.meter_share.values()})
    for name in job.meters:
        if name not in known:
            have = ", ".join(known) or "no meters, without a jackpot wager"
            called_wrongly(f"--meter {name}: this table has {have}")
    missing = " ".join(f"--meter {name}=DOLLARS" for name in known if name not in job.meters)
    if missing:
        called_wrongly(f"a side wager is paid from meters: add their amounts, {missing}")


def _meter(text: str) -> tuple[str, int]:
    name, _, dollars = text.partition("=")
    try:
        return name, cents_or_refuse("--meter", float(dollars))
    except (ValueError, OverflowError):
        called_wrongly(f"--meter {text}: write NAME=DOLLARS")


def _as_json(
    job: Job, machine: str, strategy: str, found: SimulationFigures, whole: bool
) -> dict[str, object]:
    return {
        "rulebook": job.rulebook,
        "variants": list(job.variants),
        "decks": job.decks,
        "boxes": job.boxes,
        "stake_cents": job.stake,
        "blackjack": job.blackjack,
        "ante_cents": job.ante,
        "forced_draw": job.forced_draw,
        "meters_cents": dict(job.meters),
        "strategy": strategy,
        "rules_of_ones_own": dict(job.own),
        "dealing": machine or job.dealing,
        "cut": job.cut if job.dealing == SHOE else None,
        "seed": job.seed,
        "complete": whole,
        **found.as_json(),
    }


def _print(job: Job, machine: str, strategy: str, found: SimulationFigures, whole: bool) -> None:
    book = job.book
    boxes = boxes_words(job.boxes)
    dealt = "the full pack for every round"
    if job.dealing == SHOE:
        dealt = f"a shoe cut at {job.cut:.0%}"
    if machine:
        dealt = f"dealt by {machine}"
    layout = layout_words(job.blackjack, forced_draw=job.forced_draw)
    game = f"{book.name} {' '.join(book.variants)}{layout}"
    changed = own_rules_suffix(job.own)
    _line(f"{game}, {decks_words(job.decks)}, {dealt}, {boxes}, strategy {strategy}{changed}")
    if not whole:
        _line(STOPPED)
    _line(f"rounds                {found.rounds:,}")
    if found.out_of_cards:
        _line(f"left out              {found.out_of_cards:,}: the cards ran out")
    if job.ante:
        _line(f"ante                  ${job.ante / 100:.2f}, counted as a loss")
    _line(f"house edge            {_percent(found.edge)}, of the initial wager")
    if found.with_insurance.value != found.edge.value:
        _line(f"with insurance        {_percent(found.with_insurance)}")
    _line(f"of all money wagered  {found.edge_of_action:.4%}")
    _line(f"variance of a round   {found.variance:.4f}, for an initial wager of 1 on each box")
    _line(f"cards a round         {found.cards:.4f}")
    for each in found.sides:
        rows = ", ".join(f"{row} {count:,}" for row, count in each.rows.items())
        _line(f"{_staked(each):<21} {_percent(each.edge)}; {rows}")


def _staked(side: SideFigures) -> str:
    """Return a side wager in the format of --side."""
    scale = f"/{side.choice}" if side.choice else ""
    return f"{side.bet}{scale}={side.stake / 100:.2f}"


def _line(text: str) -> None:
    """Print a line; long text continues under the figures."""
    typer.echo("\n".join(wrapped(text, 80, later=" " * 22)))


def _percent(figure: Estimate) -> str:
    return f"{figure.value:.4%}, 95 % confidence {figure.low:.4%} to {figure.high:.4%}"
