"""`cutcard chip`: a device on an emulated Pico, for a person at a terminal or for a script."""

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


def chip(
    machine: Annotated[
        str, typer.Argument(help="A machine's name (`cutcard machine list`) or its .toml file.")
    ] = "carousel-38",
    seed: Annotated[
        int | None,
        typer.Option(help="The same seed gives the same board; the second time it starts at once."),
    ] = None,
    decks: Annotated[
        str, typer.Option(help="Decks in tray or stack at the start: 6, or 6x48.")
    ] = "0",
    clock: Annotated[
        str,
        typer.Option(
            help="virtual: as fast as things happen. real: never ahead of the wall, for programs "
            "of others that talk to it."
        ),
    ] = "virtual",
    folder: Annotated[
        str, typer.Option("--dir", help="Keep flash, key and cards here for the next time.")
    ] = "",
    blank: Annotated[
        bool,
        typer.Option(
            "--blank",
            help="MicroPython and an empty file system, to be flashed; with --dir, what was "
            "flashed starts again.",
        ),
    ] = False,
    vcd: Annotated[
        Path | None,
        typer.Option(help="Record every pin of the machine file here, for a logic viewer."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the ready line as JSON; take no words.")
    ] = False,
) -> None:
    """Run a device on an emulated Pico: the same MicroPython and image as on a board, wired to the
    bench's machine pin by pin.

    What a person can do at `cutcard bench` can be done here too. Besides, the words `registers`,
    `peek`, `pins` and `vcd` look into the board, `erases` makes its flash slow, and `keep` and
    `recall` go back to a moment. It needs node, the emulator's packages and MicroPython for the
    board: `cutcard doctor` shows the command that gets each.
    docs/how-to/emulated-chip.md lists what is emulated and what is not.

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
