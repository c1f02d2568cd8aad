"""The cache of the emulated chip keeps what is used, and does not grow for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

from cutcard.chip.cache import tidy, used

HOUR = 3600


def entries(folder: Path, count: int) -> list[Path]:
    """Each used an hour before the one after it; the last one now."""
    made = []
    for number in range(count):
        entry = folder / f"board-{number}"
        entry.mkdir()
        (entry / "flash.img").write_bytes(b"flash")
        (folder / f"{entry.name}.lock").touch()
        ago = time.time() - HOUR * (count - 1 - number)
        os.utime(entry, (ago, ago))
        made.append(entry)
    return made


def test_those_used_last_stay_and_the_others_go_with_their_locks(tmp_path: Path) -> None:
    made = entries(tmp_path, 6)
    tidy(made, most=3, unused=HOUR / 2)
    assert sorted(tmp_path.glob("board-?")) == made[3:]
    assert len(list(tmp_path.glob("*.lock"))) == 3


def test_what_was_asked_for_again_stays(tmp_path: Path) -> None:
    made = entries(tmp_path, 6)
    used(made[0])
    tidy(made, most=3, unused=HOUR / 2)
    assert sorted(tmp_path.glob("board-?")) == [made[0], *made[4:]]


def test_what_was_used_a_moment_ago_stays_however_many_there_are(tmp_path: Path) -> None:
    made = entries(tmp_path, 6)
    tidy(made, most=0, unused=10 * HOUR)
    assert sorted(tmp_path.glob("board-?")) == made
