"""Images signed with test keys, and a bench that was flashed with one of them.

Each worker flashes the board once, through mpremote; each test gets a copy of that flash.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cutcard.bench.client import Bench
from cutcard.bench.filling import run_on_files
from cutcard.devices import Shuffler
from cutcard.devices.errors import DeviceError
from cutcard.devices.keys import KeyStore as DeviceKeys
from cutcard.devices.provisioning import identify
from cutcard.flashing.flash import Flashed, flash
from cutcard.image.build import Signer, build
from cutcard.image.image import Image
from cutcard.keys.history import KeyHistories
from cutcard.keys.store import SigningKeyStore
from cutcard.machines import find

PASSPHRASE = "a pass phrase of tests"

# Runs in MicroPython: change a bit of one byte of a file.
FLIP = """
path, at = "/flash" + sys.argv[2], int(sys.argv[3])
with open(path, "rb") as f:
    data = bytearray(f.read())
data[at % len(data)] ^= 1
with open(path, "wb") as f:
    f.write(data)
"""


class Maker:
    """Keys by name, created on first use, and images signed with them."""

    def __init__(self, home: Path, board: str = "bench") -> None:
        self.board = board
        self.store = SigningKeyStore(home)
        self.histories = KeyHistories(self.store)

    def copy(self, home: Path) -> Maker:
        """Copy the keys to another folder; rotations and revocations there do not affect this
        maker."""
        shutil.copytree(self.store.home, home)
        return Maker(home, self.board)

    def key(self, name: str, development: bool = False) -> Signer:
        if name not in {key.name for key in self.store.list()}:
            self.store.make(name, "image", PASSPHRASE, development)
        public = self.store.public(name)
        private = self.store.open(name, PASSPHRASE)
        return Signer(private, public, tuple(self.histories.of(public)))

    def rotate(self, old: str, new: str, development: bool = False) -> Signer:
        signer = self.key(old)
        made = self.store.make(new, "image", PASSPHRASE, development)
        self.histories.rotate(signer.public, signer.private, made)
        return self.key(new)

    def revoke(self, name: str, by: str) -> None:
        signer = self.key(by)
        self.histories.revoke(self.store.public(name), signer.public, signer.private)

    def image(
        self,
        version: int = 1,
        key: Signer | None = None,
        machine: str = "carousel-38",
        board: str = "",
    ) -> Image:
        return build(board or self.board, find(machine), version, key or self.key("factory"))


class FlashedBench:
    """A board on the bench that starts from its own flash."""

    def __init__(
        self, folder: Path, image: Image, start: Callable[..., Bench] = Bench.start
    ) -> None:
        self.keys = DeviceKeys(folder / "devices")
        self.bench = start("carousel-38", seed=1, blank=True)
        self.image = image
        self.first = self.flash(image)
        self.bench.cut_power()
        self._flash = Path(self.bench.folder) / "flash.img"
        self._script = folder / "work.py"
        self._as_flashed = self._flash.read_bytes()

    def close(self) -> None:
        self.bench.close()

    def renew(self) -> FlashedBench:
        """Restore the newly flashed state, without cards."""
        self.bench.factory(1)
        self.restore()
        return self

    def restore(self) -> None:
        self.write(self._as_flashed)

    def write(self, content: bytes) -> None:
        """Replace the content of its flash; the cards do not move."""
        self.bench.cut_power()
        self.write_off(content)
        self.bench.restore_power()

    def write_off(self, content: bytes) -> None:
        """Replace the content of its flash while the power is off."""
        with self._flash.open("r+b") as file:
            file.write(content)

    def read(self) -> bytes:
        return self._flash.read_bytes()

    def flash(self, image: Image, cards_inside_ok: bool = False) -> Flashed:
        return flash(self.bench.port, image, cards_inside_ok=cards_inside_ok, keys=self.keys)

    def where(self, name: str, slot: str = "a") -> tuple[str, int]:
        """Return the flash path that stores a file of the image, and the offset of its first byte
        there."""
        if name.startswith("/"):
            return name, 0
        file = next(file for file in self.image.files if file.name == name)
        before = (each for each in self.image.files if each.number < file.number)
        return f"/image/{slot}/modules", sum(len(each.data) for each in before)

    def flip(self, name: str, at: int, slot: str = "a") -> None:
        """Change a bit of one byte of an image file while the power is off."""
        path, first = self.where(name, slot)
        self.change_files(FLIP, path, str(first + at))

    def version(self) -> int:
        """Return the version that the device reports without a key."""
        return identify(self.bench.port).firmware

    def answers(self) -> bool:
        try:
            identify(self.bench.port, 0.5)
        except DeviceError:
            return False
        return True

    @contextmanager
    def shuffler(self) -> Iterator[Shuffler]:
        with Shuffler.open(self.bench.port, keys=self.keys) as device:
            yield device

    def work_on_files(self, work: str, *arguments: str) -> None:
        """Change files while the power is off, then switch it on."""
        self.bench.cut_power()
        self.change_files(work, *arguments)
        self.bench.restore_power()

    def change_files(self, work: str, *arguments: str) -> None:
        """Change files while the device is off, and leave it off."""
        run_on_files(work, self._flash, self._script, *arguments)

    def writes(self) -> int:
        return int(self.bench.do("flash")["operations"])
