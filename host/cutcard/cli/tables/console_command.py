"""`cutcard console`: a web page to watch tables and make rulings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutcard.console.certificates import ShownCertificate
from cutcard.console.gaming_day import (
    DEFAULT_ROLLOVER,
    BadGamingDayError,
    GamingDay,
    local_zone,
)
from cutcard.console.people import People, PersonRefusedError
from cutcard.console.pit import journals_below
from cutcard.console.serving import CannotServeError, serve
from cutcard.keys.public_half import BadPublicKeyError, read_public_key

GUEST = "guest"


def console(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders with tables, or journals; default: tables/."),
    ] = None,
    bind: Annotated[
        str, typer.Option(help="The address to listen on; other computers require TLS.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--http-port", min=0, max=65535, help="0: any free port.")
    ] = 8021,
    name: Annotated[
        list[str] | None, typer.Option(help="An additional host name of the console.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="TLS certificate, PEM.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="The certificate's private key, PEM."),
    ] = None,
    people: Annotated[
        Path | None, typer.Option(help="The file of people; default: the file of `cutcard person`.")
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(help="A signed report.json of `cutcard certify`, on some firmware."),
    ] = None,
    report_key: Annotated[
        str, typer.Option(metavar="HEX|FILE", help="The public key that you trust for reports.")
    ] = "",
    time_zone: Annotated[
        str,
        typer.Option(metavar="NAME", help="The time zone of the house; default: this computer's."),
    ] = "",
    rollover: Annotated[
        str, typer.Option(metavar="HH:MM", help="The time at which a gaming day begins.")
    ] = DEFAULT_ROLLOVER,
) -> None:
    """Serve a web page with the tables of a pit, live and at any earlier moment.

    Finished evenings and running tables are displayed in the same way; a table that is opened later
    appears automatically. Users are added with `cutcard person add`. Until you add a user, the
    printed link signs you in as a read-only guest for this run.

        cutcard console tables

        cutcard person add Mia --title pit-manager

    A report is shown next to each machine that runs the firmware version named on its cover.

        cutcard console tables --report report.json --report-key house-2026.pub

    The pit shows one gaming day; earlier days are in its archive.

        cutcard console tables --time-zone Pacific/Auckland --rollover 06:00

    Ctrl-C ends it, and does not affect the tables. Exit 2: a folder or address does not exist, or
    the report is not signed by this key.
    """
    chosen = folders or [Path("tables")]
    for folder in chosen:
        if not folder.exists():
            typer.echo(f"{folder} does not exist. `make run` plays two tables.", err=True)
            raise typer.Exit(2)
    if (certificate is None) != (key is None):
        typer.echo("--certificate and --key go together: give both", err=True)
        raise typer.Exit(2)
    if bool(report) != bool(report_key):
        typer.echo("--report and --report-key go together: give both", err=True)
        raise typer.Exit(2)
    try:
        gaming_day = GamingDay.of(time_zone or local_zone(), rollover)
    except BadGamingDayError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
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
            gaming_day=gaming_day,
            ready=lambda address: _say(address, count, passphrase),
        )
    except (PersonRefusedError, CannotServeError) as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(2) from refused


def certificate_in(file: Path, key: str) -> ShownCertificate:
    """Return the certificate in a report that this key has signed. Exit 2 for any other report."""
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
    """Return the people of the file; if there are none, a guest for this run and the passphrase."""
    known = People.of(file)
    if known.persons:
        return known, ""
    guest = People()
    return guest, guest.add(GUEST, ("viewer",))


def _say(address: str, tables: int, passphrase: str) -> None:
    what = "1 table" if tables == 1 else f"{tables} tables"
    typer.echo(f"The console of {what} is ready on this page (Ctrl-C ends it):")
    typer.echo(f"  {address}{f'#/sign-in/{GUEST}/{passphrase}' if passphrase else ''}")
