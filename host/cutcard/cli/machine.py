"""`cutcard machine`: list the machines there are, check a file of one's own, show one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from cutcard.cli.options import refuse
from cutcard.columns import show_table
from cutcard.machines.library import Machine, find, load, shipped
from cutcard.machines.schema import MachineFileError, keys_of
from cutcard.machines.spec import spec_text

app = typer.Typer(
    help="Describe a machine in one file: list those that ship, check yours, show one.",
    no_args_is_help=True,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command("list")
def list_machines(as_json: AsJson = False) -> None:
    """The machines that ship with cutcard."""
    machines = [load(file) for file in shipped()]
    if as_json:
        print(json.dumps([{"name": m.name, **m.values, **_where(m)} for m in machines]))
        return
    headings = ("name", "kind", "mechanism", "bins", "decks", "runs on", "description")
    rows = []
    for m in machines:
        bins = f"{m.whole('bins.count')} x {m.whole('bins.capacity')}" if m.has_bins else "-"
        decks = str(m.values.get("decks.most", "-"))
        place = ", ".join(_where(m)["runs_on"])
        rows.append((m.name, m.kind, m.mechanism, bins, decks, place, m.values["description"]))
    show_table(headings, rows)


@app.command("check")
def check_file(file: Path, as_json: AsJson = False) -> None:
    """Check a machine file. Exit 1 with every problem named if it cannot be used."""
    try:
        machine = load(file)
    except MachineFileError as error:
        if as_json:
            print(json.dumps({"ok": False, "file": error.file, "problems": error.problems}))
        else:
            typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    if as_json:
        print(json.dumps({"ok": True, "file": str(file), "name": machine.name, **_where(machine)}))
    elif machine.bench_only:
        typer.echo(
            f"{file}: {machine.name} is a {machine.kind}, bench only: it has no pins, so "
            "`cutcard bench` runs it and no image for a board can be built. "
            "For a board, add [pins.pico]."
        )
    else:
        boards = " and ".join(machine.pins)
        typer.echo(f"{file}: {machine.name} is a {machine.kind} that can be built ({boards})")


def _where(machine: Machine) -> dict[str, Any]:
    return {"bench_only": machine.bench_only, "runs_on": ["bench", *machine.pins]}


@app.command("show")
def show(
    context: typer.Context,
    name: str,
    as_json: AsJson = False,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Print machine_spec.py as the firmware gets it.")
    ] = False,
    board: Annotated[
        str, typer.Option(help="With --compiled: the pins of this board, such as pico.")
    ] = "",
) -> None:
    """Every key of a machine (a shipped name or a file), with its meaning."""
    if not compiled:
        refuse(context, "goes with --compiled", "board")
    try:
        machine = find(name)
    except MachineFileError as error:
        _called_wrongly(str(error))
    if board and board not in machine.pins:
        known = ", ".join(machine.pins) or "none: it is bench only"
        _called_wrongly(f"{machine.name} has no pins for a board {board!r}; it has {known}")
    if compiled:
        refuse(context, "does not go with --compiled, which prints Python", "as_json")
        print(spec_text(machine, board), end="")
    elif as_json:
        print(json.dumps({**machine.values, "pins": machine.pins}))
    else:
        rows = [
            (key, str(machine.values[key]), row.meaning)
            for key, row in keys_of(machine.kind).items()
        ]
        for board_name, wiring in machine.pins.items():
            for pin, gpio in wiring.items():
                rows.append((f"pins.{board_name}.{pin}", f"GP{gpio}", ""))
        title = f"{machine.name} ({machine.file})"
        show_table(("key", "value", "meaning"), rows, title=title)


def _called_wrongly(problem: str) -> NoReturn:
    typer.echo(problem, err=True)
    raise typer.Exit(2)
