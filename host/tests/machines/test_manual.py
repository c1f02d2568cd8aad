"""The manual's table of keys matches the schema."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from cutcard.machines.library import check
from cutcard.machines.schema import KEYS, MachineFileError

MANUAL = (Path(__file__).parents[3] / "docs" / "reference" / "machine-files.md").read_text()


def test_manual_has_every_key_with_its_default_allowed_values_and_meaning() -> None:
    rows = [line.split(" | ") for line in MANUAL.splitlines() if line.startswith("| `")]
    documented = {row[0].strip("| `"): (*row[1:3], row[3].removesuffix(" |")) for row in rows}
    assert documented == {
        key: (
            "must be given" if row.default is None else str(row.default),
            str(row.allowed),
            row.meaning,
        )
        for key, row in KEYS.items()
    }


def test_manuals_example_is_a_valid_machine() -> None:
    example = re.findall(r"```toml my-drum.toml\n(.*?)```", MANUAL, re.DOTALL)[0]
    assert check(Path("my-drum.toml"), tomllib.loads(example)).name == "my-drum"


def test_manuals_example_of_a_suggestion_matches_the_check() -> None:
    example = re.findall(r"```toml my-drum.toml\n(.*?)```", MANUAL, re.DOTALL)[0]
    with pytest.raises(MachineFileError) as caught:
        check(Path("my-drum.toml"), tomllib.loads(example.replace("count", "cuont")))
    assert len(caught.value.problems) == 1
    assert f"`{caught.value.problems[0]}`" in " ".join(MANUAL.split())
