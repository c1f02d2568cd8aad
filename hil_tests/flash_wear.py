"""Estimate the life of a board's flash: erases for each card, and blocks that share them."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from cutcard.bench.client import Bench
from cutcard.bench.flash import BLOCKS
from cutcard.cli.doctor import program
from cutcard.devices.shuffler import Shuffler
from cutcard.image.build import build
from cutcard.journal import Journal
from cutcard.machines import find
from cutcard.table.replay.role_log import CARDS, RoleLog
from hil_tests.limits import CARDS_AN_HOUR

FIRMWARE = Path(__file__).parents[1] / "firmware" / "cutcard_firmware"
MICROPYTHON = program("micropython") or "micropython"
A_ROUND = 15  # cards of three players
FIRST = 20  # rounds
INTERVAL = 3_600_000 // CARDS_AN_HOUR  # ms


def erases_a_card(machine: str, rounds: int) -> float:
    """Return the erases per card in rounds of three players, at CARDS_AN_HOUR by the board's clock.

    The machine is the witness of a journal: each command brings a head, and each event extends its
    chain. The first rounds after loading write more than later rounds and are not counted.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(Path(folder) / "table.journal") as journal,
        Bench.start(machine, seed=3, decks=6) as bench,
        Shuffler.open(
            bench.port, key=bench.key, log=(log := RoleLog(journal, CARDS, {}))
        ) as device,
    ):
        log.compare(device.chains())
        device.load(6)
        for number in range(FIRST + rounds):
            if number == FIRST:
                before = bench.do("flash")["erases"]
            device.begin_round()
            began = bench.status()["milliseconds"]
            for card in range(1, A_ROUND + 1):
                device.deal()
                if card == A_ROUND:
                    bench.return_cards()
                rest = began + card * INTERVAL - bench.status()["milliseconds"]
                if rest > 0:
                    bench.do("advance", milliseconds=rest)
        return float(bench.do("flash")["erases"] - before) / (rounds * A_ROUND)


def witnessing(bench: Bench, log: RoleLog) -> Shuffler:
    """Open the machine of a bench as the witness of a journal."""
    device = Shuffler.open(bench.port, key=bench.key, log=log)
    log.compare(device.chains())
    return device


# A flash chip in memory that counts its erases and contains the files of a flashed board.
CHIP = """
import os, vfs
from array import array
class Chip:
    count = {blocks}
    def __init__(self):
        self.data = bytearray(self.count * 4096)
        self.erases = array("I", bytes(4 * self.count))
    def readblocks(self, block, buf, offset=0):
        at = block * 4096 + offset
        buf[:] = memoryview(self.data)[at:at + len(buf)]
    def writeblocks(self, block, buf, offset=0):
        at = block * 4096 + offset
        self.data[at:at + len(buf)] = buf
    def ioctl(self, op, arg):
        if op == 4:
            return self.count
        if op == 5:
            return 4096
        if op == 6:
            self.erases[arg] += 1
            self.data[arg * 4096:arg * 4096 + 4096] = BLANK
            return 0
BLANK = b"\\xff" * 4096
chip = Chip()
vfs.VfsLfs2.mkfs(chip, progsize=256)
vfs.mount(vfs.VfsLfs2(chip, progsize=256, lookahead=48, mtime=False), "/flash")
for folder in ("/cutcard", "/cutcard/state", "/image", "/image/a", "/image/b"):
    os.mkdir("/flash" + folder)
for path, size in {files}:
    with open("/flash" + path, "wb") as file:
        file.write(bytes(size))
"""
# The commits of the device's own state.
COMMITS = """
from core.storage import state as st
state = st.State("/flash", 38, chip)
for i in range({commits}):
    state.set(st.ARMED, 1 - state.get(st.ARMED))
    state.commit()
print(list(chip.erases))
"""
# The same writes with other contents, ten times as fast. A test checks that they are equivalent.
WRITES = """
state = open("/flash/cutcard/state/state", "wb")
record = bytes(208)
for i in range({commits}):
    if i % 255 == 0:
        with open("/flash/cutcard/statekeys%d" % (i // 255 % 2), "wb") as keys:
            keys.write(BLANK)
    state.seek(0)
    state.write(record)
    state.flush()
print(list(chip.erases))
"""


def rotation() -> tuple[int, int]:
    """Return the number of blocks that share the erases, and the lead of the hottest over their
    mean.

    littlefs does not move the blocks of the image, so they do not take part. It uses a block for
    about a hundred erases before it moves to the next one, so in a run of a few laps the hottest
    block leads by a few such turns.
    """
    few = 20_000
    if _erases(44, {}, COMMITS, few) != _erases(44, {}, WRITES, few):
        raise RuntimeError("the writes that are measured are not those of the device's state")
    worn = _erases(BLOCKS, _on_a_board(), WRITES, 3_000_000)
    # The superblock is erased once and a file's last block occasionally: they take no turn.
    turning = [erases for erases in worn if erases > max(worn) / 20]
    mean = sum(turning) / len(turning)
    return len(turning), round(max(turning) - mean)


def _on_a_board() -> dict[str, int]:
    """Return the files that are never rewritten on a board that was updated once, with their
    sizes."""
    flashed = build("rp2", find("carousel-38"), 1)
    slot = {"manifest": len(flashed.manifest) + len(flashed.signature)}
    slot["modules"] = len(flashed.in_slot)
    starters = {file.name: len(file.data) for file in flashed.files if file.name.startswith("/")}
    slots = {f"/image/{a}/{name}": size for a in "ab" for name, size in slot.items()}
    keys = {f"/cutcard/seedkeys{which}": 4096 for which in (0, 1)}
    return starters | slots | keys


def _erases(blocks: int, files: dict[str, int], writes: str, commits: int) -> list[int]:
    chip = CHIP.format(blocks=blocks, files=list(files.items()))
    done = subprocess.run(
        [MICROPYTHON, "-X", "heapsize=4m", "-c", chip + writes.format(commits=commits)],
        cwd=FIRMWARE,
        capture_output=True,
        text=True,
        check=True,
    )
    return [int(each) for each in done.stdout.strip("[]\n ").split(",")]
