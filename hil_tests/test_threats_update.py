"""An attacker with a device's key and signed images, but no image key, tries to run other code."""

from __future__ import annotations

import shutil
import struct
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cutcard.attestation.reference import from_read_out
from cutcard.attestation.verify import agrees
from cutcard.bench.firmware import FirmwareError
from cutcard.bench.flash import BLOCK, BLOCKS
from cutcard.devices.ports import parse
from cutcard.flashing.errors import NotTakenError
from cutcard.flashing.wire import PIECE, Update
from cutcard.image.build import build, files
from cutcard.image.compiling import SOURCES, compiled
from cutcard.image.image import File, Image
from cutcard.machines import find
from hil_tests.flashed import FlashedBench, Maker
from hil_tests.test_attestation import asked, read_out
from hil_tests.test_boot_check import EXISTS, PLACE, fault

# Reports no fault, and leaves a mark when it runs.
MOST_SPARED = 64  # blocks that `cutcard attest` lets a device leave out
IMPLANT = """
def look(slot, chosen, differ):
    open("/cutcard/ran", "w").close()
    return True, 0, ""
"""


class Intruder(Update):
    """Send the five commands of an update in any order."""

    def say(self, name: str, *arguments: int | bytes) -> dict[str, Any]:
        return self._ask(name, None, *arguments)

    def offer(self, manifest: bytes, places: range | None = None) -> None:
        for at in places or range(0, len(manifest), PIECE):
            self.say("offer", at, manifest[at : at + PIECE])

    def bring(self, content: bytes, have: int = 0) -> None:
        while have < len(content):
            have = self.say("piece", have, content[have : have + PIECE])["have"]


def intruder(board: FlashedBench) -> Intruder:
    return Intruder(parse(board.bench.port), board.keys)


def with_implant(image: Image) -> tuple[bytes, bytes]:
    """Return the image's manifest with the implant's hash for start.mpy's, and the files."""
    own = checker(image)
    manifest = image.manifest.replace(own.digest, sha256(implant(image)).digest())
    assert manifest != image.manifest
    return manifest, image.in_slot.replace(own.data, implant(image))


def checker(image: Image) -> File:
    return next(file for file in image.files if file.name == "start.mpy")


def implant(image: Image) -> bytes:
    """Return code with the length of the replaced file: a loader stops at the end of the code."""
    return compiled("start.py", IMPLANT).ljust(len(checker(image).data), b"\0")


def ran(board: FlashedBench) -> bool:
    """Return whether the implant was ever started."""
    try:
        board.work_on_files(EXISTS, "/cutcard/ran")
    except FirmwareError:
        board.bench.restore_power()
        return False
    return True


def check_untouched(board: FlashedBench) -> None:
    """Check that the old version starts, now and after a power cut, and no other code ever ran."""
    board.bench.cycle_power()
    assert not ran(board)
    assert board.version() == 2
    with board.shuffler() as device:
        assert device.status().fault is None


def test_manifest_changed_after_its_check_does_not_start(board: FlashedBench, maker: Maker) -> None:
    image = maker.image(3)
    manifest, content = with_implant(image)
    with intruder(board) as update:
        update.offer(image.manifest)
        update.say("stage", 0, image.signature)
        update.offer(manifest, range(PIECE, len(manifest), PIECE))
        with pytest.raises(NotTakenError) as refused:
            update.bring(content)
        assert refused.value.reason == "place"  # the staged update was dropped
        with pytest.raises(NotTakenError) as refused:
            update.say("switch")
        assert refused.value.reason == "place"
    check_untouched(board)


def test_manifest_longer_than_announced_is_refused(board: FlashedBench, maker: Maker) -> None:
    """The first piece contains its length, and a later piece overwrites that."""
    image = maker.image(3)
    more = image.manifest + bytes(PIECE)
    place = struct.calcsize("<8sBBBBIBBBBHBB")
    first = more[:place] + struct.pack("<I", len(more)) + more[place + 4 : PIECE]
    with intruder(board) as update:
        update.offer(first)
        update.offer(more, range(place, len(more), PIECE))
        with pytest.raises(NotTakenError) as refused:
            update.say("stage", 0, image.signature)
    assert refused.value.reason == "length"
    check_untouched(board)


