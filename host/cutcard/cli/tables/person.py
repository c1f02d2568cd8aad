"""`cutcard person`: who may sign in to the console, and with which titles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.options import called_wrongly
from cutcard.columns import show_table
from cutcard.console.people import READERS, People, PersonRefusedError
from cutcard.rulebooks import RULEBOOKS, open_rulebook
from cutcard.table.display_names import job

app = typer.Typer(help="People who may sign in to the console.", no_args_is_help=True)

File = Annotated[
    Path | None, typer.Option("--file", help="The file of people, instead of the user's own.")
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="As the journal is to name the person.")],
    title: Annotated[
        list[str] | None,
        typer.Option(help="A title of a rulebook, as in pit-manager; viewer; auditor. [required]"),
    ] = None,
    file: File = None,
) -> None:
    """Let a person sign in, and print the passphrase. It is kept nowhere: tell it to the person.

    A title is one of a rulebook's own, and allows what that rulebook allows it and those below it.
    viewer and auditor only read. Exit 2: there is no such title, or the name is taken.

        cutcard person add Mia --title tg-area-manager --title casino-supervisor
    """
    known = titles()
    if not title:
        called_wrongly(f"Missing option '--title'. Choose from: {', '.join(known)}")
    try:
        for each in title:
            if each not in known:
                raise PersonRefusedError(
                    f"no rulebook has the title {each}; there are {', '.join(known)}"
                )
        passphrase = People.of(file).add(name, tuple(title))
    except PersonRefusedError as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused
    typer.echo(f"{name} may sign in as {', '.join(map(job, title))}. The passphrase:")
    typer.echo(f"  {passphrase}")


@app.command()
def remove(name: str, file: File = None) -> None:
    """Let a person sign in no more; the pages that are open are signed out at once."""
    try:
        People.of(file).remove(name)
    except PersonRefusedError as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused
    typer.echo(f"{name} may not sign in any more.")


@app.command("list")
def list_people(
    file: File = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")] = False,
) -> None:
    """List who may sign in, with their titles."""
    try:
        persons = People.of(file).persons.values()
    except PersonRefusedError as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused
    if as_json:
        said = [{"name": person.name, "titles": list(person.titles)} for person in persons]
        typer.echo(json.dumps({"people": said}))
    elif not persons:
        typer.echo("Nobody yet. Type: cutcard person add NAME --title TITLE")
    else:
        rows = [[person.name, ", ".join(map(job, person.titles))] for person in persons]
        show_table(["name", "titles"], rows)


def titles() -> list[str]:
    """Every title that a rulebook knows, and the two that only read."""
    roles = [role for name in RULEBOOKS for role in open_rulebook(name).roles]
    return list(dict.fromkeys((*READERS, *roles)))
