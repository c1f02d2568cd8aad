"""Disk operations of a journal. Tests replace them with a disk that fails or loses writes."""

from __future__ import annotations

import os
from pathlib import Path

from cutcard import private_files


class Disk:
    """The disk of this computer."""

    def write(self, file: int, data: bytes) -> int:
        """Write some of the bytes and return their number."""
        return os.write(file, data)

    def sync(self, file: int) -> None:
        """Wait until all written bytes are on the disk."""
        os.fsync(file)

    def sync_folder(self, folder: Path) -> None:
        """Wait until the names of new files are on the disk."""
        private_files.sync_folder(folder)
