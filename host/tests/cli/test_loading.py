"""A command loads only the needed modules, and parses values like typer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer._click.exceptions import ClickException
from typer.main import get_command

from cutcard.cli.plain_values import take_plainly

QUICK = """
import atexit, gc, sys
from cutcard.cli.main import main
@atexit.register
def look():
    print("pydantic" in sys.modules, gc.isenabled(), gc.get_freeze_count() > 1000)
main(["edge", "side", "uk-blackjack", "perfect-pairs", "--decks", "6"])
"""


def test_quick_command_loads_no_pydantic_and_collects_only_its_own_objects() -> None:
    done = subprocess.run([sys.executable, "-c", QUICK], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "False True True"


TYPED = (
    "a b",
    "a --number 12 --share 0.25 --name x --several p --several q --loud",
    "a --number -12 --share -3 --some 4 --some 5 --file there --few 9",
    "a --number 1_000 --share 1e-3",
    "a --number 99999999999999999999",
    "a --some four",
    "a --few 12",
    "--number 3",
)


@pytest.mark.parametrize("typed", TYPED)
def test_value_is_accepted_or_refused_as_by_typer(typed: str) -> None:
    assert _came_of(typed, plainly=True) == _came_of(typed, plainly=False)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a --number 0x10", "'0x10' is not a whole number"),
        ("a --number 1.5", "'1.5' is not a whole number"),
        ("a --share much", "'much' is not a number"),
    ],
)
def test_wrong_number_is_refused_in_plain_words(typed: str, expected: str) -> None:
    assert expected in _came_of(typed, plainly=True)


@pytest.mark.parametrize("typed", ["nan", "inf", "-Infinity", "1e999"])
def test_value_that_is_not_a_number_is_refused(typed: str) -> None:
    assert "the value is not a number" in _came_of(f"a --share {typed}", plainly=True)


def _came_of(typed: str, *, plainly: bool) -> str:
    app = typer.Typer(add_completion=False)

    @app.command()
    def shown(
        words: list[str],
        number: int = 3,
        share: float = 0.5,
        name: str = "",
        several: list[str] | None = None,
        some: list[int] | None = None,
        file: Path | None = None,
        few: Annotated[int, typer.Option(min=1, max=9)] = 1,
        loud: Annotated[bool, typer.Option("--loud")] = False,
    ) -> str:
        return repr((words, number, share, name, several, some, file, few, loud))

    command = get_command(app)
    if plainly:
        take_plainly(command)
    try:
        return str(command.main(typed.split(), standalone_mode=False))
    except ClickException as refused:
        return refused.format_message()
