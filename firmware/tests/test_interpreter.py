"""MicroPython for the board, as this repository builds it: the files built, and their sources."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from firmware.tests.interpreters import missing

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "firmware" / "interpreter" / "build.py"
BUILT = ROOT / "build" / "micropython"
# The hashes of a build on another computer, with the compiler and sources in its record. A build
# from the same sources has the same bytes, in any folder and on any day.
SEEN = Path(__file__).parent / "data" / "micropython.json"
FLASH, RAM = 0x10000000, 0x20000000
HAS_FAMILY = 0x2000
BLOCK_BEGINS, IMAGE_TYPE = 0xFFFFDED3, 0x10210142  # of the RP2350's boot ROM


@dataclass(frozen=True)
class Chip:
    family: int  # of its UF2
    vectors: int  # address of its vector table in the flash
    ram: int  # bytes
    says: bytes


BOARDS = {
    "RPI_PICO": Chip(0xE48BFF56, 0x100, 264 * 1024, b"Raspberry Pi Pico with RP2040"),
    "RPI_PICO2": Chip(0xE48BFF59, 0, 520 * 1024, b"Raspberry Pi Pico2 with RP2350"),
}


def record() -> dict[str, object]:
    file = BUILT / "RPI_PICO.json"
    if not file.exists():
        why = BUILT / "missing.txt"
        if why.exists():
            pytest.skip(why.read_text().strip())  # also in CI: a mirror may have removed a source
        missing("there is no MicroPython for the boards: run make micropython")
    read: dict[str, object] = json.loads(file.read_text())
    return read


def test_the_uf2_has_the_hash_in_its_record() -> None:
    expected = record()["sha256"]
    assert hashlib.sha256((BUILT / "RPI_PICO.uf2").read_bytes()).hexdigest() == expected


def test_equal_sources_and_compiler_build_equal_bytes() -> None:
    here, seen = record(), json.loads(SEEN.read_text())
    if (here["compiler"], here["sources"]) != (seen["compiler"], seen["sources"]):
        pytest.skip(f"built by {here['compiler']} or from newer sources than what was seen")
    assert here["sha256"] == seen["sha256"]


@pytest.mark.parametrize(
    # The set-up of the tests builds one of them; `make micropython`, and so the soak, both.
    "board",
    ["RPI_PICO", pytest.param("RPI_PICO2", marks=pytest.mark.soak)],
)
def test_a_uf2_has_its_chips_family_and_begins_as_that_chip_starts(board: str) -> None:
    """No emulator has a Pico 2's processor, so its UF2 has no further test without a board."""
    made = BOARDS[board]
    families, flash = read_uf2(uf2_of(board))
    assert families == {made.family}
    stack, reset = struct.unpack_from("<2I", flash, made.vectors)
    assert RAM < stack <= RAM + made.ram
    assert reset & 1
    assert made.vectors < reset - FLASH < len(flash)
    assert made.says in flash
    for frozen in (b"_boot.py", b"asyncio/core.py"):
        assert frozen in flash
    if board == "RPI_PICO2":  # its boot ROM only starts a program for Arm in secure state
        kind = struct.pack("<2I", BLOCK_BEGINS, IMAGE_TYPE)
        assert kind in flash[:4096]


def test_the_second_stage_of_a_pico_has_a_valid_checksum() -> None:
    _, flash = read_uf2(uf2_of("RPI_PICO"))
    register = 0xFFFFFFFF
    for byte in flash[:252]:
        register ^= byte << 24
        for _ in range(8):
            register = (register << 1 ^ (0x04C11DB7 if register >> 31 else 0)) & 0xFFFFFFFF
    assert struct.unpack_from("<I", flash, 252) == (register,)


def uf2_of(board: str) -> bytes:
    record()
    file = BUILT / f"{board}.uf2"
    if not file.exists():
        pytest.skip(f"{board} is built by make micropython, not by the set-up of the tests")
    return file.read_bytes()


