"""Help as it is read in a terminal."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from cutcard.cli.help_text import filled
from cutcard.cli.main import COMMANDS, app


def told(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_is_explained_by_a_type_of_python(command: str) -> None:
    assert not re.search(r"<(bool|str|int|float|path|list\[\w+\])", told(command))


def test_a_paragraph_fills_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    lines = [line.strip() for line in told("table", "run").splitlines()]
    begin = next(at for at, line in enumerate(lines) if line.startswith("The evening is"))
    paragraph = lines[begin : lines.index("", begin)]
    assert len(paragraph) > 2
    for line, after in pairwise(paragraph):
        assert len(line) + 1 + len(after.split()[0]) > 78, "the next word would have had room"


def test_an_example_keeps_its_lines_and_its_margin() -> None:
    assert filled("One\nline.\n\n    an\n    example") == (
        "One line.\n\n[cyan]    an[/cyan]\n[cyan]    example[/cyan]"
    )
    assert re.search(r"^ {5}cutcard keys make factory-2026", told("keys", "make"), re.MULTILINE)
