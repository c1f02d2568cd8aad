"""The bench's manual names every command of the person, and its examples are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cutcard.bench.person import port
from cutcard.bench.person.words import WORDS, parse

_ = port  # imported for the words that it registers
MANUAL = (Path(__file__).parents[3] / "docs" / "how-to" / "bench.md").read_text()
PORT = MANUAL.split("## The person's port")[1].split("## The model")[0]
ROWS = [line.split(" | ")[0] for line in PORT.splitlines() if line.startswith("| `")]
SAID = [said for row in ROWS for said in re.findall(r"`([^`]+)`", row)]


def test_every_command_is_in_the_manual() -> None:
    assert {said.split()[0] for said in SAID} == set(WORDS)


@pytest.mark.parametrize("said", SAID)
def test_example_in_the_manual_is_valid(said: str) -> None:
    request = parse(re.sub(r"\[?N\]?", "1", said))
    assert set(request) - {"do"} <= set(WORDS[str(request["do"])].parameters)
