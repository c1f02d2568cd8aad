"""The cache of the emulated chip keeps used files, and does not grow without limit."""

from __future__ import annotations

import os
import time
from pathlib import Path

from cutcard.chip.cache import tidy, used

HOUR = 3600


def entries(folder: Path, count: int) -> list[Path]:
    """Return entries, each used an hour before the next; the last one now."""
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


def test_most_recently_used_entries_stay_and_others_are_removed_with_their_locks(
    tmp_path: Path,
) -> None:
    made = entries(tmp_path, 6)
    tidy(made, most=3, unused=HOUR / 2)
    assert sorted(tmp_path.glob("board-?")) == made[3:]
    assert len(list(tmp_path.glob("*.lock"))) == 3


def test_entry_used_again_stays(tmp_path: Path) -> None:
    made = entries(tmp_path, 6)
    used(made[0])
    tidy(made, most=3, unused=HOUR / 2)
    assert sorted(tmp_path.glob("board-?")) == [made[0], *made[4:]]


def test_entries_used_a_moment_ago_stay_in_any_number(tmp_path: Path) -> None:
    made = entries(tmp_path, 6)
    tidy(made, most=0, unused=10 * HOUR)
    assert sorted(tmp_path.glob("board-?")) == made
