"""Files that only their owner may reach: keys of devices and keys that sign.

A file that others could read is refused, not repaired: whoever could read it may have a copy
already.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path


def complaint(path: Path, mode: str) -> tuple[str, str] | None:
    """What is wrong and what to do, where somebody else than whoever runs this could reach it."""
    state = path.stat()
    if stat.S_IMODE(state.st_mode) & 0o077:
        return (
            f"{path} can be reached by other users of this computer.",
            f"Type: chmod {mode} {path}   If others could have copied the key, make a new one.",
        )
    if state.st_uid != os.geteuid():
        return (
            f"{path} belongs to another user (uid {state.st_uid}).",
            f"Run as that user, or type: sudo chown {os.geteuid()} {path}",
        )
    return None


def make_folder(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def create(path: Path, text: str) -> None:
    """A new file, readable by its owner alone from its first byte on, and on disk when this
    returns. Raises FileExistsError where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """A name that was given or changed in it is on disk too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
