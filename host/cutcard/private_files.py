"""Files that only their owner may read or write: keys, journals, meters, a bench's folder.

They have these permissions from their first byte, whatever the umask. A key that others could read
is refused, not repaired: another user may already have a copy.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OTHERS = 0o007  # the owner may give access to a group, but never to all users
LOCK = ".lock"


def complaint(path: Path, mode: str) -> tuple[str, str] | None:
    """Return the problem and the remedy if another user could access a file, else None."""
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
    """Make a folder and every missing folder above it."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        each.chmod(0o700)


def create(path: Path, text: str) -> None:
    """Write a new file and sync it to disk. Raises FileExistsError if it exists."""
    handle = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def replace(path: Path, text: str) -> None:
    """Replace a file atomically: after a crash it is the old one or the new one, never a part."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
    try:
        create(new, text)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
    sync_folder(path.parent)


def open_record(path: Path) -> int:
    """Open a file for appending, and create it if it is missing; return its descriptor.

    Access by all users is removed from an existing file; its group permissions stay unchanged.
    """
    try:
        return _opened(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    state = os.fstat(handle)
    if stat.S_IMODE(state.st_mode) & OTHERS and state.st_uid == os.geteuid():
        os.fchmod(handle, stat.S_IMODE(state.st_mode) & ~OTHERS)
    return handle


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, so that one process at a time reads and changes it."""
    handle = open_record(folder / LOCK)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _opened(path: Path, how: int) -> int:
    handle = os.open(path, how | os.O_CLOEXEC, 0o600)
    os.fchmod(handle, 0o600)  # a umask may also have removed the owner's permissions
    return handle


def sync_folder(folder: Path) -> None:
    """Sync a folder's entries to disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
