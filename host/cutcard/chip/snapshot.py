"""A board that was programmed, started and given its key, saved as the start of the next one.

A start takes a board some seconds of its own time, and this computer several times as long. The
first device started with a seed is saved at rest, and later requests for that seed continue from
it: the same board, unchanged. A file is identified by everything it was made of, and one process
makes it while the others wait.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

from cutcard.chip.cache import tidy, used
from cutcard.chip.parts import EMULATOR, MICROPYTHON
from cutcard.chip.programming import folder, lock_for


class Snapshot:
    """The files of a snapshot: the board, its flash, its key, and its state outside.

    While it is not `complete`, only this process may make it: `begin`, fill, `finish`.
    """

    def __init__(self, content: Path, seed: int) -> None:
        self._folder = folder() / "started" / f"{content.stem}-{seed}-{_made_by()}"
        self._lock = -1
        self._work = self._folder
        if not self.complete:
            self._lock = lock_for(self._folder)
            if self.complete:  # another process made it in the meantime
                self.leave()

    @property
    def complete(self) -> bool:
        return self._folder.is_dir()

    @property
    def board(self) -> Path:
        return self._work / "board"

    def begin(self) -> None:
        self._work = Path(tempfile.mkdtemp(dir=self._folder.parent))

    def write(self, known: dict[str, Any]) -> None:
        (self._work / "known.json").write_text(json.dumps(known))

    def read(self) -> dict[str, Any]:
        known: dict[str, Any] = json.loads((self._folder / "known.json").read_text())
        return known

    def finish(self, flash: Path, key: Path) -> None:
        shutil.copyfile(flash, self._work / "flash.img")
        shutil.copyfile(key, self._work / "key")
        self._work.rename(self._folder)
        self._work = self._folder
        self.leave()
        tidy([one for one in self._folder.parent.iterdir() if one.is_dir()])

    def give(self, flash: Path, key: Path) -> None:
        """Copy the content of its flash, and its key, to another device."""
        used(self._folder)
        shutil.copyfile(self._folder / "flash.img", flash)
        shutil.copyfile(self._folder / "key", key)

    def leave(self) -> None:
        """Let other processes make it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _made_by() -> str:
    """Return everything except the firmware on which a snapshot depends."""
    digest = sha256(MICROPYTHON.read_bytes())
    ours = Path(__file__).parent
    for file in sorted(
        [*EMULATOR.glob("*.mjs"), EMULATOR / "package-lock.json", *ours.glob("*.py")]
    ):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
