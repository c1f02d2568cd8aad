"""`cutcard person`: the users of the console, and their titles."""

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

app = typer.Typer(help="Users of the console.", no_args_is_help=True)

File = Annotated[
    Path | None, typer.Option("--file", help="The file of people, instead of your own.")
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The person's name for the journal.")],
    title: Annotated[
        list[str] | None,
        typer.Option(
            help="A title of a rulebook, such as pit-manager; viewer; auditor. [required]"
        ),
    ] = None,
    file: File = None,
) -> None:
    """Add a user, and print the passphrase. It is not stored: give it to the person.

    A title is a title of a rulebook, and has the rights of that title and of the lower ones. viewer
    and auditor only read. Exit 2: the title does not exist, or the name is already used.

        cutcard person add Mia --title tg-area-manager --title casino-supervisor
    """
    known = titles()
    if not title:
        called_wrongly(f"Missing option '--title'. Choose from: {', '.join(known)}")
    try:
        for each in title:
            if each not in known:
                raise PersonRefusedError(f"unknown title {each}; use one of {', '.join(known)}")
        passphrase = People.of(file).add(name, tuple(title))
    except PersonRefusedError as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused
    typer.echo(f"{name} may sign in as {', '.join(map(job, title))}. The passphrase:")
    typer.echo(f"  {passphrase}")


@app.command()
def remove(name: str, file: File = None) -> None:
    """Remove a user; the user's open pages are signed out immediately."""
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
    """List the users, with their titles."""
    try:
        persons = People.of(file).persons.values()
    except PersonRefusedError as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused
    if as_json:
        said = [{"name": person.name, "titles": list(person.titles)} for person in persons]
        typer.echo(json.dumps({"people": said}))
    elif not persons:
        typer.echo("No users yet. Type: cutcard person add NAME --title TITLE")
    else:
        rows = [[person.name, ", ".join(map(job, person.titles))] for person in persons]
        show_table(["name", "titles"], rows)


def titles() -> list[str]:
    """Return every title of the rulebooks, and the two that only read."""
    roles = [role for name in RULEBOOKS for role in open_rulebook(name).roles]
    return list(dict.fromkeys((*READERS, *roles)))
