"""The recording of the pins by `cutcard chip --vcd`, and its picture."""

from __future__ import annotations

from pathlib import Path

from cutcard.chip.vcd import Recording
from docs.site.pins import lines_of, picture

PINS = {"feed": 6, "entry": 12}


def recorded(file: Path) -> str:
    recording = Recording(file, PINS, {12: 0})
    recording.write(1000.7, [(6, 1)])
    recording.write(1000.9, [(12, 1), (25, 1)])  # the machine file has no pin 25
    recording.write(2000.0, [(6, 1)])
    recording.write(3000.0, [(6, 0), (12, 0)])
    recording.close()
    return file.read_text()


def test_each_pin_of_the_machine_file_is_a_line_with_its_name(tmp_path: Path) -> None:
    said = recorded(tmp_path / "pins.vcd")
    assert "$timescale 1us $end" in said
    assert "$var wire 1 ' GP6_feed $end\n$var wire 1 - GP12_entry $end" in said
    assert "$dumpvars\nx'\n0-\n$end" in said  # the feed is unknown yet


def test_only_changes_are_written_once_for_each_time(tmp_path: Path) -> None:
    said = recorded(tmp_path / "pins.vcd")
    assert said.split("$end\n")[-1] == "#1000\n1'\n1-\n#3000\n0'\n0-\n"


def test_picture_has_a_row_for_each_pin_that_moves(tmp_path: Path) -> None:
    lines = lines_of(recorded(tmp_path / "pins.vcd"))
    assert lines == {
        "GP6_feed": [(1000, 1), (3000, 0)],
        "GP12_entry": [(0, 0), (1000, 1), (3000, 0)],
    }
    assert picture(lines, 0, 8).count("<path d=") == 2
    assert "<path d=" not in picture(lines, 4, 12)
