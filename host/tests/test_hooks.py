"""What git runs before a commit takes what CONTRIBUTING.md asks for, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HOOKS = Path(__file__).parents[2] / ".ci" / "hooks"


def takes(folder: Path, message: str) -> bool:
    file = folder / "message"
    file.write_text(message)
    done = subprocess.run([HOOKS / "commit-msg", file], capture_output=True, check=False)
    return done.returncode == 0


@pytest.mark.parametrize(
    "message",
    [
        "firmware: A start reads each file once.\n",
        "journal, devices: Segments.\n\nWhy, over\nseveral lines\n",
        "meters: verify tells how far it is.",
        "fixup! firmware: A start reads each file once.\n",
    ],
)
def test_a_message_that_says_where_and_what_is_taken(tmp_path: Path, message: str) -> None:
    assert takes(tmp_path, message)


@pytest.mark.parametrize(
    "message", ["", "wip\n", "Fix things.\n", "firmware: No full stop\n", "firmware:\n\nWhy.\n"]
)
def test_any_other_message_is_refused(tmp_path: Path, message: str) -> None:
    assert not takes(tmp_path, message)
