"""`cutcard rulebook`: what a rulebook says, with its numbers, and where two differ."""

from __future__ import annotations

import json
from datetime import date, datetime
from fractions import Fraction
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cutcard.cli.register import print_register
from cutcard.cli.rulebook_prizes import meters_as_json, prizes_as_json, shown_prizes
from cutcard.rulebooks.book import (
    RULEBOOKS,
    Rulebook,
    UnknownRulebookError,
    contents,
    open_rulebook,
)
from cutcard.rulebooks.readings import as_markdown, readings
from cutcard.rulebooks.side_wagers.catalogue import Column

app = typer.Typer(
    name="rulebook",
    help="Show the effective rules of a game with their numbers, or two games side by side.",
    no_args_is_help=True,
)

JsonFlag = Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")]
AsOf = Annotated[
    datetime | None,
    typer.Option("--as-of", formats=["%Y-%m-%d"], help="The text as it stood on this day."),
]


app.command("register")(print_register)


@app.command("list")
def list_rulebooks(as_json: JsonFlag = False) -> None:
    """The rulebooks, their variants and their side wagers."""
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
        typer.echo(f"  variants: {', '.join(book.variants)}")
        typer.echo(f"  side wagers: {', '.join(book.bets)}")


@app.command()
def show(
    rulebook: Annotated[str, typer.Argument(help=f"One of {', '.join(RULEBOOKS)}.")],
    variants: Annotated[
        list[str] | None, typer.Argument(help="A variant, or two that apply together.")
    ] = None,
    as_of: AsOf = None,
    as_json: JsonFlag = False,
) -> None:
    """Print the effective rules: each value, the rule that says so and the layer it comes from.

    Then the side wagers with what they pay, and for each table of prizes, and each wager that is
    played for a meter, the chance of every prize, their mean and their variance, exactly.
    """
    book = _open(rulebook, tuple(variants or ()), as_of)
    if as_json:
        typer.echo(json.dumps(_as_json(book)))
        return
    title = f"{book.title}; {', '.join(book.variants)}"
    table = Table("what", "is", "rule", "layer", title=title, title_justify="left")
    for key, entry in book.entries.items():
        table.add_row(key, _shown(entry.value), ", ".join(entry.rules), entry.layer)
    console = Console()
    console.print(table)
    wagers = Table("side wager", "table", "decks", "pays", "rule", "placed by", title="Side wagers")
    for bet, side in book.side_wagers.items():
        for column in side.columns:
            decks = ", ".join(map(str, column.decks or ()))
            row = (column.choice, decks, _pays(column), side.pay_rule, side.placed.rule)
            wagers.add_row(bet, *row)
    console.print(wagers)
    for prizes in shown_prizes(book):
        console.print(prizes)


@app.command()
def diff(
    first: Annotated[str, typer.Argument(help="RULEBOOK or RULEBOOK/VARIANT.", metavar="A")],
    second: Annotated[str, typer.Argument(help="RULEBOOK or RULEBOOK/VARIANT.", metavar="B")],
    as_json: JsonFlag = False,
) -> None:
    """Two games side by side: only what differs. Exit 0 in any case."""
    one, other = (_open_named(name) for name in (first, second))
    rows = list(_differences(one, other))
    if as_json:
        typer.echo(json.dumps(rows))
        return
    table = Table("what", first, "rule", second, "rule")
    for row in rows:
        a, b = row["a"], row["b"]
        table.add_row(row["what"], *_cells(a), *_cells(b))
    Console().print(table)


@app.command("readings")
def show_readings(
    as_json: JsonFlag = False,
) -> None:
    """The numbered readings of doubtful rules, as the page docs/rulebooks/readings.md has them."""
    if as_json:
        typer.echo(json.dumps([reading._asdict() for reading in readings().values()]))
    else:
        typer.echo(as_markdown(), nl=False)


def _open_named(name: str) -> Rulebook:
    rulebook, _, variants = name.partition("/")
    return _open(rulebook, tuple(v for v in variants.split("+") if v), None)


def _open(rulebook: str, variants: tuple[str, ...], as_of: datetime | None) -> Rulebook:
    day: date | None = as_of.date() if as_of else None
    try:
        return open_rulebook(rulebook, variants, day)
    except UnknownRulebookError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from error


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


def _pays(column: Column) -> str:
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
