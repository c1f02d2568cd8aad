"""`cutcard rulebook`: the rules of a rulebook with their numbers, and the differences of two."""

from __future__ import annotations

import json
from datetime import date, datetime
from fractions import Fraction
from typing import Annotated, Any

import typer

from cutcard.cli.options import complain
from cutcard.cli.rulebooks.check import check, keys
from cutcard.cli.rulebooks.prizes import meters_as_json, prizes_as_json, shown_prizes
from cutcard.cli.rulebooks.register import print_readings, print_register
from cutcard.columns import show_table, wrapped
from cutcard.rulebooks.book import (
    RULEBOOKS,
    Rulebook,
    UnknownRulebookError,
    contents,
    games_named,
    has_dated_texts,
    open_rulebook,
)
from cutcard.rulebooks.register import AMENDMENTS
from cutcard.rulebooks.side_wagers.catalogue import PayColumn
from cutcard.rulebooks.text import MalformedRulebookError

app = typer.Typer(
    name="rulebook",
    help="Show the effective rules of a game with their numbers, or two games side by side.",
    no_args_is_help=True,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")]
AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", formats=["%Y-%m-%d"], help="The text in force on this day."),
]


app.command("readings")(print_readings)
app.command("register")(print_register)
app.command()(check)
app.command()(keys)


@app.command("list")
def list_rulebooks(as_json: JsonFlag = False) -> None:
    """List the rulebooks, their variants and their side wagers."""
    books = {name: contents(name) for name in RULEBOOKS}
    if as_json:
        listed = [
            {"name": n, "title": b.title, "variants": b.variants, "side_wagers": list(b.bets)}
            for n, b in books.items()
        ]
        typer.echo(json.dumps(listed))
        return
    for name, book in books.items():
        typer.echo(f"{name}: {book.title}")
        for what, names in (("variants", book.variants), ("side wagers", book.bets)):
            line = f"{what}: {', '.join(names)}"
            typer.echo("\n".join(wrapped(line, first="  ", later="    ")))
    typer.echo("\n".join(wrapped(how_many())))


def how_many() -> str:
    """Return the numbers of rulebooks and amendments."""
    dated = ", ".join(name for name in RULEBOOKS if has_dated_texts(name))
    amendments = ", ".join(AMENDMENTS)
    counted = f"{len(RULEBOOKS)} rulebooks and {len(AMENDMENTS)} amendment ({amendments}; "
    return counted + f"`rulebook show {dated} --as-of DAY` for the text before it)"


@app.command()
def show(
    game: Annotated[
        list[str],
        typer.Argument(
            metavar="RULEBOOK [VARIANT...]",
            help=f"One of {', '.join(RULEBOOKS)}; a variant of it, or two that apply together. "
            "RULEBOOK/VARIANT is the same; ./my-rules is your own folder.",
        ),
    ],
    as_of: AsOf = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the effective rules: each value, its rule and its layer.

    Then the side wagers with their pay tables, and for each table of prizes, and each wager with a
    meter, the chance of every prize, their mean and their variance, exactly.
    """
    (book,) = _opened(game, 1, as_of)
    if as_json:
        typer.echo(json.dumps(_as_json(book)))
        return
    title = f"{book.title}; {', '.join(book.variants)}"
    rows = [
        (key, _shown(entry.value), ", ".join(entry.rules), entry.layer)
        for key, entry in book.entries.items()
    ]
    show_table(("what", "is", "rule", "layer"), rows, title=title)
    headings = ("side wager", "table", "decks", "pays", "rule", "placed by")
    wagers = []
    for bet, side in book.side_wagers.items():
        for column in side.columns:
            decks = ", ".join(map(str, column.decks or ()))
            row = (column.choice, decks, _pays(column), side.pay_rule, side.placed.rule)
            wagers.append((bet, *row))
    if wagers:
        show_table(headings, wagers, title="Side wagers")
    for prizes in shown_prizes(book):
        show_table(prizes.headings, prizes.rows, title=prizes.title)
        typer.echo("\n".join(wrapped(prizes.below)))


@app.command()
def diff(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="A B", help="Each as RULEBOOK, RULEBOOK VARIANT or RULEBOOK/VARIANT."
        ),
    ],
    as_json: JsonFlag = False,
) -> None:
    """Show the differences of two games side by side. Always exits with 0."""
    one, other = _opened(games, 2)
    rows = list(_differences(one, other))
    if as_json:
        typer.echo(json.dumps(rows))
        return
    cells = [(row["what"], *_cells(row["a"]), *_cells(row["b"])) for row in rows]
    show_table(("what", _game(one), "rule", _game(other), "rule"), cells)


def _opened(words: list[str], number: int, as_of: datetime | None = None) -> list[Rulebook]:
    """Open exactly `number` rulebooks; exit with status 2 otherwise."""
    day: date | None = as_of.date() if as_of else None
    try:
        books = [open_rulebook(*game, day) for game in games_named(words)]
    except (UnknownRulebookError, MalformedRulebookError) as error:
        complain(str(error))
        raise typer.Exit(2) from error
    if len(books) != number:
        wanted = "one game" if number == 1 else f"{number} games"
        complain(f"{' '.join(words)}: name {wanted}, such as nz-division-2/free-bet")
        raise typer.Exit(2)
    return books


def _game(book: Rulebook) -> str:
    return f"{book.name}/{'+'.join(book.variants)}"


def _differences(one: Rulebook, other: Rulebook) -> list[dict[str, Any]]:
    rows = []
    for key in dict.fromkeys((*one.entries, *other.entries)):
        a, b = one.get(key), other.get(key)
        if (a and a.value) != (b and b.value):
            rows.append(
                {
                    "what": key,
                    "a": {"is": a.value, "rules": list(a.rules)} if a else None,
                    "b": {"is": b.value, "rules": list(b.rules)} if b else None,
                }
            )
    return rows


def _cells(side: dict[str, Any] | None) -> tuple[str, str]:
    return ("", "") if side is None else (_shown(side["is"]), ", ".join(side["rules"]))


def _as_json(book: Rulebook) -> dict[str, Any]:
    return {
        "rulebook": book.name,
        "variants": list(book.variants),
        "rules": {
            key: {"is": entry.value, "rules": list(entry.rules), "layer": entry.layer}
            for key, entry in book.entries.items()
        },
        "side_wagers": {
            bet: {
                "pays": side.pay_rule,
                "tables": [
                    {
                        "choice": column.choice,
                        "decks": list(column.decks or ()),
                        "odds": {hand: _to(odds) for hand, odds in column.odds.items()},
                        "prizes": dict(column.prizes.chances),
                        "figures": prizes_as_json(column),
                    }
                    for column in side.columns
                ],
                "meters": meters_as_json(book, side) if side.meter_share else None,
                "section": side.section,
            }
            for bet, side in book.side_wagers.items()
        },
    }


def _pays(column: PayColumn) -> str:
    if column.prizes.chances:
        prizes = [prize for prize, _ in column.prizes.chances]
        return f"a prize of ${min(prizes):,} to ${max(prizes):,} for each $1"
    return ", ".join(f"{hand} {_to(odds)}" for hand, odds in column.odds.items())


def _to(odds: Fraction) -> str:
    return f"{odds.numerator}:{odds.denominator}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)
