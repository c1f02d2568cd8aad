"""The folder in which a bench keeps its device between two runs: flash, key, cards, wear."""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from array import array
from pathlib import Path
from typing import Any

from cutcard import private_files
from cutcard.bench.chip import MICROPYTHON_SIZE
from cutcard.bench.flash import BLOCKS, SIZE, FlashImage
from cutcard.bench.plant import Works
from cutcard.bench.plant.record import record, restore
from cutcard.bench.settings import RUNNING, STATE, SettingsError

_LEAVING = 3.0  # seconds that a bench which is being ended may still need its folder


class FolderDamagedError(SettingsError):
    """A kept file is not what the bench wrote; the text names the file and what to do."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(
            f"{file} is damaged: {problem}. Put back a copy of {file.parent}, "
            "or start with another --dir, which makes a new device"
        )


class BenchFolder:
    """`flash.img`, `micropython.img`, `key` (its owner's alone), `state.json`, and `port`, the
    way to the device. A link with the serial number leads to the key, so that the folder is one
    that `CUTCARD_KEYS` may name."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        private_files.make_folder(self.path)
        self.flash = self.path / "flash.img"
        self.micropython = self.path / "micropython.img"
        self.key = self.path / "key"
        self._state = self.path / STATE
        self._lock = self._enter()
        self._kept: dict[str, Any] = self._read()
        self.runs: int = self._kept.get("runs", 0) + 1

    def _enter(self) -> int:
        """One bench at a time, or two devices would write into one flash; a bench that is just
        being ended is waited for."""
        lock = private_files.open_record(self.path / private_files.LOCK)
        patience = time.monotonic() + _LEAVING
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return lock
            except BlockingIOError as error:
                if time.monotonic() > patience:
                    os.close(lock)
                    raise SettingsError(
                        f"another bench runs in {self.path}: end that one, or use another --dir"
                    ) from error
            time.sleep(0.05)

    def close(self) -> None:
        os.close(self._lock)

    def _read(self) -> dict[str, Any]:
        if not self._state.exists():
            return {}
        try:
            kept = json.loads(self._state.read_bytes())
        except (ValueError, RecursionError) as error:
            raise FolderDamagedError(self._state, "it is not JSON") from error
        types = {"machine": str, "seed": int, "runs": int, "plant": dict}
        for name, kind in types.items():
            if not isinstance(kept, dict) or not isinstance(kept.get(name), kind):
                raise FolderDamagedError(self._state, f"it does not say the {name}")
        for name in ("programs", "erases"):
            if not isinstance(kept.get(name), list) or len(kept[name]) != BLOCKS:
                raise FolderDamagedError(self._state, f"it does not say the {name} of each block")
        return dict(kept)

    @property
    def seed(self) -> int | None:
        return self._kept.get("seed")

    @property
    def was_killed(self) -> bool:
        """Whether the last bench did not write where its cards were when it ended.

        The flash is newer than the cards then: the cards are where they were when it started.
        """
        return self._kept.get("ended") is False  # a folder of an earlier cutcard does not say

    def check(self, machine: str, seed: int | None) -> None:
        """Check that the folder holds a whole device, and the one that was asked for."""
        for file, size in ((self.flash, SIZE), (self.micropython, MICROPYTHON_SIZE)):
            if file.exists() and file.stat().st_size != size:
                found = file.stat().st_size
                raise FolderDamagedError(file, f"it has {found:,} bytes, a chip has {size:,}")
        if self._kept and not self.flash.exists():
            raise FolderDamagedError(self.flash, "it is not there")
        if self.key.exists() and not re.fullmatch(rb"[0-9a-f]{64}\n", self.key.read_bytes()):
            raise FolderDamagedError(self.key, "it is no key")
        kept = self._kept.get("machine", machine)
        if kept != machine:
            raise SettingsError(
                f"{self.path} holds a {kept}, not a {machine}: "
                f"start `cutcard bench {kept}`, or use another --dir"
            )
        if seed is not None and self.seed is not None and seed != self.seed:
            raise SettingsError(
                f"{self.path} holds the device of seed {self.seed}, not of seed {seed}: "
                "leave --seed out, or use another --dir"
            )

    def say_where(self, introduction: dict[str, Any]) -> None:
        """Leave word for programs that come later: how this bench is reached while it runs."""
        private_files.replace(self.path / RUNNING, json.dumps(introduction))

    def name_key(self, serial: bytes) -> None:
        """Let every command on this computer find the key by the device's serial number."""
        link = self.path / f"{serial.hex()}.key"
        if self.key.exists() and not link.is_symlink():
            link.symlink_to(self.key.name)

    def restore(self, plant: Works, flash: FlashImage) -> None:
        if not self._kept:
            return
        try:
            restore(plant, self._kept["plant"])
            flash.programs = array("L", self._kept["programs"])
            flash.erases = array("L", self._kept["erases"])
        except (AttributeError, LookupError, TypeError, ValueError, OverflowError) as error:
            raise FolderDamagedError(
                self._state, f"it does not fit the machine ({error!r})"
            ) from error

    def forget(self) -> None:
        """Remove the device, and keep the folder."""
        self._kept = {}
        self.runs = 1
        for file in (self.key, self.micropython, self._state, *self.path.glob("*.key")):
            file.unlink(missing_ok=True)

    def keep(
        self, seed: int, machine: str, plant: Works, flash: FlashImage, *, ended: bool
    ) -> None:
        """Write the cards and the wear. `ended`: the device has no power any more."""
        kept = {
            "ended": ended,
            "machine": machine,
            "seed": seed,
            "runs": self.runs,
            "plant": record(plant),
            "programs": flash.programs.tolist(),
            "erases": flash.erases.tolist(),
        }
        private_files.replace(self._state, json.dumps(kept))
