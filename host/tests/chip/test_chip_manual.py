"""The manual of the emulated chip names each of its additional commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cutcard.bench.person.words import WORDS, parse
from cutcard.chip.chip_bench import ChipBench
from cutcard.chip.person import CHIP_WORDS

PAGE = (Path(__file__).parents[3] / "docs" / "how-to" / "emulated-chip.md").read_text()
TABLE = PAGE.split("## Look into it")[1].split("\n## ")[0]
SAID = re.findall(r"^\| `([^`]+)` \|", TABLE, re.M)


def test_every_command_of_an_emulated_board_is_in_its_manual() -> None:
    assert {said.split()[0] for said in SAID} == set(CHIP_WORDS)


def test_other_benches_do_not_have_these_commands() -> None:
    assert not set(CHIP_WORDS) & set(WORDS)


@pytest.mark.parametrize("said", SAID)
def test_example_in_the_manual_is_valid_for_an_emulated_board(said: str) -> None:
    words = ChipBench.words
    request = parse(said, words)
    assert set(request) - {"do"} <= set(words[str(request["do"])].parameters)
