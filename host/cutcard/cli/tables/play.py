"""`cutcard play`: play a round in the terminal, and save it as a case file."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from cutcard import untrusted
from cutcard.cards import Card, all_cards
from cutcard.cases.steps import meters_of
from cutcard.cases.writing import case_text, result_of, step_of, wager_of
from cutcard.cli.options import complain
from cutcard.engine.events import Act, Deal, Event, Press, Settled
from cutcard.engine.ledger import dollars
from cutcard.engine.obligations import Button, Decision, NextCard, Offered, obligations
from cutcard.engine.results import came_to, results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.engine.tables import refusals
from cutcard.rulebooks.book import Rulebook, UnknownRulebookError, games_named, open_rulebook
from cutcard.rulebooks.folder import RulebookFolder
from cutcard.rulebooks.text import MalformedRulebookError

MOST_WAGER = 1_000_000  # dollars
MOST_SEED = 2**63 - 1


def play(
    game: Annotated[
        list[str],
        typer.Argument(
            metavar="RULEBOOK [VARIANT...]",
            help="As `cutcard rulebook list` names them. RULEBOOK/VARIANT is the same; "
            "./my-rules is your own folder (see `cutcard rulebook check`).",
        ),
    ],
    boxes: Annotated[int, typer.Option(help="Number of boxes that you play.", min=1, max=7)] = 1,
    wager: Annotated[int, typer.Option(help="Dollars on each box.", min=1, max=MOST_WAGER)] = 10,
    side: Annotated[
        list[str] | None,
        typer.Option(help="A side wager on each box: perfect-pairs=5 or, with its table, =5:a."),
    ] = None,
    meter: Annotated[
        list[str] | None,
        typer.Option(help="The amount of a jackpot's meter: blackjack-jackpots=25000."),
    ] = None,
    decks: Annotated[
        int | None, typer.Option(help="Decks; default: the rulebook's.", min=1, max=8)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Deal the same cards again.", min=0, max=MOST_SEED)
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the round into this case file.")] = None,
) -> None:
    """Play one round of any rulebook and variant in the terminal.

    The engine deals, asks for each decision that the rules leave you, and cites the rule of every
    outcome. --save writes the round into a file that `cutcard case run` replays.
    """
    bets = [_side_wager(text) for text in side or ()]
    offers = {bet: choice for bet, _, choice in bets}
    if len(offers) < len(bets):
        complain("--side: each side wager is placed once")
        raise typer.Exit(2)
    named = games_named(game)
    if len(named) != 1:
        complain(f"{' '.join(game)}: name one game, such as nz-division-2 free-bet")
        raise typer.Exit(2)
    table = _table(*named[0], decks, offers)
    table = replace(table, meters=_meters(table, meter or ()))
    stakes = [("main", wager * 100), *((bet, cents) for bet, cents, _ in bets)]
    placed = [
        Placed(box, "Player", bet, cents) for box in range(1, boxes + 1) for bet, cents in stakes
    ]
    if refused := refusals(table, placed):
        for refusal in refused:
            complain(f"{refusal.why} ({', '.join(refusal.rules)})")
        raise typer.Exit(2)
    if save is not None:
        _check_writable(save)
        _check_replayable(table.book, save)
    chance = random.Random(seed) if seed is not None else random.SystemRandom()
    round = _play_round(start(table, placed), _shoe(table, chance), chance)
    for result in results(round):
        net = dollars(result.net)
        typer.echo(f"{result.key.bet} on box {result.key.box}: {result.result} {net}", nl=False)
        typer.echo(f"  [{', '.join(result.rules)}]")
    if save is not None:
        _save(round, save)


def _check_writable(file: Path) -> None:
    """Check before the round that its file can be written."""
    if not file.parent.is_dir():
        why = f"there is no folder {file.parent}; make it first: mkdir -p {file.parent}"
    elif file.is_dir():
        why = "is a folder; name a file in it, such as round.toml"
    elif not os.access(file if file.exists() else file.parent, os.W_OK):
        why = "is not writable for you; name another place"
    else:
        return
    complain(f"--save {file}: {why}")
    raise typer.Exit(2)


def _check_replayable(book: Rulebook, file: Path) -> None:
    """Check that the case file can name its rulebook: the folder must be next to it or below."""
    called = _called_from(book, file)
    if called == "./." or called.startswith("./.."):
        beside = Path(book.name).resolve().parent
        why = f"a case file must be above its rulebook's folder; save it in {beside}"
        complain(f"--save {file}: {why}")
        raise typer.Exit(2)


def _called_from(book: Rulebook, file: Path) -> str:
    if not isinstance(book.source, RulebookFolder):
        return book.name
    path = os.path.relpath(Path(book.name).resolve(), file.parent.resolve())
    return f"./{Path(path).as_posix()}"


def _save(round: Round, file: Path) -> None:
    """Save the round; if that fails, print it, because it cannot be repeated."""
    text = _case(round, _called_from(round.book, file))
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        typer.echo(text)
        complain(f"--save {file}: {error.strerror}; the round is printed above")
        raise typer.Exit(1) from error
    typer.echo(f"saved; replay it with: cutcard case run {quote(str(file))}")


def _meters(table: Table, texts: Sequence[str]) -> dict[str, int]:
    """Return the amounts of the meters of the table's jackpots: a prize is a share of its meter."""
    needed = meters_of(table)
    read: dict[str, int] = {}
    for text in texts:
        name, _, dollars_ = text.partition("=")
        if name not in needed or not _is_amount(dollars_):
            known = ", ".join(needed) or "no meters: no side wager here uses one"
            complain(f"--meter {text}: write NAME=25000; this table has {known}")
            raise typer.Exit(2)
        read[name] = int(dollars_) * 100
    missing = [name for name in needed if name not in read]
    if missing:
        options = " ".join(f"--meter {name}=25000" for name in missing)
        complain(f"its prize is a share of a meter; give the meter's amount: {options}")
        raise typer.Exit(2)
    return read


