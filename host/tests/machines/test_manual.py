"""The manual's table of keys is the schema's."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from cutcard.machines.library import check
from cutcard.machines.schema import KEYS, MachineFileError

MANUAL = (Path(__file__).parents[3] / "docs" / "machine-files.md").read_text()


def test_every_key_stands_in_the_manual_with_what_it_allows_and_means() -> None:
    rows = [line.split(" | ") for line in MANUAL.splitlines() if line.startswith("| `")]
    documented = {row[0].strip("| `"): (row[2], row[3].removesuffix(" |")) for row in rows}
    assert documented == {key: (str(row.allowed), row.meaning) for key, row in KEYS.items()}


def test_the_manuals_example_is_a_machine_that_can_be_built() -> None:
    example = re.findall(r"```toml my-drum.toml\n(.*?)```", MANUAL, re.DOTALL)[0]
    assert check(Path("my-drum.toml"), tomllib.loads(example)).name == "my-drum"


def test_the_manuals_example_of_a_suggestion_is_what_the_check_reports() -> None:
    example = re.findall(r"```toml my-drum.toml\n(.*?)```", MANUAL, re.DOTALL)[0]
    with pytest.raises(MachineFileError) as caught:
        check(Path("my-drum.toml"), tomllib.loads(example.replace("count", "cuont")))
    assert len(caught.value.problems) == 1
    assert f"`{caught.value.problems[0]}`" in " ".join(MANUAL.split())
