"""`cutcard chip`: run a device on an emulated Pico, from a terminal or a script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutcard.bench.person.words import Answer
from cutcard.bench.settings import Settings
from cutcard.chip.chip_bench import ChipBench
from cutcard.chip.person import record
from cutcard.cli.boards.bench_command import made_with, run
from cutcard.cli.doctor import CHIP_CHECKS
from cutcard.cli.options import called_wrongly
from cutcard.machines import DEFAULT_MACHINE


def chip(
    machine: Annotated[
        str, typer.Argument(help="A machine's name (`cutcard machine list`) or its .toml file.")
    ] = DEFAULT_MACHINE,
    seed: Annotated[
        int | None,
        typer.Option(help="The same seed gives the same board; the second start is immediate."),
    ] = None,
    decks: Annotated[
        str, typer.Option(help="Decks in tray or stack at the start: 6, or 6x48.")
    ] = "0",
    clock: Annotated[
        str,
        typer.Option(
            help="virtual: jump from event to event. real: never ahead of the wall clock, for "
            "foreign programs that use it."
        ),
    ] = "virtual",
    folder: Annotated[
        str, typer.Option("--dir", help="Store flash, key and cards here for the next run.")
    ] = "",
    blank: Annotated[
        bool,
        typer.Option(
            "--blank",
            help="MicroPython and an empty file system, to be flashed; with --dir, the flashed "
            "image starts again.",
        ),
    ] = False,
    vcd: Annotated[
        Path | None,
        typer.Option(help="Record every pin of the machine file here, for a logic viewer."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the ready line as JSON; read no commands.")
    ] = False,
) -> None:
    """Run a device on an emulated Pico: the MicroPython and image of a board, wired to the bench's
    machine pin by pin.

    All commands of `cutcard bench` work here, too. In addition, `registers`, `peek`, `pins` and
    `vcd` inspect the board, `erases` makes its flash slow, and `keep` and `recall` save and restore
    a moment. It needs node, the emulator's packages and MicroPython for the board: `cutcard doctor`
    shows how to install them. docs/how-to/emulated-chip.md lists the emulated parts and the limits.

        cutcard chip my-machine.toml --decks 1 --vcd pins.vcd
    """
    missing = [finding for check in CHIP_CHECKS if not (finding := check()).ok]
    if missing:
        fixes = [f"{each.name} ({each.found}): {each.fix}" for each in missing]
        called_wrongly("\n".join(["The emulated chip needs parts that are missing:", *fixes]))
    made = made_with(
        ChipBench,
        lambda: Settings(machine, seed=seed, decks=decks, clock=clock, folder=folder, blank=blank),
    )

    def announced(_: Answer) -> None:
        if vcd is not None:
            record(made, str(vcd))

    run(made, as_json, announced)
