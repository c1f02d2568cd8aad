"""Exit codes, and the error messages at the end of the certification's commands.

0  pass
1  fail
2  no verdict, or wrong usage: no data, an unwritable output, a device that does not answer
3  open: a required measurement is missing, and no test failed
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

from cutcard.cli.standard_output import report_output_errors
from cutcard.progress import working

NO_VERDICT = 2
OPEN_ITEMS = 3
INTERRUPTED = 130  # the shell's code for Ctrl-C


@contextmanager
def answering(json_to: str | None) -> Iterator[None]:
    """Run a command's work and convert its errors; first check that the output is writable."""
    require_place(json_to)
    try:
        with report_output_errors(NO_VERDICT):
            yield
    except KeyboardInterrupt:
        typer.echo("cutcard certify: interrupted, no verdict", err=True)
        raise typer.Exit(INTERRUPTED) from None


def require_place(json_to: str | None) -> None:
    """Raise BadParameter if the file for the JSON cannot be written."""
    if json_to in (None, "-"):
        return
    path = Path(str(json_to))
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise typer.BadParameter(f"cannot write {path}", param_hint="--json")


@contextmanager
def steps() -> Iterator[Callable[[str], None]]:
    """Show the current step while the work runs."""
    with working("certifying") as work:
        yield work.on


def write_json(text: str, to: str) -> None:
    if to == "-":
        print(text, flush=True)
    else:
        Path(to).write_text(text + "\n", encoding="utf-8")


def no_verdict(problem: str, offset: int | None, json_to: str | None) -> NoReturn:
    if json_to is not None:
        write_json(json.dumps({"verdict": None, "error": problem, "offset": offset}), json_to)
    typer.echo(f"cutcard certify: {problem}", err=True)
    raise typer.Exit(NO_VERDICT)
