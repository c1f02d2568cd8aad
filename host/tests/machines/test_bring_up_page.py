"""The page about bringing up a bare Pico matches the machine files."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.machines import Machine, find, load, shipped
from cutcard.machines.schema import KEYS, pins_needed
from cutcard.machines.wiring import GROUPS, wire_of, wiring_svg

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "how-to" / "bring-up.md").read_text()


def test_wiring_table_matches_the_machine_file() -> None:
    table = {name: int(gpio) for name, gpio in re.findall(r"^\| `(\w+)` \| GP(\d+) \|", PAGE, re.M)}
    assert table == find("carousel-38").pins["pico"]


def test_wiring_picture_matches_the_commands_output(tmp_path: Path) -> None:
    file = tmp_path / "wiring.svg"
    done = CliRunner().invoke(app, ["machine", "wiring", "carousel-38", "--output", str(file)])
    assert done.exit_code == 0, done.output
    picture = DOCS / "pictures" / "wiring-carousel-38.svg"
    assert picture.read_text("utf-8") == file.read_text("utf-8")


@pytest.mark.parametrize("machine", [load(file) for file in shipped()], ids=lambda m: m.name)
def test_a_wiring_picture_shows_every_pin_of_its_machine(machine: Machine) -> None:
    for board, pins in machine.pins.items():
        drawing = ElementTree.fromstring(wiring_svg(machine, board))
        named = [e.text for e in drawing.iter() if e.get("class") == "name"]
        assert sorted(map(str, named)) == sorted(pins)


@pytest.mark.parametrize("kind", ["shuffler", "shoe", "controller"])
def test_every_pin_that_a_machine_may_have_can_be_drawn(kind: str) -> None:
    for pin in pins_needed(kind, tables=4):
        assert wire_of(pin).group in GROUPS


def test_wiring_of_a_machine_without_pins_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bare.toml"
    text = find("carousel-38").file.read_text("utf-8")
    file.write_text(text[: text.index("[pins.pico]")], "utf-8")
    output = tmp_path / "wiring.svg"
    done = CliRunner().invoke(app, ["machine", "wiring", str(file), "--output", str(output)])
    assert done.exit_code == 2
    assert "Add [pins.pico]" in done.output
    assert not output.exists()


def test_wiring_for_a_board_without_pins_is_refused_with_the_boards(tmp_path: Path) -> None:
    output = str(tmp_path / "wiring.svg")
    wanted = ["machine", "wiring", "carousel-38", "--board", "uno", "--output", output]
    done = CliRunner().invoke(app, wanted)
    assert done.exit_code == 2
    assert "has no pins for a board 'uno'" in done.output


def test_keys_and_defaults_match_the_schema() -> None:
    rows = re.findall(r"^\| `(\w+\.\w+)` \|.*\| `?(\w+)`? \|$", PAGE, re.M)
    assert len(rows) == 6
    assert {key: str(KEYS[key].default) for key, _ in rows} == dict(rows)
