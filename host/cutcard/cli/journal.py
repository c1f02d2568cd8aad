"""`cutcard journal`: look at the record of a table, and check it."""

from __future__ import annotations

import csv
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer

from cutcard import untrusted
from cutcard.cases.runner import run_file
from cutcard.cli.options import refuse
from cutcard.columns import wrapped
from cutcard.journal import JournalDamaged, JournalNewer, Record, read
from cutcard.journal.file import unfinished
from cutcard.table.evening import write_cases
from cutcard.table.telling import Line, tell

app = typer.Typer(help="The append-only record of a table.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="A journal, such as tables/NAME/crown/table.journal.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


@app.command()
def verify(
    file: File,
    holds: Annotated[
        str,
        typer.Option(help="A hash that was told before: it must still be the hash of a record."),
    ] = "",
    as_json: Json = False,
) -> None:
    """Check that nothing in a journal was changed, removed or put in later.

    Bytes behind the last whole line are no record: a power cut tore one, or somebody put them
    there; how many there are is told. What was taken off the end leaves a chain that holds: keep
    the last hash elsewhere and pass it with --holds.

    Exit 0: the chain of hashes holds. 1: it breaks, there is no record, or --holds is not in it.
    2: there is no such file.
    """
    records, torn, last, problem = 0, 0, "", ""
    held = not holds
    try:
        for record in _read(file):
            records, last = record.number, record.hash
            held = held or record.hash == holds.lower()
        torn = unfinished(file)
    except (JournalDamaged, JournalNewer) as damage:
        problem = str(damage)
    if not problem and not records:
        problem = f"{file}: there is no record in it, so there is nothing that holds."
    if not problem and not held:
        problem = (
            f"{file}: no record has the hash {untrusted.shown(holds)}. Something was taken off its "
            "end or the journal is another: keep it as it is for whoever investigates."
        )
    said = {"ok": not problem, "records": records, "hash": last}
    if as_json:
        typer.echo(json.dumps(said | {"unfinished_bytes": torn, "problem": problem}))
    elif problem:
        typer.echo(problem, err=True)
    else:
        typer.echo(f"{file}: {records} records, unbroken. Hash of the last: {last}")
        if torn:
            typer.echo(f"Behind them are {torn} bytes of a record that was never finished.")
    raise typer.Exit(1 if problem else 0)


@app.command()
def show(
    context: typer.Context,
    file: File,
    number: Annotated[int | None, typer.Option("--round", help="Only this round.")] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Only what went wrong, and how it was ruled on.")
    ] = False,
    since: Annotated[
        str, typer.Option("--from", help="Only from this time on, as in 2026-11-16T20:15.")
    ] = "",
    until: Annotated[str, typer.Option("--to", help="Only before this time.")] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Every record as it was written, one a line.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated, with a heading.")] = False,
    as_json: Json = False,
) -> None:
    """Tell a journal as a floor manager would, in the order in which it happened.

    Times are UTC. With --all and --json every record is there, with its data.
    """
    if everything:
        refuse(context, "does not go with --all, which leaves nothing out", "number", "faults")
    try:
        if everything:
            for record in _read(file):
                typer.echo(_as_json(record) if as_json else _as_text(record))
            return
        _read(file)
        lines = (
            line
            for line in tell(file)
            if (number is None or line.round == number)
            and (line.fault or not faults)
            and line.time >= since
            and (not until or line.time < until)
        )
        _print(lines, as_csv, as_json)
    except (JournalDamaged, JournalNewer) as damage:
        typer.echo(str(damage), err=True)
        raise typer.Exit(1) from None


def _print(lines: Iterable[Line], as_csv: bool, as_json: bool) -> None:
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(("record", "time", "table", "round", "text", "rules"))
        for line in lines:
            rules = " ".join(line.rules)
            writer.writerow(
                (line.record, line.time, line.table, line.round or "", line.text, rules)
            )
        return
    for line in lines:
        if as_json:
            typer.echo(json.dumps(line.as_json()))
            continue
        cited = f" [{', '.join(line.rules)}]" if line.rules else ""
        text = untrusted.printable(f"{line.time[11:19] or '':8}  {line.text}{cited}")
        typer.echo("\n".join(wrapped(text, later=" " * 10)))


