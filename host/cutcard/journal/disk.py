"""What a journal asks of the disk. Tests put a disk in its place that fails, loses and tears."""

from __future__ import annotations

import os
from pathlib import Path

from cutcard import private_files


class Disk:
    """The real one."""

    def write(self, file: int, data: bytes) -> int:
        """Write some of the bytes; how many."""
        return os.write(file, data)

    def sync(self, file: int) -> None:
        """When this returns, what was written is on the disk."""
        os.fsync(file)

    def sync_folder(self, folder: Path) -> None:
        """When this returns, the names of new files are on the disk."""
        private_files.sync_folder(folder)
