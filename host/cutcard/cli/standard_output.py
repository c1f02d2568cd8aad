"""Standard output that does not take what is printed: nobody reads on, or the disk is full."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

NOT_WRITTEN = 1
NOBODY_READS = 141  # 128 + SIGPIPE, as a shell says it of other programs


class _NotTakenError(Exception):
    """Raised where standard output has not taken what was printed."""


@contextmanager
def report_output_errors(not_written: int = NOT_WRITTEN) -> Iterator[None]:
    """The frame around a command: what it prints is written, or the exit code tells that it is not.

    Who reads on no more (`| head -1`) has what he wanted, and is told nothing.
    """
    try:
        with _flushed():
            yield
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # how typer and rich end by themselves
            _leave(NOBODY_READS)
        raise
    except _NotTakenError as refused:
        error = refused.__cause__
        if isinstance(error, BrokenPipeError):
            _leave(NOBODY_READS)
        from cutcard.untrusted import why_unreadable  # only an error needs it

        assert error is not None
        typer.echo(f"standard output cannot be written: {why_unreadable(error)}", err=True)
        _leave(not_written)


@contextmanager
def _flushed() -> Iterator[None]:
    """After an error of some file a line more tells whether it was standard output's."""
    more = ""
    try:
        yield
    except OSError as error:
        more = "" if error.filename else "\n"
        raise
    finally:
        _print_rest(more)


def _print_rest(more: str) -> None:
    try:
        sys.stdout.write(more)
        sys.stdout.flush()
    except OSError as error:
        raise _NotTakenError from error


def _leave(code: int) -> NoReturn:
    """Python would try the rest again at its end, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)
