"""`cutcard meter`: progressive prize meters over groups of tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from cutcard.cli.meters import rounds
from cutcard.cli.meters.arguments import (
    DatabaseOption,
    JsonFlag,
    KeyOption,
    SystemName,
    TableName,
    amount,
    answer,
    entry_as_json,
    entry_as_text,
    new_key,
    percent,
    with_meters,
)
from cutcard.cli.meters.checkpoint import checkpoint
from cutcard.cli.options import called_wrongly
from cutcard.columns import show_table
from cutcard.keys.public_half import BadPublicKeyError, read_public_key
from cutcard.meters import systems
from cutcard.meters.checkpoints import contradictions, key_of
from cutcard.meters.errors import BadTermsError
from cutcard.meters.groups import SignChange
from cutcard.meters.ledger import Receipt, exact
from cutcard.meters.meters import Meters
from cutcard.meters.systems import Standing, System
from cutcard.meters.terms import SystemTerms, parse_meters, parse_money, parse_rate, quoted
from cutcard.transparency import BadCheckpointError, parsed
from cutcard.transparency.submission import archived

NOTED = re.compile(r"[0-9]{1,18}:[0-9a-f]{64}")

app = typer.Typer(
    help="Prize meters: they grow with every jackpot wager of a group of tables, and pay out.",
    no_args_is_help=True,
)
notice = typer.Typer(
    help="Display a sign; its change is allowed twenty minutes later (Crown 21.5.1, 24.5.1).",
    no_args_is_help=True,
)
app.add_typer(notice, name="notice")
app.command()(checkpoint)


@app.command()
def create(
    system: SystemName,
    meter: Annotated[
        list[str], typer.Option(help="METER=SEED@RATE, one for each meter of the bet.")
    ],
    bet: Annotated[str, typer.Option(help="blackjack-jackpots or supernova.")] = (
        "blackjack-jackpots"
    ),
    cost: Annotated[str, typer.Option(help="The price of a jackpot wager at every table.")] = "5",
    payable: Annotated[
        str,
        typer.Option(
            help="Prizes are rounded up to a multiple of this; for supernova the smallest chip."
        ),
    ] = "1",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Set up a prize meter system; its meters start at their seeds. Creates a missing database.

        cutcard meter create city --meter blackjack-jackpots=10000@1.5% --cost 5

        cutcard meter create nova --bet supernova --payable 5
        --meter supernova-major=20000@2% --meter supernova-minor=500@1%
        --meter supernova-mystery=1000@0.5%

    Then display a sign with `cutcard meter notice join`, and let tables join. Exit 1: the name
    exists with other terms. Exit 2: the terms are invalid.
    """

    def make(meters: Meters) -> Receipt:
        terms = SystemTerms(bet, parse_money(cost), parse_meters(meter), parse_money(payable))
        return meters.create(system, terms)

    answer(database, as_json, make, create=True)


