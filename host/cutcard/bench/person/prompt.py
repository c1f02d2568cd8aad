"""The commands of the person's port, typed at the bench's own terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape

from cutcard.bench.person.visitor import Hear, Visitor
from cutcard.bench.person.words import Answer


class Prompt(Visitor):
    keeps_bench = True  # Ctrl-D ends it

    def __init__(self, descriptor: int, console: Console) -> None:
        super().__init__(descriptor)
        self._console = console
        self._ask()

    def serve(self, hear: Hear) -> bool:
        if self._unread.strip() == b"":
            self._unread.clear()
        answered = super().serve(hear)
        if self.waits_for is None:
            self._ask()
        return answered

    def say(self, answer: Answer) -> None:
        if not answer.pop("ok"):
            self._console.print(f"[red]{escape(answer['error'])}[/]", highlight=False)
            if answer["hint"]:
                self._console.print(f"  {answer['hint']}", markup=False, highlight=False)
        elif list(answer) == ["usage", "help"]:
            self._console.print(f"{answer['usage']}\n{answer['help']}", markup=False)
        elif not answer:
            self._console.print("done")
        else:
            for name, value in answer.items():
                line = f"  {name}: {_plain(value)}"
                self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _ask(self) -> None:
        self._console.print("[bold]bench>[/] ", end="")


def _plain(value: Any) -> str:
    """Return one line for values that JSON would spread over many."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " ".join(map(_plain, value)) or "none"
    return str(value)
