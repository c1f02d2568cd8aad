"""Run every shell block of every page unchanged and check the exit codes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import typer.main

from cutcard.cli.main import app
from tests.pages.blocks import KINDS, PAGES, ROOT, Block, blocks, commands, name_of
from tests.pages.terminal import Person, checkout

TYPED = ("sh", "sh terminal", "python")
# Blocks that `make test` does not run, by page; `make soak` runs those marked `sh soak`.
NOT_TYPED = {
    "README.md": ["sh soak", "sh soak"],
    "docs/how-to/bring-up.md": ["sh board", "sh board", "sh board"],
    "docs/explanation/certification.md": ["sh soak"],
    "docs/how-to/certify.md": [*["sh soak"] * 4, "sh board"],
    "docs/reference/known-generators.md": ["sh soak"],
    "docs/reference/machine-files.md": ["sh soak"],
    "docs/how-to/emulated-chip.md": [
        *["sh board"] * 3,
        "python fragment",
        *["sh board"] * 4,
    ],
    "docs/how-to/flashing.md": ["sh board", "sh board"],
    "docs/how-to/prize-meters.md": ["sh later"],
    "docs/explanation/report-for-regulators.md": ["sh soak"],
    "docs/explanation/security.md": ["sh board"],
    "docs/tutorials/first-certificate.md": ["sh soak", "sh soak"],
    "docs/tutorials/own-machine.md": ["sh board"],
    "docs/how-to/simulator.md": ["sh soak", "sh soak"],
}

SIGNED_WORDS = ("cutcard prize 1",)  # the start of a controller's signed text, not a command


def of_kinds(page: Path, *kinds: str) -> list[Block]:
    return [block for block in blocks(page) if block.kind in kinds]


def read(page: Path, folder: Path, *kinds: str) -> None:
    """Run the blocks of these kinds in the order of the page."""
    if page.name == "README.md":
        checkout(folder)
    with Person(folder) as person:
        for block in blocks(page):
            if block.kind.startswith("toml "):
                person.keeps(block)
        for block in blocks(page):
            if block.kind in kinds:
                person.reads(block)


@pytest.mark.timeout(1800)  # for long pages on a busy computer
@pytest.mark.parametrize("page", [p for p in PAGES if of_kinds(p, *TYPED)], ids=name_of)
def test_blocks_of_a_page_run_unchanged(page: Path, tmp_path: Path) -> None:
    read(page, tmp_path, *TYPED)


@pytest.mark.soak
@pytest.mark.parametrize("page", [p for p in PAGES if of_kinds(p, "sh soak")], ids=name_of)
def test_long_blocks_of_a_page_run_unchanged(page: Path, tmp_path: Path) -> None:
    read(page, tmp_path, *TYPED, "sh soak")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_that_are_not_run_are_listed(page: Path) -> None:
    kinds = [kind for kind in KINDS if kind not in TYPED]
    assert [block.kind for block in of_kinds(page, *kinds)] == NOT_TYPED.get(name_of(page), [])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_text_outside_known_blocks_has_no_commands(page: Path) -> None:
    hidden = re.compile(r"(\$ )?(\.venv/bin/)?(cutcard|make|pytest|pip|python3?) ")
    for block in blocks(page):
        if block.kind not in KINDS:
            assert not [line for line in block.text.splitlines() if hidden.match(line)]
    outside = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    assert not [line for line in outside.splitlines() if re.match(rf"    {hidden.pattern}", line)]


# Commands that no test runs exist and have the options that the page names.


def mentioned(page: Path) -> list[str]:
    """Return each `cutcard` command in the text and in blocks of kinds board, later and soak."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", text)]
    found = [span for span in spans if span.startswith("cutcard ") and span not in SIGNED_WORDS]
    for block in of_kinds(page, "sh board", "sh later", "sh soak"):
        found += [line for line in commands(block) if line.startswith("cutcard ")]
    return found


def look_up(words: list[str]) -> None:
    """Raise `AssertionError` unless the command and each of its options exist."""
    command: Any = typer.main.get_command(app)
    words = words[1:]
    while words and hasattr(command, "get_command"):
        if words[0].startswith("-"):
            break
        below = command.get_command(click.Context(command), words[0])
        if below is None:
            assert getattr(command, "invoke_without_command", False), "there is no such command"
            break
        command, words = below, words[1:]
        if hasattr(command, "get_command"):  # the arguments of a group precede its command
            words = words[sum(each.param_type_name == "argument" for each in command.params) :]
    known = {"--help", *(name for parameter in command.params for name in parameter.opts)}
    for word in words:
        if word.startswith("-") and word != "-" and not word[1:].isdigit():
            assert word.split("=")[0] in known, f"{word} is no option; there are {sorted(known)}"


@pytest.mark.parametrize("page", [p for p in PAGES if mentioned(p)], ids=name_of)
def test_every_command_on_a_page_exists(page: Path) -> None:
    for said in mentioned(page):
        try:
            look_up(shlex.split(said.replace("…", " "), comments=True))
        except AssertionError as error:
            raise AssertionError(f"{name_of(page)}: `{said}`: {error}") from error


def test_the_readme_begins_with_a_summary_a_picture_and_two_commands() -> None:
    parts = (ROOT / "README.md").read_text("utf-8").split("\n\n")
    assert parts[0] == "# cutcard"
    assert parts[1].count(". ") + 1 <= 2
    assert parts[1][0].isalpha()
    assert parts[2].startswith("![")
    first = next(block for block in blocks(ROOT / "README.md"))
    assert len(list(commands(first))) == 2
