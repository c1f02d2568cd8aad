"""`cutcard machine`: list, check, show and assess machine files, and draw their wiring."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from cutcard.cli.boards.machine_assess import assess
from cutcard.cli.options import complain, refuse
from cutcard.columns import show_table, wrapped
from cutcard.machines.library import Machine, find, load, shipped
from cutcard.machines.schema import MachineFileError, keys_of
from cutcard.machines.spec import spec_text
from cutcard.machines.wiring import wiring_svg

app = typer.Typer(
    help="Machine files: list the included ones; check, show, draw and assess your own.",
    no_args_is_help=True,
)
app.command("assess")(assess)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command("list")
def list_machines(as_json: AsJson = False) -> None:
    """List the machines included in cutcard."""
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
    """Check a machine file. Exit 1 with all problems if it is invalid, 2 if it is missing."""
    if not file.is_file():
        _called_wrongly(
            f"{file} does not exist. `cutcard machine list` lists the included machines"
        )
    try:
        machine = load(file)
    except MachineFileError as error:
        if as_json:
            print(json.dumps({"ok": False, "file": error.file, "problems": error.problems}))
        else:
            complain(str(error))
        raise typer.Exit(1) from error
    if as_json:
        print(json.dumps({"ok": True, "file": str(file), "name": machine.name, **_where(machine)}))
    elif machine.bench_only:
        said = (
            f"{file}: {machine.name} is a {machine.kind}, bench only: it has no pins, so "
            "`cutcard bench` runs it and no image for a board can be built. "
            "For a board, add [pins.pico]."
        )
        typer.echo("\n".join(wrapped(said)))
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
        bool, typer.Option("--compiled", help="Print machine_spec.py for the firmware.")
    ] = False,
    board: Annotated[
        str, typer.Option(help="With --compiled: the pins of this board, such as pico.")
    ] = "",
    as_toml: Annotated[
        bool, typer.Option("--toml", help="Print the machine file, as a start for your own.")
    ] = False,
) -> None:
    """Show every key of a machine (an included name or a file), with its meaning.

    Example:

          cutcard machine show carousel-60 --toml > my-machine.toml
    """
    if as_toml:
        refuse(context, "cannot be combined with --toml", "as_json", "compiled", "board")
    if not compiled:
        refuse(context, "requires --compiled", "board")
    try:
        machine = find(name)
    except MachineFileError as error:
        _called_wrongly(str(error))
    if board:
        _board_of(machine, board)
    if as_toml:
        print(machine.file.read_text("utf-8"), end="")
    elif compiled:
        refuse(context, "cannot be combined with --compiled, which prints Python", "as_json")
        print(spec_text(machine, board), end="")
    elif as_json:
        weights = {pack: {"in": row.into, "out": row.out} for pack, row in machine.rows.items()}
        print(json.dumps({**machine.values, "weights": weights, "pins": machine.pins}))
    else:
        rows = [
            (key, str(machine.values[key]), row.meaning)
            for key, row in keys_of(machine.kind).items()
        ]
        for pack, of_pack in sorted(machine.rows.items()):
            rows.append(
                (f"weights.{pack}.in", " ".join(map(str, of_pack.into)), "bins of 0, 1 ...")
            )
            rows.append(
                (f"weights.{pack}.out", " ".join(map(str, of_pack.out)), "bins of 1, 2 ...")
            )
        for board_name, wiring in machine.pins.items():
            for pin, gpio in wiring.items():
                rows.append((f"pins.{board_name}.{pin}", f"GP{gpio}", ""))
        title = f"{machine.name} ({machine.file})"
        show_table(("key", "value", "meaning"), rows, title=title)


@app.command("wiring")
def wiring(
    name: str,
    output: Annotated[Path, typer.Option(help="The SVG file to write.")],
    board: Annotated[str, typer.Option(help="The board whose pins are drawn.")] = "",
) -> None:
    """Draw the wiring of a machine (an included name or a file) to its board.

    Example:

          cutcard machine wiring carousel-60 --output wiring.svg
    """
    try:
        machine = find(name)
    except MachineFileError as error:
        _called_wrongly(str(error))
    chosen = _board_of(machine, board)
    try:
        output.write_text(wiring_svg(machine, chosen), "utf-8")
    except OSError as error:
        _called_wrongly(f"{output} cannot be written: {error.strerror}")
    typer.echo(f"{output}: {len(machine.pins[chosen])} wires of the {machine.name} to a {chosen}")


def _board_of(machine: Machine, board: str) -> str:
    """Return the requested board, or the machine's first."""
    known = ", ".join(machine.pins) or "no boards: it is bench only"
    if board and board not in machine.pins:
        _called_wrongly(f"{machine.name} has no pins for a board {board!r}; it has {known}")
    if not machine.pins:
        _called_wrongly(
            f"{machine.name} has no pins: it is bench only. Add [pins.pico] to its file."
        )
    return board or next(iter(machine.pins))


def _called_wrongly(problem: str) -> NoReturn:
    complain(problem)
    raise typer.Exit(2)