def read_uf2(uf2: bytes) -> tuple[set[int], bytes]:
    """Return the families of its blocks, and the flash contents that they write."""
    families, flash = set(), bytearray()
    for at in range(0, len(uf2), 512):
        _, _, flags, address, size, *_, family = struct.unpack_from("<8I", uf2, at)
        assert flags & HAS_FAMILY
        assert address - FLASH == len(flash)
        families.add(family)
        flash += uf2[at + 32 : at + 32 + size]
    return families, bytes(flash)


def test_every_source_has_a_licence_in_the_list() -> None:
    sources = record()["sources"]
    assert isinstance(sources, list)
    licences = (BUILT / "licences.txt").read_text()
    for source in sources:
        assert f"{source['name']} {source['version']}: " in licences


def test_source_missing_on_the_mirror_is_named_in_the_error(tmp_path: Path) -> None:
    """The build also stores the reason for the tests that need the file."""
    folder = tmp_path / "interpreter"
    folder.mkdir()
    for name in ("build.py", "sources.py", "frozen.py"):
        (folder / name).write_text((BUILD.parent / name).read_text())
    table = (BUILD.parent / "sources.toml").read_text()
    (folder / "sources.toml").write_text(table.replace("pico-sdk_2.1.1", "pico-sdk_0.0.0"))
    tools = tmp_path / "tools"
    tools.mkdir()
    apt_get = '#!/bin/sh\n[ "$1" = indextargets ] && echo file:/nowhere/\nexit 0\n'
    for name, text in (("apt-get", apt_get), *((t, "#!/bin/sh\necho none\n") for t in TOOLS)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    record()
    cache_download(tmp_path / "cache", "*-micropython_*")  # missing first is the second
    done = subprocess.run(
        [sys.executable, folder / "build.py", "--output", tmp_path / "out"],
        env={"PATH": f"{tools}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "Pico SDK 2.1.1 is not to be had" in done.stderr
    assert "pico-sdk_0.0.0" in (tmp_path / "out" / "missing.txt").read_text()


TOOLS = ("arm-none-eabi-gcc", "arm-none-eabi-objcopy", "cmake", "gcc", "make", "dpkg-deb")


def cache_download(cache: Path, which: str) -> None:
    """Make a cache with these sources and without built files."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    there = cache / "cutcard" / "sources"
    there.mkdir(parents=True)
    for file in (home / "cutcard" / "sources").glob(which):
        (there / file.name).symlink_to(file)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_folder_date_and_umask_make_no_difference(tmp_path: Path) -> None:
    """Build for both boards twice: in another folder, on another day, with a umask that denies
    other users all access. The builds share no files. A space in the name of the folder for
    temporary files, which make cannot handle, does not matter."""
    record()
    if not faketime():
        missing("another day needs faketime: sudo apt-get install faketime")
    first, second = tmp_path / "else where", tmp_path / "there"
    built_in(first, [], 0o022)
    built_in(second, ["faketime", "2031-02-03"], 0o077)
    for board in ("RPI_PICO", "RPI_PICO2"):
        assert (first / f"{board}.uf2").read_bytes() == (second / f"{board}.uf2").read_bytes()
    assert (first / "RPI_PICO.uf2").read_bytes() == (BUILT / "RPI_PICO.uf2").read_bytes()


def built_in(folder: Path, day: list[str], umask: int) -> None:
    work, cache = folder / "work", folder / "cache"
    work.mkdir(parents=True)
    cache.mkdir()
    cache_download(cache, "*")
    command = [*day, sys.executable, str(BUILD), "--output", str(folder)]
    env = {**os.environ, "TMPDIR": str(work), "XDG_CACHE_HOME": str(cache)}
    assert subprocess.run(command, env=env, umask=umask).returncode == 0


def faketime() -> bool:
    return subprocess.run(["which", "faketime"], capture_output=True).returncode == 0
