"""`cutcard bench`: run a device on the bench, from a terminal or a script."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from typing import Annotated, TypeVar

import typer
from rich.console import Console
from rich.markup import escape

from cutcard.bench.firmware import FirmwareError
from cutcard.bench.person.prompt import Prompt
from cutcard.bench.person.words import Answer
from cutcard.bench.process import BenchFailedError, BenchProcess
from cutcard.bench.provision import ProvisionError
from cutcard.bench.settings import Settings, SettingsError
from cutcard.cli.options import complain
from cutcard.machines import DEFAULT_MACHINE, MachineFileError

B = TypeVar("B", bound=BenchProcess)


def bench(
    machine: Annotated[
        str, typer.Argument(help="A machine's name (`cutcard machine list`) or its .toml file.")
    ] = DEFAULT_MACHINE,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same bench.")] = None,
    decks: Annotated[
        str, typer.Option(help="Decks in tray or stack at the start: 6, or 6x48.")
    ] = "0",
    clock: Annotated[
        str, typer.Option(help="virtual: jump from event to event. real: wall-clock time.")
    ] = "virtual",
    listen: Annotated[
        str, typer.Option(help="HOST:PORT to offer TCP instead of a pseudo-terminal.")
    ] = "",
    folder: Annotated[
        str, typer.Option("--dir", help="Store flash, key and cards here for the next run.")
    ] = "",
    heap: Annotated[str, typer.Option(help="The interpreter's heap.")] = "288k",
    unprovisioned: Annotated[
        bool, typer.Option("--unprovisioned", help="Leave a blank device without a key.")
    ] = False,
    blank: Annotated[
        bool,
        typer.Option(
            "--blank",
            help="Stock MicroPython with an empty flash, to be flashed; with --dir, the flashed "
            "image starts again.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the ready line as JSON; read no commands.")
    ] = False,
) -> None:
    """Run a device on the bench: its real firmware in MicroPython, with a model of the machine.

    When it is ready, it prints the port for the driver, and the person's port for all manual
    actions: cards, jams, power, flash, time. In a terminal you can also type those commands here;
    `help` lists them. Ctrl-C or Ctrl-D ends the bench.
    """
    made = made_with(
        BenchProcess,
        lambda: Settings(
            machine,
            seed=seed,
            decks=decks,
            clock=clock,
            listen=listen,
            folder=folder,
            heap=heap,
            provision=not unprovisioned,
            blank=blank,
        ),
    )
    run(made, as_json)


def made_with(kind: type[B], settings: Callable[[], Settings]) -> B:
    """Return a bench of this kind. Exit 2 for invalid settings or missing parts."""
    try:
        return kind(settings())
    except (SettingsError, MachineFileError, FirmwareError, OSError) as error:
        complain(str(error))
        raise typer.Exit(2) from error


def run(
    made: BenchProcess,
    as_json: bool,
    announced: Callable[[Answer], None] = lambda introduction: None,
) -> None:
    """Run the bench until it is ended. Exit 1: its firmware did not start."""
    talks = sys.stdin.isatty() and not as_json

    def ready(introduction: Answer) -> None:
        announced(introduction)
        _ready(made, introduction, as_json, talks)

    try:
        made.run(ready)
    except (BenchFailedError, ProvisionError) as error:
        complain(str(error))
        raise typer.Exit(1) from error


def _ready(made: BenchProcess, introduction: Answer, as_json: bool, talks: bool) -> None:
    if as_json:
        print(json.dumps({**introduction, "pid": os.getpid()}), flush=True)
        return
    console = Console(highlight=False)
    said = {name: escape(str(value)) for name, value in introduction.items()}
    console.print(
        f"[bold]{said['machine']}[/] is ready on [bold]{said['port']}[/]\n"
        f"  serial {said['serial']}, seed {said['seed']}, "
        f"key in {said['key_file'] if introduction['key_file'] else 'no file of this folder'}\n"
        f"  the person's port is {said['person']}",
        soft_wrap=True,
    )
    if introduction["key_file"]:
        console.print(
            "  other commands reach it after: "
            f"[bold]export CUTCARD_KEYS={escape(shlex.quote(introduction['folder']))}[/]",
            soft_wrap=True,
        )
    if talks:
        made.invite(Prompt(sys.stdin.fileno(), console))
        made.watch()
