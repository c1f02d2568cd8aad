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
    help="Display a sign: twenty minutes later what it says may be done (Crown 21.5.1, 24.5.1).",
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
    cost: Annotated[str, typer.Option(help="What a jackpot wager costs at every table.")] = "5",
    payable: Annotated[
        str, typer.Option(help="Prizes are rounded up to this; for supernova the smallest chip.")
    ] = "1",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Set up a prize meter system; its meters start at their seeds. Makes the database, if need be.

        cutcard meter create city --meter blackjack-jackpots=10000@1.5% --cost 5

        cutcard meter create nova --bet supernova --payable 5
        --meter supernova-major=20000@2% --meter supernova-minor=500@1%
        --meter supernova-mystery=1000@0.5%

    Then display a sign with `cutcard meter notice join`, and let tables join. Exit 1: the name has
    been taken on other terms. Exit 2: the terms make no sense.
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
    """A table will play for a system: cutcard meter notice join T1 city"""
    _display(SignChange("join", system, table), key, database, as_json)


@notice.command("leave")
def notice_leave(
    table: TableName,
    system: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """A table will leave a system: cutcard meter notice leave T1 city"""
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
    """A table will move from one system to another: cutcard meter notice move T1 city east"""
    _display(SignChange("move", system, table, to), key, database, as_json)


@notice.command("close")
def notice_close(
    system: SystemName,
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """A system will be closed; the sign stands at every one of its tables."""
    _display(SignChange("close", system), key, database, as_json)


@app.command()
def join(
    table: TableName, system: SystemName, database: DatabaseOption = "", as_json: JsonFlag = False
) -> None:
    """A table joins a system, twenty minutes after its sign (21.5.1(e)). Exit 1: not yet."""
    _carry_out(SignChange("join", system, table), database, as_json)


@app.command()
def leave(
    table: TableName, system: SystemName, database: DatabaseOption = "", as_json: JsonFlag = False
) -> None:
    """A table leaves a system, twenty minutes after its sign (21.5.1(e)). Exit 1: not yet."""
    _carry_out(SignChange("leave", system, table), database, as_json)


@app.command()
def move(
    table: TableName,
    system: SystemName,
    to: SystemName,
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """A table moves to another system, twenty minutes after its sign (21.5.1(e))."""
    _carry_out(SignChange("move", system, table, to), database, as_json)


@app.command()
def close(
    system: SystemName,
    into: Annotated[
        list[str], typer.Option(help="Who gets what stands above the seed: east, or east=1/2.")
    ],
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Close a system; what its meters record above their seeds moves to others (21.5.1(f), (g)).

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
    """Every system with its meters and tables, and every Personal Bet Manager's balance."""

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
    """The ledger in its order: every change, with its rule. With --json one object a line."""

    def look(meters: Meters) -> None:
        for entry in meters.history(first):
            typer.echo(json.dumps(entry_as_json(entry)) if as_json else entry_as_text(entry))

    with_meters(database, as_json, look)


@app.command()
def verify(
    holds: Annotated[
        str, typer.Option(help="NUMBER:HASH, noted earlier: the ledger must still have it.")
    ] = "",
    checkpoints: Annotated[
        list[Path] | None,
        typer.Option(help="Checkpoints that were kept elsewhere; may be repeated."),
    ] = None,
    public_key: Annotated[
        str, typer.Option(metavar="HEX|FILE", help="The key that signed them, from elsewhere.")
    ] = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Do everything that the ledger says was done again, by the rules alone, and compare.

    Every sign, change, balance, wager, increment and prize must be what the rules make of what was
    asked for, at the time it says; no meter was ever below what 21.5.2 or 24.5.2 requires, nor
    below its seed; and what the database keeps beside the ledger must be what the ledger makes.
    Whoever has edited the database, even if only for a moment, is found so.

    Note the last entry's number and hash somewhere else, and ask for them with --holds next time:
    then nobody can have written the whole ledger anew. `cutcard meter checkpoint` does the same
    with a signature: --checkpoints finds a ledger whose end was cut.

    Exit 0: all of it holds. Exit 1: not so.
    """

    def look(meters: Meters) -> None:
        if holds and not NOTED.fullmatch(holds):
            raise BadTermsError(
                f"{quoted(holds)} is not NUMBER:HASH", "Copy what `cutcard meter verify` printed."
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
                typer.echo(f"All of it holds. Last entry: {found.entries}:{found.head}")
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
        str, typer.Option(help="Why the ledger's time is not now's; recorded, and shown for ever.")
    ],
    key: KeyOption = "",
    database: DatabaseOption = "",
    as_json: JsonFlag = False,
) -> None:
    """Go on where the last entry is far ahead of the clock, or more than 31 days behind it.

    First set the clock right. What this records is told by every `cutcard meter verify` after it,
    and signs that were displayed before count from now. Exit 1: nothing is wrong.

        cutcard meter clock --because "the host's battery was flat"
    """
    answer(database, as_json, lambda meters: meters.set_clock(because, new_key(key)))


for command in rounds.COMMANDS:
    app.command()(command)


def _show_progress(done: int, all: int) -> None:
    typer.echo(f"{done:,} of {all:,} entries done again", err=True)


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
