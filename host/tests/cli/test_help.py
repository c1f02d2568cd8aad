"""Help texts in a terminal."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from cutcard.cli.help_text import filled
from cutcard.cli.main import COMMANDS, app


def help_of(*words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("words", [(), *((command,) for command in COMMANDS)])
def test_no_help_explains_an_option_by_a_python_type(words: tuple[str, ...]) -> None:
    assert not re.search(r"<(bool|str|int|float|path|list\[\w+\])", help_of(*words))


def test_paragraph_fills_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    lines = [line.strip() for line in help_of("table", "run").splitlines()]
    begin = next(at for at, line in enumerate(lines) if line.startswith("The evening has"))
    paragraph = lines[begin : lines.index("", begin)]
    assert len(paragraph) > 2
    for line, after in pairwise(paragraph):
        assert len(line) + 1 + len(after.split()[0]) > 78, "the next word would have had room"


def test_example_keeps_its_lines_and_its_margin() -> None:
    assert filled("One\nline.\n\n    an\n    example") == (
        "One line.\n\n[cyan]    an[/cyan]\n[cyan]    example[/cyan]"
    )
    assert re.search(r"^ {5}cutcard keys make factory-2026", help_of("keys", "make"), re.MULTILINE)
