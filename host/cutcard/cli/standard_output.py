"""Handle standard output that is closed by its reader, or on a full disk."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

NOT_WRITTEN = 1
NOBODY_READS = 141  # 128 + SIGPIPE, as a shell reports for other programs


class _NotTakenError(Exception):
    """Raised if standard output did not accept the output."""


@contextmanager
def report_output_errors(not_written: int = NOT_WRITTEN) -> Iterator[None]:
    """Run a command; if its output cannot be written, the exit code shows it.

    A reader that closes the pipe early (`| head -1`) has the wanted lines, and gets no message.
    """
    try:
        with _flushed():
            yield
    except SystemExit as ended:
        if isinstance(ended.__context__, BrokenPipeError):  # typer and rich end this way
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
    """Flush standard output after an error about a file, to find out whether it was this one."""
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
    """Exit without Python's own flush at its end, which would fail again with a message."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    raise SystemExit(code)
