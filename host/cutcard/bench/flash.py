"""The board's flash: NOR memory, in a file. It wears, and power can be cut in the middle of it."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random

BLOCKS = 352
BLOCK = 4096
PAGE = 256
SIZE = BLOCKS * BLOCK
ENDURANCE = 100_000  # erases that a block of the usual chips is good for


class PowerCut(Exception):
    """The power failed during this operation: whoever asked for it gets no answer."""


class Flash:
    """A program clears bits and can set none; only an erase, of a whole block, sets them.

    The firmware reads the file itself; every change comes through here and is counted.
    """

    def __init__(self, image: Path, seed: str) -> None:
        self.image = image
        self._chance = Random(f"{seed}/flash")
        if not image.exists() or image.stat().st_size != SIZE:
            image.write_bytes(b"\xff" * SIZE)
        self._file = image.open("r+b", buffering=0)
        self.programs = array("L", [0] * BLOCKS)
        self.erases = array("L", [0] * BLOCKS)
        self._cut_in = 0  # operations until the power fails; 0: it does not
        self._torn = 0.5
        self.operations = 0

    def cut_at(self, operation: int, torn: float) -> None:
        """Fail at the n-th program or erase from now, when the share `torn` of it is done."""
        self._cut_in = operation
        self._torn = torn

    @property
    def cut_in(self) -> int:
        return self._cut_in

    def program(self, block: int, offset: int, data: bytes) -> None:
        if offset % PAGE or len(data) != PAGE or offset >= BLOCK:
            raise ValueError(f"a program of {len(data)} bytes at {offset}: one page of {PAGE}")
        self.programs[self._checked(block)] += 1
        done = self._share(len(data))
        old = self.read(block, offset, len(data))
        both = int.from_bytes(old, "little") & int.from_bytes(data, "little")
        new = bytearray(both.to_bytes(PAGE, "little"))
        if done is not None:
            new[done:] = old[done:]
            if 0 < done < PAGE:  # of the byte under way some bits are cleared, some not yet
                new[done] = old[done] & (data[done] | self._chance.getrandbits(8))
        self._write(block, offset, new)
        if done is not None:
            raise PowerCut

    def erase(self, block: int) -> None:
        self.erases[self._checked(block)] += 1
        done = self._share(BLOCK)
        if done is None:
            self._write(block, 0, b"\xff" * BLOCK)
            return
        old = self.read(block, 0, BLOCK)
        new = bytearray(b"\xff" * done + old[done:])
        # An erase lifts all cells at once: where it was broken off, some have risen.
        for at in range(done, min(done + PAGE, BLOCK) if done else 0):
            new[at] |= self._chance.getrandbits(8)
        self._write(block, 0, new)
        raise PowerCut

    def read(self, block: int, offset: int = 0, length: int = BLOCK) -> bytes:
        self._file.seek(self._checked(block) * BLOCK + offset)
        return self._file.read(length)

    def format(self) -> None:
        """As it comes from the factory; the cells stay as worn as they are."""
        self._file.seek(0)
        self._file.write(b"\xff" * SIZE)

    def corrupt(self, block: int, offset: int, length: int) -> None:
        """Turn bytes into others, as a failing chip does."""
        old = self.read(block, offset, length)
        self._write(block, offset, bytes(b ^ self._chance.randrange(1, 256) for b in old))

    def renew(self) -> None:
        """Another chip, blank and unworn, in the same file."""
        self.programs = array("L", [0] * BLOCKS)
        self.erases = array("L", [0] * BLOCKS)
        self.format()

    def wear(self) -> dict[str, int]:
        hottest = max(range(BLOCKS), key=self.erases.__getitem__)
        return {
            "programs": sum(self.programs),
            "erases": sum(self.erases),
            "hottest_block": hottest,
            "hottest_erases": self.erases[hottest],
            "endurance": ENDURANCE,
        }

    def close(self) -> None:
        self._file.close()

    def _checked(self, block: int) -> int:
        if not 0 <= block < BLOCKS:
            raise ValueError(f"there is no block {block}: the flash has {BLOCKS}")
        return block

    def _share(self, whole: int) -> int | None:
        """Bytes of this operation that get done, or None: all of them, and the power stays."""
        self.operations += 1
        if not self._cut_in:
            return None
        self._cut_in -= 1
        return None if self._cut_in else round(whole * self._torn)

    def _write(self, block: int, offset: int, data: bytes | bytearray) -> None:
        self._file.seek(block * BLOCK + offset)
        self._file.write(data)