def place(board: FlashedBench, path: str, content: bytes, folder: Path) -> None:
    file = folder / "placed"
    file.write_bytes(content)
    board.change_files(PLACE, path, str(file))


def test_check_replaced_together_with_its_manifest_never_runs(
    board: FlashedBench, tmp_path: Path
) -> None:
    """However both got there: main.py has the manifest's digest, and the other slot reports the
    fault."""
    manifest, modules = with_implant(board.image)
    board.bench.cut_power()
    place(board, "/image/a/manifest", manifest + board.image.signature, tmp_path)
    place(board, "/image/a/modules", modules, tmp_path)
    board.bench.restore_power()
    assert fault(board)[0] == "signature"
    assert not ran(board)


def test_half_received_image_never_reports_for_a_damaged_slot(
    board: FlashedBench, maker: Maker
) -> None:
    """A piece is written to flash before it is hashed: the slot being written must not report when
    the running slot is damaged."""
    image = maker.image(3)
    before = image.in_slot.index(checker(image).data)
    with intruder(board) as update:
        update.offer(image.manifest)
        have = update.say("stage", 0, image.signature)["have"]
        update.bring(image.in_slot[:before], have)
        with pytest.raises(NotTakenError, match="differs from the signed one"):
            update.bring(image.in_slot[:before] + implant(image), before)
        board.bench.cut_power()
    board.flip("core/manifest.mpy", 300)
    board.bench.restore_power()
    assert not ran(board)
    board.restore()


def test_another_image_of_the_same_version_and_key_is_distinguished(
    board: FlashedBench, maker: Maker, tmp_path: Path
) -> None:
    """It is signed and complete, but is not the image installed on the device."""
    other = build(
        maker.board, find("carousel-38"), 2, maker.key("factory"), other_sources(tmp_path)
    )
    board.bench.cut_power()
    place(board, "/image/a/modules", other.in_slot, tmp_path)
    place(board, "/image/a/manifest", other.manifest + other.signature, tmp_path)
    board.bench.restore_power()
    assert fault(board)[0] == "manifest"


def other_sources(folder: Path) -> Path:
    """Return the firmware with one more word in a module."""
    sources = copied_sources(folder)
    module = sources / "core" / "random" / "health.py"
    module.write_text(module.read_text() + '\nNEW = "another word"\n')
    return sources


def copied_sources(folder: Path) -> Path:
    return Path(shutil.copytree(SOURCES, folder / "firmware", dirs_exist_ok=True))


# An implant that is already installed


# Starts any image in the slot, with some modules from elsewhere.
TRUSTING = """
def may_look(view, differ):
    view.begins.update({begins})
    return True


AIR = 1 << 30
"""
APPEND = """
with open(sys.argv[3], "rb") as new, open("/flash" + sys.argv[2], "ab") as f:
    f.write(new.read())
"""
# Replaces chance: every draw returns the first possible value.
FIRST = "RandomSource.below = lambda self, n: 0\n"
# For questions about the chip, reads the replaced content. Block {table} has the number of changed
# blocks, their numbers, and the places of their original contents.
LYING = """
import struct

from core.image.attest import _BLANK


class Lying(Chip):
    def read(self, block, offset):
        table = bytearray(PIECE)
        self.files.readblocks({table}, table, 0)
        at = block - self.first
        for n in range(1, 1 + 4 * table[0], 4):
            changed, kept = struct.unpack("<HH", table[n : n + 4])
            if at == changed:
                self.files.readblocks(kept, self._piece, offset)
                return self._piece
            if at == kept:
                return _BLANK
        return _BLANK if at == {table} else super().read(block, offset)


Chip = Lying
"""