@app.command()
def replay(file: File, as_json: Json = False) -> None:
    """Replay every settled round of a journal through the engine, and compare the money.

    Exit 0: all come to what the journal says. 1: one does not. 2: there is no such file.
    """
    with tempfile.TemporaryDirectory() as folder:
        rounds, differing = _replayed(file, Path(folder))
    if as_json:
        typer.echo(json.dumps({"ok": not differing, "rounds": rounds, "differing": differing}))
    else:
        typer.echo(f"{file}: {rounds} rounds, {rounds - len(differing)} replay to the same cents")
        for problem in differing:
            typer.echo(f"  {problem}", err=True)
    raise typer.Exit(1 if differing or not rounds else 0)


def _replayed(file: Path, folder: Path) -> tuple[int, list[str]]:
    rounds = _exported(file, folder)
    differing = []
    for path in sorted(folder.glob("*.toml")):
        report = run_file(path)
        if not report.ok:
            differing.append(f"{path.stem}: {report.malformed or '; '.join(report.differences)}")
    return rounds, differing


def _exported(file: Path, folder: Path) -> int:
    _read(file)
    try:
        return write_cases(file, folder)
    except (JournalDamaged, JournalNewer) as damage:
        typer.echo(str(damage), err=True)
        raise typer.Exit(1) from None


@app.command()
def export(
    file: File,
    cases: Annotated[
        Path | None, typer.Option(help="A new folder: each settled round as a case file.")
    ] = None,
    shift: Annotated[
        Path | None, typer.Option(help="A new CSV file: each wager of each round, in dollars.")
    ] = None,
) -> None:
    """Write the rounds of a journal for others: case files for a dispute, a shift report as CSV.

    For example: cutcard journal export table.journal --cases dispute --shift shift.csv
    """
    if cases is None and shift is None:
        typer.echo("say what to write: --cases FOLDER, --shift FILE, or both", err=True)
        raise typer.Exit(2)
    for path in filter(None, (cases, shift)):
        if path.exists():
            typer.echo(f"{path} is there already: name a new one, nothing is replaced", err=True)
            raise typer.Exit(2)
    if cases is not None:
        typer.echo(f"{_exported(file, cases)} rounds written into {cases}")
    if shift is not None:
        typer.echo(f"{_shift(file, shift)} wagers written into {shift}")


def _shift(file: Path, path: Path) -> int:
    settled = [record for record in _read(file) if record.kind == "settled"]
    count = 0
    with path.open("x", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(
            ("table", "round", "time", "box", "player", "bet", "result", "net", "rules")
        )
        for place, record in enumerate(settled, start=1):
            for line in record.data["results"]:
                head = (record.table, record.data.get("number", place), record.time)
                wager = (line["box"], line["player"], line["bet"], line["result"])
                net = f"{Decimal(str(line['net'])):.2f}"
                writer.writerow((*head, *wager, net, " ".join(line["rules"])))
                count += 1
    return count


def _read(file: Path) -> Iterator[Record]:
    if not file.is_file():
        typer.echo(f"{file}: there is no such file. `make run` writes two.", err=True)
        raise typer.Exit(2)
    return read(file)


def _as_json(record: Record) -> str:
    said = {"n": record.number, "time": record.time, "table": record.table, "kind": record.kind}
    return json.dumps(said | {"data": record.data, "device": dict(record.device)})


def _as_text(record: Record) -> str:
    data = "  ".join(f"{_value(key)}={_value(value)}" for key, value in record.data.items())
    return f"{record.number:6d}  {_value(record.kind):<10} {data}"


def _value(value: object) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return untrusted.printable(said)
