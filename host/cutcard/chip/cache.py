"""What is kept in ~/.cache/cutcard/chip, and for how long: what was used last stays.

Every change of the firmware, of MicroPython or of the emulator makes other files, which nobody asks
for again. Whoever makes one removes the oldest of its kind, so the folder does not grow for ever.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

MOST = 24  # of a kind: a few megabytes each
UNUSED = 3600.0  # seconds; whoever has just found one may still read it


def used(entry: Path) -> None:
    """It was asked for now."""
    os.utime(entry)


def tidy(entries: list[Path], most: int = MOST, unused: float = UNUSED) -> None:
    """Leave the `most` that were used last; of the others, remove what was not used for a while."""
    newest_first = sorted(((_last_use(entry), entry) for entry in entries), reverse=True)
    for last_use, entry in newest_first[most:]:
        if time.time() - last_use > unused:
            remove(entry)


def remove(entry: Path) -> None:
    """With the lock that was held while it was made."""
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
    entry.with_name(f"{entry.name}.lock").unlink(missing_ok=True)


def _last_use(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:  # somebody else was quicker
        return 0.0
