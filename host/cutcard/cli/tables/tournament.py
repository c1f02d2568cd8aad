"""`cutcard tournament`: check a tournament's terms, and show the Magnificent Sevens schedule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cutcard.columns import show_table, wrapped
from cutcard.tournament.preparation import (
    PreparationFileError,
    open_duties,
    read_preparation,
)
from cutcard.tournament.schedule import NoSuchScheduleError, schedule_for
from cutcard.tournament.terms import TermsFileError, check, checklist, facts, read_terms

app = typer.Typer(help="Tournament play at Crown: terms, schedule, prizes.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command("check")
def check_terms(file: Path, as_json: AsJson = False) -> None:
    """Check Terms and Conditions against rule 31.4. Exit 1 if an item is missing.

    `cutcard tournament blank` prints a file to fill in.
    """
    try:
        results = check(read_terms(file))
    except TermsFileError as error:
        _called_wrongly(str(error))
    missing = [result for result in results if result.state == "missing"]
    if as_json:
        rows = [{"rule": r.item.rule, "key": r.item.key, "state": r.state} for r in results]
        print(json.dumps({"file": str(file), "ok": not missing, "items": rows}))
    else:
        cells = [(r.item.rule, r.item.key, r.item.says, r.state) for r in results]
        show_table(("rule", "key", "must say", "state"), cells, title=str(file))
        typer.echo(
            f"{len(missing)} of {len(results)} items are missing"
            if missing
            else "Rule 31.4 is met: the terms are complete"
        )
    if missing:
        raise typer.Exit(1)


@app.command("ready")
def ready(file: Path, as_json: AsJson = False) -> None:
    """Check the preparation of a tournament (rules 31.2 and 31.3). Exit 1 if a duty is open.

    The file is TOML with the tables `before`, `people` and `tables`, as the page on tournaments
    shows.
    """
    try:
        found = open_duties(read_preparation(file))
    except PreparationFileError as error:
        _called_wrongly(str(error))
    if as_json:
        duties = [{"rule": each.rule, "text": each.text} for each in found]
        print(json.dumps({"file": str(file), "ok": not found, "open": duties}))
    else:
        for each in found:
            typer.echo(f"{each.rule}: {each.text}")
        if not found:
            typer.echo("Rules 31.2 and 31.3 are met: play may begin")
    if found:
        raise typer.Exit(1)


@app.command("blank")
def blank() -> None:
    """Print a terms file to fill in, with the required content of each entry."""
    typer.echo('[tournament]\nname = ""')
    for fact in facts():
        typer.echo(f"{fact} = true")
    table = ""
    for item in checklist():
        name, _, key = item.key.partition(".")
        if name != table:
            typer.echo(f"\n[{name}]")
            table = name
        condition = f" (only where {item.when})" if item.when else ""
        says = wrapped(f"{item.rule}: {item.says}{condition}", first="# ", later="#   ")
        typer.echo("\n".join([*says, f'{key} = ""']))


@app.command("schedule")
def schedule(
    entrants: Annotated[int, typer.Argument(min=1, max=10_000, help="Eligible entrants.")],
    as_json: AsJson = False,
) -> None:
    """The rounds and prizes of a Magnificent Sevens Tournament (rule 13.8.6)."""
    try:
        column = schedule_for(entrants)
    except NoSuchScheduleError as error:
        _called_wrongly(str(error))
    if as_json:
        rounds = [
            {
                "entrants": played.entrants,
                "tables": played.tables,
                "heats": played.heats,
                "through": played.through,
                "others": played.others,
                "progressing": played.progressing,
            }
            for played in column.rounds
        ]
        print(json.dumps({"rounds": rounds, "pool": column.pool, "prizes": column.prizes}))
        return
    headings = ("round", "entrants", "tables", "heats", "through a table", "others", "go on")
    rows = []
    for number, played in enumerate(column.rounds, start=1):
        name = "final" if played.is_final else str(number)
        figures = (played.heats, played.through, played.others, played.progressing)
        cells = ["" if played.is_final else str(figure) for figure in figures]
        rows.append((name, str(played.entrants), str(played.tables), *cells))
    show_table(headings, rows)
    prizes = ", ".join(f"${prize:,}" for prize in column.prizes)
    typer.echo("\n".join(wrapped(f"Prize pool ${column.pool:,}: {prizes}", later="  ")))


def _called_wrongly(message: str) -> NoReturn:
    typer.echo(message, err=True)
    raise typer.Exit(2)