def _is_amount(text: str) -> bool:
    """Return whether it is a whole number of dollars above zero."""
    return bool(untrusted.whole_number(text, 9))


def _side_wager(text: str) -> tuple[str, int, str]:
    bet, _, rest = text.partition("=")
    dollars_, _, choice = rest.partition(":")
    if not bet or not _is_amount(dollars_) or int(dollars_) > MOST_WAGER:
        typer.echo(
            f"{text[:60]!r}: write a side wager such as perfect-pairs=5:a, $1 to ${MOST_WAGER:,}",
            err=True,
        )
        raise typer.Exit(2)
    return bet, int(dollars_) * 100, choice


def _table(
    rulebook: str, variants: tuple[str, ...], decks: int | None, offers: dict[str, str]
) -> Table:
    try:
        book = open_rulebook(rulebook, variants)
    except (UnknownRulebookError, MalformedRulebookError) as error:
        complain(str(error))
        raise typer.Exit(2) from error
    allowed: list[int] = book["cards.decks"].value
    ante = 100 if book.flag("ante.placed") else None
    return Table(book, decks or (6 if 6 in allowed else allowed[0]), ante=ante, offers=offers)


def _shoe(table: Table, source: random.Random) -> Iterator[Card]:
    cards = list(all_cards(table.decks, table.pack).elements())
    source.shuffle(cards)
    return iter(cards)


def _play_round(round: Round, shoe: Iterator[Card], chance: random.Random) -> Round:
    printed = 0
    declined: set[Act] = set()
    while not round.over:
        round = _next(round, shoe, chance, declined)
        for note in round.story[printed:]:
            typer.echo(f"{note.text} [{', '.join(note.rules)}]" if note.rules else note.text)
        printed = len(round.story)
        if round.phase is Phase.BEFORE_INTERIM and not declined:
            _show(round)
    return round


def _next(round: Round, shoe: Iterator[Card], chance: random.Random, declined: set[Act]) -> Round:
    for due in obligations(round):
        if isinstance(due, Offered) and due.act not in declined:
            declined.add(due.act)
            act = due.act
            if typer.confirm(f"{act.kind} on box {act.box}?", default=False):
                return step(round, act)
        elif isinstance(due, Button):
            return step(round, _pressed(round, due, chance))
        elif isinstance(due, NextCard):
            return step(round, Deal(next(shoe)))
        elif isinstance(due, Decision):
            return step(round, _ask(round, due))
    if round.phase is Phase.BEFORE_INTERIM:
        return step(round, Settled("interim"))
    return finish(round)


def _pressed(round: Round, due: Button, chance: random.Random) -> Press:
    """Return the press of the button, with a prize drawn by the chances of the table in use."""
    key, table = due.key, round.table
    column = round.book.side_wagers[key.bet].column(table.offers[key.bet], table.decks, table.pack)
    prizes, counts = zip(*column.prizes.chances, strict=True)
    (prize,) = chance.choices(prizes, counts)
    return Press(key.bet, key.box, key.player, prize)


def _ask(round: Round, decision: Decision) -> Act:
    kinds = {act.kind: act for act in decision.ways}
    number, _, order = decision.place.partition(".")
    hand = round.boxes[int(number)].hands[int(order) - 1 if order else 0]
    cards = " ".join(map(str, hand.cards))
    question = f"Hand {decision.place}: {cards} ({hand.total}), dealer {round.dealer[0]}"
    while True:
        said = typer.prompt(f"{question}: {', '.join(kinds)}").strip().lower()
        if not sys.stdin.isatty():
            typer.echo(said)  # the answer comes from a pipe: print it, and end the line
        matching = [kind for kind in kinds if kind.startswith(said)] if said else []
        if said in kinds or len(matching) == 1:
            return kinds[said if said in kinds else matching[0]]
        typer.echo(f"use one of {', '.join(kinds)} (the first letters are enough)")


def _show(round: Round) -> None:
    for number, box in sorted(round.boxes.items()):
        cards = " ".join(map(str, box.hands[0].cards))
        typer.echo(f"Box {number}: {cards} ({box.hands[0].total})")
    typer.echo(f"Dealer: {' '.join(map(str, round.dealer))}")


def _case(round: Round, rulebook: str) -> str:
    """Return the record as steps; the interim settlement needs no separate step."""
    events: list[Event] = [event for event in round.record if not isinstance(event, Settled)]
    book = round.book
    expected = [
        {key: value for key, value in result_of(result).items() if key != "rules"}
        for result in results(round)
    ]
    case: dict[str, Any] = {
        "title": f"Played at a terminal: {', '.join(book.variants)}",
        "rulebook": rulebook,
        "variant": book.variants[0] if len(book.variants) == 1 else list(book.variants),
        "decks": round.table.decks,
        "shuffler": round.table.shuffler,
        "wagers": [wager_of(wager) for wager in round.placed],
        "steps": [step_of(event) for event in events],
        "round": came_to(round),
        "expect": expected,
    }
    case["table"] = {"offers": round.table.offers} if round.table.offers else {}
    if round.table.meters:
        meters = round.table.meters.items()
        case["table"]["meters"] = {name: cents // 100 for name, cents in meters}
    if round.table.ante is not None:
        case["table"]["ante"] = round.table.ante // 100
    return case_text(case)
