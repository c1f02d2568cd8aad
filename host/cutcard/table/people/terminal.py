"""A person at the terminal. During the thinking time, the lines to the devices are read."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Sequence
from io import UnsupportedOperation
from typing import TypeVar

import typer

from cutcard import untrusted
from cutcard.cards import Card

LOOK_EVERY = 0.5  # seconds between two reads of the devices
LONGEST_LINE = 4096
LONGEST_NUMBER = 5  # digits of a number, which is stored in the journal
T = TypeVar("T")


class Terminal:
    """Ask a person, repeatedly until the answer is valid. Its end ends the program.

    `meanwhile` is called while no input arrives. Lines typed ahead are kept.
    """

    def __init__(self, source: int | None = None) -> None:
        self.meanwhile: Callable[[], None] = lambda: None
        self._source = source  # a descriptor; None: the current standard input
        self._typed = b""

    def line(self, question: str) -> str:
        """Return the typed line, stripped. Raises typer.Abort without input."""
        typer.echo(f"{question}: ", nl=False)
        source = _descriptor() if self._source is None else self._source
        if source is None:
            if not (said := sys.stdin.readline()):
                raise typer.Abort
            return said.strip()
        while b"\n" not in self._typed:
            if not select.select([source], [], [], LOOK_EVERY)[0]:
                self.meanwhile()
            elif more := os.read(source, LONGEST_LINE):
                self._typed += more
            else:
                raise typer.Abort
        typed, _, self._typed = self._typed.partition(b"\n")
        said = typed.decode("utf-8", "replace").strip()
        if not os.isatty(source):
            # the answer comes from a pipe: print it, and end the line
            typer.echo(untrusted.printable(said))
        return said

    def ask(self, question: str, read: Callable[[str], T]) -> T:
        """Return an answer that `read` accepts; print its ValueError and ask again otherwise."""
        while True:
            try:
                return read(self.line(question))
            except ValueError as error:
                typer.echo(f"  {error}")

    def number(self, question: str) -> int:
        return self.ask(question, _number)

    def card(self, question: str) -> Card:
        return self.ask(question, Card.parse)

    def card_or_none(self, question: str) -> Card | None:
        return self.ask(question, lambda said: Card.parse(said) if said else None)

    def one_of(self, question: str, known: Sequence[str]) -> str:
        """Return one of some words, by its first letters; empty input counts only if it is a valid
        word."""
        return self.ask(question, lambda said: _one_of(said, known))

    def yes(self, question: str) -> bool:
        """Ask a yes-or-no question; empty input means no."""
        said = self.ask(f"{question} [y/N]", lambda said: _one_of(said.lower(), ("yes", "no", "")))
        return said == "yes"


def _descriptor() -> int | None:
    try:
        return sys.stdin.fileno()
    except (AttributeError, UnsupportedOperation, ValueError):
        return None  # for example in a test: it cannot be waited for


def _number(said: str) -> int:
    number = untrusted.whole_number(said, LONGEST_NUMBER)
    if number is None:
        raise ValueError(f"type a number of up to {LONGEST_NUMBER} digits, such as 12")
    return number


def _one_of(said: str, known: Sequence[str]) -> str:
    if said in known:
        return said
    meant = [word for word in known if said and word.startswith(said)]
    if len(meant) != 1:
        words = ", ".join(filter(None, known))
        raise ValueError(f"use one of {words} (the first letters are enough)")
    return meant[0]
