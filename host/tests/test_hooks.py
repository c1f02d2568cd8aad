"""The commit-msg hook accepts the subjects that CONTRIBUTING.md asks for and rejects others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HOOKS = Path(__file__).parents[2] / ".ci" / "hooks"


def accepts(folder: Path, message: str) -> bool:
    file = folder / "message"
    file.write_text(message)
    done = subprocess.run([HOOKS / "commit-msg", file], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize(
    "message",
    [
        "firmware: Read each file once at start\n",
        "journal, devices: Split into segments\n\nWhy, over\nseveral lines.\n",
        "meters: Print the progress of `verify`",
        "fixup! firmware: Read each file once at start.\n",
        "edge: " + 66 * "x",
    ],
)
def test_hook_accepts_an_area_and_a_short_subject(tmp_path: Path, message: str) -> None:
    assert accepts(tmp_path, message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "wip\n",
        "Fix things\n",
        "firmware: Read each file once at start.\n",
        "firmware:\n\nWhy.\n",
        "edge: " + 67 * "x",
    ],
)
def test_hook_rejects_a_subject_without_area_with_period_or_too_long(
    tmp_path: Path, message: str
) -> None:
    assert not accepts(tmp_path, message)
