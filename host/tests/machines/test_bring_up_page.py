"""The page that takes a person from a bare Pico to a dealt card says what the files say."""

from __future__ import annotations

import re
from pathlib import Path

from cutcard.machines import find
from cutcard.machines.schema import KEYS

PAGE = (Path(__file__).parents[3] / "docs" / "bring-up.md").read_text()


def test_the_wiring_table_is_the_machine_files() -> None:
    table = {name: int(gpio) for name, gpio in re.findall(r"^\| `(\w+)` \| GP(\d+) \|", PAGE, re.M)}
    assert table == find("carousel-38").pins["pico"]


def test_the_keys_and_their_defaults_are_the_schemas() -> None:
    rows = re.findall(r"^\| `(\w+\.\w+)` \|.*\| `?(\w+)`? \|$", PAGE, re.M)
    assert len(rows) == 6
    assert {key: str(KEYS[key].default) for key, _ in rows} == dict(rows)