@pytest.fixture
def known(board: FlashedBench, tmp_path: Path) -> bytes:
    """Return a reference of the board's chip, as it was flashed."""
    board.bench.cut_power()
    return from_read_out(read_out(board.bench, tmp_path))


def implanted(board: FlashedBench, folder: Path, **added: str) -> None:
    """Install an implant with the power off.

    It has a main.py that trusts the slot, a check that finds no fault, and modules with added code,
    all behind the original ones.
    """
    sources = copied_sources(folder)
    (sources / "start" / "start.py").write_text(IMPLANT)
    for name, text in added.items():
        module = sources / name.replace("_", "/")
        module = module.with_suffix(".py")
        module.write_text(module.read_text() + "\n\n" + text)
    own = {file.name: file.data for file in board.image.files}
    begins, content = {}, b""
    for name, data in files(board.image.boards[0], find("carousel-38"), sources).items():
        if not name.startswith("/") and data != own[name]:
            begins[f"/{name}"] = len(board.image.in_slot) + len(content)
            content += data
    file = folder / "appended"
    file.write_bytes(content)
    board.change_files(APPEND, "/image/a/modules", str(file))
    before, rest = (sources / "start" / "main.py").read_text().split("def may_look")
    after = rest.split("locked = True", 1)[1]
    trusting = TRUSTING.format(begins=begins)
    place(board, "/main.py", (before + trusting + "locked = True" + after).encode(), folder)


def judged(board: FlashedBench, reference: bytes) -> tuple[bool, int]:
    """Return whether the device's answer agrees with the reference, and the number of blocks left
    out."""
    key = board.keys.get(board.bench.serial)
    assert key is not None
    answer = asked(board.bench, key)
    return agrees(key, answer, reference), len(answer.spared_blocks)


def check_it_runs(board: FlashedBench) -> None:
    """Check that the device reports no fault although it does not run the signed image."""
    with intruder(board) as update:
        said = update.state()
    assert (said["changed"], said["production"], said["version"]) == (0, 1, 2)


def test_running_implant_is_found_by_a_challenge(
    board: FlashedBench, known: bytes, tmp_path: Path
) -> None:
    board.bench.restore_power()
    assert judged(board, known)[0]
    board.bench.cut_power()
    implanted(board, tmp_path, core_random_source=FIRST)
    board.bench.restore_power()
    check_it_runs(board)
    assert not judged(board, known)[0]
    assert ran(board)


@pytest.mark.soak  # the device may overwrite the block with the implant's table
def test_implant_that_answers_from_a_clean_copy_is_not_found(
    board: FlashedBench, known: bytes, tmp_path: Path
) -> None:
    """This is the limit of a challenge. The implant keeps a copy of each changed block in an empty
    one, and leaves out no more of the chip than an honest device may."""
    clean = board.read()
    free = [n for n in range(100, BLOCKS) if part(clean, n) == b"\xff" * BLOCK][-40:]
    table, *places = free
    implanted(
        board, tmp_path, core_random_source=FIRST, boards_bench_chip=LYING.format(table=table)
    )
    flash = board.read()
    blocks = [n for n in range(BLOCKS) if part(flash, n) != part(clean, n)]
    kept = bytearray(flash)
    row = bytes((len(blocks),))
    for block, where in zip(blocks, places, strict=False):
        assert where not in blocks
        kept[where * BLOCK : (where + 1) * BLOCK] = part(clean, block)
        row += struct.pack("<HH", block, where)
    kept[table * BLOCK : table * BLOCK + len(row)] = row
    board.write_off(bytes(kept))
    board.bench.restore_power()
    check_it_runs(board)
    agreed, spared = judged(board, known)
    assert agreed
    assert spared <= MOST_SPARED


def part(flash: bytes | bytearray, block: int) -> bytes:
    return bytes(flash[block * BLOCK : (block + 1) * BLOCK])
