"""`cutcard journal`: look at the record of a table, and check it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cutcard import untrusted
from cutcard.journal.file import JournalDamaged, Record, read, unfinished

app = typer.Typer(help="The append-only record of a table.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="A journal, such as build/evening/crown.journal.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command()
def verify(file: File, as_json: Json = False) -> None:
    """Check that nothing in a journal was changed, removed or put in later.

    Bytes behind the last whole line are no record: a power cut tore one, or somebody put them
    there; how many there are is told. Exit code 0 where the chain of hashes holds, 1 where it
    breaks, 2 where there is no such file.
    """
    records = 0
    problem = ""
    last = ""
    torn = 0
    try:
        for record in _read(file):
            records, last = record.number, record.hash
        torn = unfinished(file)
    except JournalDamaged as damage:
        problem = str(damage)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "ok": not problem,
                    "records": records,
                    "hash": last,
                    "unfinished_bytes": torn,
                    "problem": problem,
                }
            )
        )
    elif problem:
        typer.echo(problem, err=True)
    else:
        typer.echo(f"{file}: {records} records, unbroken. Hash of the last: {last}")
        if torn:
            typer.echo(f"Behind them are {torn} bytes of a record that was never finished.")
    raise typer.Exit(1 if problem else 0)


@app.command()
def show(file: File, as_json: Json = False) -> None:
    """Print the records of a journal in their order."""
    try:
        for record in _read(file):
            typer.echo(_as_json(record) if as_json else _as_text(record))
    except JournalDamaged as damage:
        typer.echo(str(damage), err=True)
        raise typer.Exit(1) from None


def _read(file: Path) -> Iterator[Record]:
    if not file.is_file():
        typer.echo(f"{file}: there is no such file. `make run` writes two journals.", err=True)
        raise typer.Exit(2)
    return read(file)


def _as_json(record: Record) -> str:
    return json.dumps({"n": record.number, "kind": record.kind, "data": record.data})


def _as_text(record: Record) -> str:
    data = "  ".join(f"{_value(key)}={_value(value)}" for key, value in record.data.items())
    return f"{record.number:6d}  {_value(record.kind):<10} {data}"


def _value(value: object) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return untrusted.printable(said)
