"""Where a bench keeps its device between two runs: flash, key, cards, wear."""

from __future__ import annotations

import fcntl
import json
from array import array
from pathlib import Path
from typing import Any

from cutcard import private_files
from cutcard.bench.flash import Flash
from cutcard.bench.plant import Works
from cutcard.bench.plant.record import record, restore
from cutcard.bench.settings import SettingsError


class Folder:
    """`flash.img`, `micropython.img`, `key` (its owner's alone), `state.json`, and `port`, the
    way to the device. A link with the serial number leads to the key, so that the folder is one
    that `CUTCARD_KEYS` may name."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        private_files.make_folder(self.path)
        self._claim()
        self.flash = self.path / "flash.img"
        self.micropython = self.path / "micropython.img"
        self.key = self.path / "key"
        self._state = self.path / "state.json"
        self._kept: dict[str, Any] = {}
        if self._state.exists():
            self._kept = json.loads(self._state.read_text())
        self.runs = int(self._kept.get("runs", 0)) + 1

    def _claim(self) -> None:
        """For as long as this process lives: two devices would write into one flash."""
        self._lock = private_files.open_record(self.path / private_files.LOCK)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SettingsError(
                f"another bench runs in {self.path}: end that one, or use another --dir"
            ) from None

    @property
    def seed(self) -> int | None:
        return self._kept.get("seed")

    def check(self, machine: str) -> None:
        kept = self._kept.get("machine", machine)
        if kept != machine:
            raise SettingsError(
                f"{self.path} holds a {kept}, not a {machine}: "
                f"start `cutcard bench {kept}`, or use another --dir"
            )

    def name_key(self, serial: bytes) -> None:
        """Every command of this computer finds the key by the serial number of its device."""
        link = self.path / f"{serial.hex()}.key"
        if self.key.exists() and not link.is_symlink():
            link.symlink_to(self.key.name)

    def restore(self, plant: Works, flash: Flash) -> None:
        if self._kept:
            restore(plant, self._kept["plant"])
            flash.programs = array("L", self._kept["programs"])
            flash.erases = array("L", self._kept["erases"])

    def forget(self) -> None:
        """The device goes, its folder stays."""
        self._kept = {}
        self.runs = 1
        for file in (self.key, self.micropython, self._state, *self.path.glob("*.key")):
            file.unlink(missing_ok=True)

    def keep(self, seed: int, machine: str, plant: Works, flash: Flash) -> None:
        kept = {
            "machine": machine,
            "seed": seed,
            "runs": self.runs,
            "plant": record(plant),
            "programs": flash.programs.tolist(),
            "erases": flash.erases.tolist(),
        }
        private_files.replace(self._state, json.dumps(kept))