@notice.command("join")
def notice_join(
    table: TableName,
    system: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Announce that a table will join a system: cutcard meter notice join T1 city"""
    _display(SignChange("join", system, table), key, database, as_json)


@notice.command("leave")
def notice_leave(
    table: TableName,
    system: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Announce that a table will leave a system: cutcard meter notice leave T1 city"""
    _display(SignChange("leave", system, table), key, database, as_json)


@notice.command("move")
def notice_move(
    table: TableName,
    system: SystemName,
    to: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Announce that a table will move to another system: cutcard meter notice move T1 city east"""
    _display(SignChange("move", system, table, to), key, database, as_json)


@notice.command("close")
def notice_close(
    system: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Announce that a system will be closed; the sign is displayed at every one of its tables."""
    _display(SignChange("close", system), key, database, as_json)


@app.command()
def join(
    table: TableName, system: SystemName, database: DatabaseOption = "", as_json: JsonFlag = False
) -> None:
    """Let a table join a system, twenty minutes after its sign (21.5.1(e)). Exit 1: too early."""
    _carry_out(SignChange("join", system, table), database, as_json)


@app.command()
def leave(
    table: TableName, system: SystemName, database: DatabaseOption = "", as_json: JsonFlag = False
) -> None:
    """Let a table leave a system, twenty minutes after its sign (21.5.1(e)). Exit 1: too early."""
    _carry_out(SignChange("leave", system, table), database, as_json)


@app.command()
def move(
    table: TableName,
    system: SystemName,
    to: SystemName,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Move a table to another system, twenty minutes after its sign (21.5.1(e))."""
    _carry_out(SignChange("move", system, table, to), database, as_json)


@app.command()
def close(
    system: SystemName,
    into: Annotated[
        list[str],
        typer.Option(help="The system that gets the amounts above the seeds: east, or east=1/2."),
    ],
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Close a system; the amounts of its meters above their seeds move to others (21.5.1(f), (g)).

    For example: cutcard meter close city --into east=1/2 --into west=1/2
    """

    def carry_out(meters: Meters) -> Receipt:
        shares: dict[str, Fraction] = {}
        for heir in into:
            name, _, share = heir.partition("=")
            if name in shares:
                raise BadTermsError(f"--into names {quoted(name)} twice", "Name each system once.")
            shares[name] = parse_rate(share) if share else Fraction(1)
        return meters.carry_out(meters.sign_for(SignChange("close", system)), shares)

    answer(database, as_json, carry_out)


@app.command()
def show(database: DatabaseOption = "", as_json: JsonFlag = False) -> None:
    """Show every system with its meters and tables, and every Personal Bet Manager's balance."""

    def look(meters: Meters) -> None:
        with meters.database.look():
            found = systems.standing_systems(meters.database)
            managers = systems.managers(meters.database)
        if as_json:
            print(json.dumps({"systems": list(map(_as_json, found)), "managers": managers}))
            return
        heads = ("system", "meter", "records", "must record", "seed", "rate", "tables")
        rows = [
            (
                system.name,
                now.name,
                amount(now.value),
                amount(max(now.required, now.seed)),
                amount(now.seed),
                percent(now.rate),
                ", ".join(tables),
            )
            for system, standings, tables in found
            for now in standings
        ]
        show_table(heads, rows)
        for manager, cents in managers.items():
            typer.echo(f"Personal Bet Manager {manager}: {amount(exact(cents))}")

    with_meters(database, as_json, look)


@app.command()
def history(
    first: Annotated[
        int, typer.Option("--from", min=1, max=2**62, help="Start at this entry.")
    ] = 1,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Show the ledger in order: every change, with its rule. With --json one object per line."""

    def look(meters: Meters) -> None:
        for entry in meters.history(first):
            typer.echo(json.dumps(entry_as_json(entry)) if as_json else entry_as_text(entry))

    with_meters(database, as_json, look)


@app.command()
def verify(
    holds: Annotated[
        str, typer.Option(help="NUMBER:HASH, noted earlier: the ledger must still contain it.")
    ] = "",
    checkpoints: Annotated[
        list[Path] | None,
        typer.Option(help="Checkpoints stored elsewhere (repeatable)."),
    ] = None,
    public_key: Annotated[
        str, typer.Option(metavar="HEX|FILE", help="The key that signed them, from another place.")
    ] = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Repeat every change in the ledger by the rules, and compare the results.

    Every sign, change, balance, wager, increment and prize must follow by the rules from its
    request, at its time. No meter was ever below the amount that 21.5.2 or 24.5.2 requires, nor
    below its seed; and all other data of the database must follow from the ledger. So any edit of
    the database is detected, even one that was undone later.

    Note the number and hash of the last entry in another place, and give them with --holds next
    time: this detects a completely rewritten ledger. `cutcard meter checkpoint` does the same with
    a signature: --checkpoints detects a truncated ledger.

    Exit 0: the ledger is valid. Exit 1: it is not.
    """

    def look(meters: Meters) -> None:
        if holds and not NOTED.fullmatch(holds):
            raise BadTermsError(
                f"{quoted(holds)} is not NUMBER:HASH", "Copy the output of `cutcard meter verify`."
            )
        found = meters.check(holds, _show_progress)
        if checkpoints:
            wrong = _contradicted(meters, checkpoints, public_key)
            found = replace(found, problems=(*found.problems, *wrong))
        if as_json:
            sums = {
                name: {kind: str(cents) for kind, cents in sums.by_kind.items() if cents}
                | {"value": str(sums.value), "required": str(max(sums.required, sums.seed))}
                for name, sums in found.meters.items()
            }
            said = {"ok": not found.problems, "entries": found.entries, "hash": found.head}
            print(
                json.dumps(
                    said
                    | {"meters": sums, "problems": list(found.problems), "notes": list(found.notes)}
                )
            )
        else:
            for note in found.notes:
                typer.echo(note)
            for problem in found.problems:
                typer.echo(problem, err=True)
            if not found.problems:
                typer.echo(f"The ledger is valid. Last entry: {found.entries}:{found.head}")
        raise typer.Exit(1 if found.problems else 0)

    with_meters(database, as_json, look)


def _contradicted(meters: Meters, files: list[Path], public_key: str) -> list[str]:
    """Return what the checkpoints of these files contradict."""
    try:
        public = read_public_key(public_key).hex()
        notes = [note for file in files for note in archived(file.read_text("utf-8"))]
        if not any(parsed(note).is_signed_by(key_of(public)) for note in notes):
            called_wrongly(f"--checkpoints has no checkpoint that is signed by {public}")
        return contradictions(meters.history(), notes, public)
    except (BadCheckpointError, BadPublicKeyError, UnicodeDecodeError) as error:
        called_wrongly(f"--checkpoints, --public-key: {error}")
    except OSError as error:
        called_wrongly(f"--checkpoints {error.filename}: {error.strerror}")


@app.command()
def clock(
    because: Annotated[
        str, typer.Option(help="The reason for the wrong clock; it is recorded and always shown.")
    ],
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Resume a ledger whose last entry is far ahead of the clock, or more than 31 days behind it.

    First set the clock right. Every later `cutcard meter verify` reports this record, and signs
    that were displayed before count from now. Exit 1: the clock is right.

        cutcard meter clock --because "the host's battery was flat"
    """
    answer(database, as_json, lambda meters: meters.set_clock(because, new_key(key)))


for command in rounds.COMMANDS:
    app.command()(command)


def _show_progress(done: int, all: int) -> None:
    typer.echo(f"{done:,} of {all:,} entries repeated", err=True)


def _display(change: SignChange, key: str, database: str, as_json: bool) -> None:
    answer(database, as_json, lambda meters: meters.notice(change, new_key(key)))


def _carry_out(change: SignChange, database: str, as_json: bool) -> None:
    answer(database, as_json, lambda meters: meters.carry_out(meters.sign_for(change)))


def _as_json(found: tuple[System, list[Standing], list[str]]) -> dict[str, object]:
    system, standings, tables = found
    return {
        "system": system.name,
        "bet": system.bet,
        "cost": system.cost,
        "payable": system.payable,
        "tables": tables,
        "meters": {
            now.name: {
                "value": str(now.value),
                "required": str(max(now.required, now.seed)),
                "seed": str(now.seed),
                "rate": str(now.rate),
            }
            for now in standings
        },
    }
