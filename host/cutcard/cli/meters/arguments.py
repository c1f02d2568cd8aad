"""Common parts of `cutcard meter`: options, output, and failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any
from uuid import uuid4

import typer

from cutcard.columns import wrapped
from cutcard.engine.ledger import dollars
from cutcard.keys.store import default_folder
from cutcard.meters.errors import MeterError
from cutcard.meters.ledger import ASKED, LedgerEntry, Receipt
from cutcard.meters.meters import Meters

DATABASE_HELP = (
    "A file, or postgresql://user@host/name where several hosts share the meters. "
    "Default: meters.sqlite in ~/.config/cutcard."
)
KEY_HELP = "Your own key: a repeated request with the same key counts once."

DatabaseOption = Annotated[
    str, typer.Option("--database", envvar="CUTCARD_METERS", help=DATABASE_HELP)
]
JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
KeyOption = Annotated[str, typer.Option("--key", help=KEY_HELP)]
TableName = Annotated[str, typer.Argument(metavar="TABLE", help="The table, as on its sign.")]
SystemName = Annotated[str, typer.Argument(metavar="SYSTEM", help="The prize meter system.")]
RoundNumber = Annotated[
    int,
    typer.Argument(
        metavar="ROUND", min=1, max=2**31 - 1, help="The rounds of a table have increasing numbers."
    ),
]
BoxNumber = Annotated[int, typer.Argument(metavar="BOX", min=1, max=9, help="1 to 9.")]


def new_key(given: str) -> str:
    return given or uuid4().hex


def answer(
    database: str, as_json: bool, ask: Callable[[Meters], Receipt], create: bool = False
) -> None:
    """Request a change and print its record; exit 1 or 2 if it was refused."""

    def print_receipt(meters: Meters) -> None:
        receipt = ask(meters)
        if as_json:
            print(json.dumps(receipt_as_json(receipt)))
            return
        if receipt.repeated:
            typer.echo("Recorded before, and counted once:")
        for entry in receipt.entries:
            typer.echo(entry_as_text(entry))

    with_meters(database, as_json, print_receipt, create)


def with_meters(
    database: str, as_json: bool, do: Callable[[Meters], None], create: bool = False
) -> None:
    where = database or str(default_folder() / "meters.sqlite")
    try:
        with Meters.open(where, create=create) as meters:
            do(meters)
    except MeterError as error:
        if as_json:
            said = {"error": error.code, "problem": error.problem, "hint": error.hint}
            print(json.dumps(said | {"rules": list(error.rules)}))
        else:
            typer.echo(str(error), err=True)
        raise typer.Exit(error.exit_code) from None


def amount(cents: Fraction) -> str:
    """Format dollars and cents, with the exact fraction of a cent if there is one."""
    whole, rest = divmod(cents, 1)
    return dollars(int(whole)) + (f" and {rest} of a cent" if rest else "")


def percent(rate: Fraction) -> str:
    """Format 1.5%, or 1/300 if no such decimal is exact."""
    hundredths = rate * 10_000
    if hundredths.denominator != 1:
        return str(rate)
    whole, rest = divmod(int(hundredths), 100)
    return f"{whole}.{rest:02d}".rstrip("0").rstrip(".") + "%"


def entry_as_text(entry: LedgerEntry) -> str:
    if entry.cents:
        what = f"{amount(entry.cents)} from {entry.source} to {entry.target}"
    else:
        what = f"{entry.source} {entry.target}".strip()
    detail = "".join(
        f", {key} {value}" for key, value in entry.detail.items() if value and key != ASKED
    )
    rules = ", ".join(entry.rules)
    line = f"{entry.number:6d}  {entry.at}  {entry.kind:<10} {what}{detail} [{rules}]"
    return "\n".join(wrapped(line, later=" " * 8))


def entry_as_json(entry: LedgerEntry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": entry.at,
        "key": entry.reference,
        "kind": entry.kind,
        "from": entry.source,
        "to": entry.target,
        "cents": str(entry.cents),
        **({"detail": entry.detail} if entry.detail else {}),
        "rules": list(entry.rules),
        "hash": entry.hash,
    }


def receipt_as_json(receipt: Receipt) -> dict[str, Any]:
    return {
        "key": receipt.reference,
        "repeated": receipt.repeated,
        "entries": [entry_as_json(entry) for entry in receipt.entries],
    }
