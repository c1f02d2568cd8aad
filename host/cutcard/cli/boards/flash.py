"""`cutcard flash`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from cutcard.cli.options import complain
from cutcard.columns import show_table
from cutcard.devices.errors import BadPortError, DeviceError
from cutcard.flashing.errors import NotTakenError
from cutcard.flashing.flash import Flashed
from cutcard.flashing.flash import flash as flash_device
from cutcard.image.image import Image, ImageError
from cutcard.progress import Work, working


def flash(
    port: Annotated[str, typer.Argument(metavar="PORT", help="Port string of the board.")],
    file: Annotated[Path, typer.Argument(metavar="IMAGE", help="From `cutcard image build`.")],
    yes: Annotated[
        bool, typer.Option("--yes", help="Remove other files from a new board without asking.")
    ] = False,
    cards_inside_ok: Annotated[
        bool,
        typer.Option(
            "--cards-inside-ok",
            help="Update even if cards are in the machine; it keeps its count.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for scripts.")] = False,
) -> None:
    """Flash an image: onto a new board with stock MicroPython, or onto one that runs cutcard.

    The image is verified before anything is erased, written to the other slot, and activated in one
    step: if you pull the cable or the power at any moment, the device starts the old version or the
    new one. Run the command again to resume. A new board gets its key, and its identity card is
    printed. Exit 1: refused, with the reason.

        cutcard flash /dev/serial/by-id/usb-MicroPython_Board_... carousel-60-rp2-3.cutcard

        cutcard bench --blank --dir board &
        cutcard flash board/port carousel-60-bench-1.cutcard
    """
    if not file.is_file():
        complain(f"{file} does not exist. `cutcard image build` makes an image.")
        raise typer.Exit(2)
    try:
        image = Image.read(file)
        with working("flashing") as work:
            done = flash_device(
                port,
                image,
                yes=lambda question: yes or _ask(question, as_json, work),
                cards_inside_ok=cards_inside_ok,
                progress=work.reach,
            )
    except ImageError as error:
        _fail(f"{file}: {error.problem}", error.hint, error.reason, as_json)
    except DeviceError as error:
        reason = error.reason if isinstance(error, NotTakenError) else ""
        _fail(
            error.problem, error.hint, reason, as_json, 2 if isinstance(error, BadPortError) else 1
        )
    if as_json:
        facts = {"first": done.first, "before": done.before, "card": done.card.described()}
        typer.echo(json.dumps(facts, indent=2))
    else:
        _show(done)


def _ask(question: str, as_json: bool, work: Work) -> bool:
    if as_json or not sys.stdin.isatty():
        return False
    with work.held():
        return typer.confirm(f"{question}. Continue?")


def _show(done: Flashed) -> None:
    card = done.card
    console = Console(highlight=False)
    if not done.first:
        console.print(f"{card.serial}: version {done.before} -> version {card.version}")
        return
    facts = card.described().items()
    rows = [(name.replace("_", " "), str(value)) for name, value in facts if name != "qr"]
    show_table(("", ""), rows, title="Identity card")
    console.print(card.qr_text(), soft_wrap=True)


def _fail(problem: str, hint: str, reason: str, as_json: bool, code: int = 1) -> NoReturn:
    if as_json:
        typer.echo(json.dumps({"error": problem, "hint": hint, "reason": reason}, indent=2))
    else:
        complain(f"{problem}\n{hint}")
    raise typer.Exit(code)
