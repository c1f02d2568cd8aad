"""The folder with a bench's device between two runs: flash, key, cards, wear."""

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

_LEAVING = 3.0  # seconds that an ending bench may still need its folder


class FolderDamagedError(SettingsError):
    """A stored file is damaged; the text names the file and the next step."""

    def __init__(self, file: Path, problem: str) -> None:
        super().__init__(
            f"{file} is damaged: {problem}. Put back a copy of {file.parent}, "
            "or start with another --dir, which makes a new device"
        )


class BenchFolder:
    """`flash.img`, `micropython.img`, `key` (only its owner may read it), `state.json`, and `port`.

    `port` leads to the device. A link with the serial number leads to the key, so `CUTCARD_KEYS`
    may name the folder.
    """

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
        """Lock the folder: two benches would write into one flash.

        Wait for a bench that is just ending.
        """
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
                raise FolderDamagedError(self._state, f"it has no {name}")
        for name in ("programs", "erases"):
            if not isinstance(kept.get(name), list) or len(kept[name]) != BLOCKS:
                raise FolderDamagedError(self._state, f"it does not have the {name} of each block")
        return dict(kept)

    @property
    def seed(self) -> int | None:
        return self._kept.get("seed")

    @property
    def was_killed(self) -> bool:
        """Return whether the last bench ended without writing the positions of its cards.

        The flash is then newer than the cards: these are where they were at that bench's start.
        """
        return self._kept.get("ended") is False  # a folder of an earlier cutcard has no entry

    def check(self, machine: str, seed: int | None) -> None:
        """Check that the folder has a complete device, and the requested one."""
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
        """Store the connection data of this bench for later programs while it runs."""
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
        """Remove the device, but not the folder."""
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
