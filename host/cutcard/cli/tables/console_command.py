"""`cutcard console`: a page for the people who watch tables and rule at them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutcard.console.certificates import ShownCertificate
from cutcard.console.people import People, PersonRefusedError
from cutcard.console.pit import journals_below
from cutcard.console.serving import CannotServeError, serve
from cutcard.keys.public_half import BadPublicKeyError, read_public_key

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
    report: Annotated[
        list[Path] | None,
        typer.Option(help="A signed report.json of `cutcard certify`, on some firmware."),
    ] = None,
    report_key: Annotated[
        str, typer.Option(metavar="HEX|FILE", help="The public key that you trust for reports.")
    ] = "",
) -> None:
    """Serve a page with the tables of a pit: as they play, and as they were at any moment.

    Finished evenings and running tables are shown alike; a table that is opened later appears by
    itself. Whoever signs in is a person of `cutcard person add`; where nobody was added yet, a
    guest who may only read, for this run, with the link that is printed.

        cutcard console tables

        cutcard person add Mia --title pit-manager

    A report is shown beside each machine whose firmware has the version that its cover names.

        cutcard console tables --report report.json --report-key house-2026.pub

    It ends with Ctrl-C and disturbs no table. Exit 2: there is no such folder, no such address, or
    a report that this key has not signed.
    """
    chosen = folders or [Path("tables")]
    for folder in chosen:
        if not folder.exists():
            typer.echo(f"{folder}: there is no such folder. `make run` plays two tables.", err=True)
            raise typer.Exit(2)
    if (certificate is None) != (key is None):
        typer.echo("--certificate and --key go together: give both", err=True)
        raise typer.Exit(2)
    if bool(report) != bool(report_key):
        typer.echo("--report and --report-key go together: give both", err=True)
        raise typer.Exit(2)
    certificates = [certificate_in(file, report_key) for file in report or ()]
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
            certificates=certificates,
            ready=lambda address: _say(address, count, passphrase),
        )
    except (PersonRefusedError, CannotServeError) as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused


def certificate_in(file: Path, key: str) -> ShownCertificate:
    """The certificate in a report that this key has signed. Exits with 2 for any other report."""
    from rng_certification.report.verification import ReportUnreadableError, checks, read_report

    try:
        signature = next(checks(file, read_public_key(key), rerun=0))
        if signature.holds:
            return ShownCertificate.of(read_report(file))
        why = f"{file}: {signature.says}"
    except (BadPublicKeyError, ReportUnreadableError) as problem:
        why = str(problem)
    except (LookupError, TypeError):
        why = (
            f"{file} does not name one machine, and its firmware on the cover. Write the report of "
            "a certificate again with `cutcard certify report FOLDER --key NAME --on-cover "
            "firmware=VERSION`, as the machine reports it."
        )
    typer.echo(why, err=True)
    raise typer.Exit(2)


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
