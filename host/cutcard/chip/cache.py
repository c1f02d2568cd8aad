"""The files in ~/.cache/cutcard/chip: the most recently used ones are kept.

Every change of the firmware, of MicroPython or of the emulator makes new files, and the old ones
are no longer used. The process that makes a file removes the oldest of its kind, so the folder does
not grow without limit.
"""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

MOST = 24  # of each kind: a few megabytes each
UNUSED = 3600.0  # seconds; another process may still read a file after it was found


def used(entry: Path) -> None:
    """Mark the entry as used now."""
    os.utime(entry)


def tidy(entries: list[Path], most: int = MOST, unused: float = UNUSED) -> None:
    """Keep the `most` most recently used entries; remove others that were unused for `unused`
    seconds."""
    newest_first = sorted(((_last_use(entry), entry) for entry in entries), reverse=True)
    for last_use, entry in newest_first[most:]:
        if time.time() - last_use > unused:
            remove(entry)


def remove(entry: Path) -> None:
    """Remove the entry and its lock file."""
    if entry.is_dir():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        entry.unlink(missing_ok=True)
    entry.with_name(f"{entry.name}.lock").unlink(missing_ok=True)


def _last_use(entry: Path) -> float:
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:  # another process was faster
        return 0.0
