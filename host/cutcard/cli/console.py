"""`cutcard console`: a page for the people who watch tables and rule at them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutcard.console.people import People, PersonRefused
from cutcard.console.pit import journals_below
from cutcard.console.serving import CannotServe, serve

GUEST = "guest"


def console(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with tables, or journals; without any, tables/."),
    ] = None,
    bind: Annotated[
        str, typer.Option(help="The address to listen on; beyond this computer only with TLS.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="0: any that is free.")
    ] = 8021,
    name: Annotated[
        list[str] | None, typer.Option(help="A further name that the console is reached under.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="TLS certificate, PEM.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Its private key, PEM.")
    ] = None,
    people: Annotated[
        Path | None, typer.Option(help="The file of people; without it, `cutcard person list`'s.")
    ] = None,
) -> None:
    """Serve a page with the tables of a pit: as they play, and as they were at any moment.

    Finished evenings and running tables are shown alike; a table that is opened later appears by
    itself. Whoever signs in is a person of `cutcard person add`; where nobody was added yet, a
    guest who may only read, for this run, with the link that is printed.

        cutcard console tables

        cutcard person add Mia --title pit-manager

    It ends with Ctrl-C and disturbs no table. Exit 2: there is no such folder, or no such address.
    """
    chosen = folders or [Path("tables")]
    for folder in chosen:
        if not folder.exists():
            typer.echo(f"{folder}: there is no such folder. `make run` plays two tables.", err=True)
            raise typer.Exit(2)
    if (certificate is None) != (key is None):
        typer.echo("--certificate and --key go together: give both", err=True)
        raise typer.Exit(2)
    try:
        known, passphrase = _people(people)
        count = sum(len(journals_below(folder)) for folder in chosen)
        serve(
            chosen,
            known,
            bind=bind,
            port=port,
            names=name or [],
            certificate=certificate,
            key=key,
            ready=lambda address: _say(address, count, passphrase),
        )
    except (PersonRefused, CannotServe) as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused


def _people(file: Path | None) -> tuple[People, str]:
    """Those of the file; where there are none, a guest of this run and his passphrase."""
    known = People.of(file)
    if known.persons:
        return known, ""
    guest = People()
    return guest, guest.add(GUEST, ("viewer",))


def _say(address: str, tables: int, passphrase: str) -> None:
    what = "1 table" if tables == 1 else f"{tables} tables"
    typer.echo(f"The console of {what} is ready on this page (Ctrl-C ends it):")
    typer.echo(f"  {address}{f'#/sign-in/{GUEST}/{passphrase}' if passphrase else ''}")
