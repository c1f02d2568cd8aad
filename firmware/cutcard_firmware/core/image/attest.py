"""Attestation: a keyed digest over the entire flash, in an order that the challenge decides.

If a device chose its own hash, it could lie. If it hashed a requested range, it would reveal that
range byte by byte. So there is no range: every block of the chip is read, including MicroPython's
own, except those that change during operation (`spared`), and the answer lists those.
`docs/explanation/security.md` explains the meaning of the result.

The host imports this module too, and reads its reference in the same order. On the device it is
loaded for a challenge and unloaded after it.
"""

import struct
from array import array
from hashlib import sha256

from ..crypto.session_keys import Mac
from ..random.drbg import BLOCK_BYTES, HashDrbg

BLOCK = 4096
PIECE = 256  # bytes of a block that are read together: a board has no memory for a block
OWN = "/cutcard"  # written by the firmware: state, seed, key
_BLANK = b"\xff" * PIECE
_FOLDER = 0x4000
_HANDFUL = 8  # blocks erased in one step: a third of a second

# Progress of an attestation.
NONE, WALKING, DONE, CHANGED = range(4)  # 4: NO_ROOM, which must be known without this module


class Walk:
    """The order of the blocks, and the digest of the blocks read."""

    def __init__(self, key, nonce, blocks):
        self._secret = Mac(key).digest(b"attest", nonce)
        self._drbg = HashDrbg()
        self._drbg.instantiate(self._secret, nonce)
        self._drawn = bytearray(BLOCK_BYTES)
        self._at = BLOCK_BYTES
        self._order = array("H", range(blocks))
        self._left = self._blocks = blocks
        self._digest = sha256(self._secret)

    def next(self):
        """Return the next block, each once, all orders equally likely; None after the last."""
        if not self._left:
            return None
        chosen = self._below(self._left)
        self._left -= 1
        block = self._order[chosen]
        self._order[chosen] = self._order[self._left]
        return block

    def begin(self, block):
        self._digest.update(struct.pack("<H", block))

    def take(self, piece):
        self._digest.update(piece)

    def answer(self, spared):
        """Return the digest over the challenge, every block read, and the map of spared blocks."""
        size = struct.pack("<H", self._blocks)
        return Mac(self._secret).digest(size, spared, self._digest.digest())

    def _below(self, n):
        most = 0x10000 // n * n
        while True:
            if self._at == BLOCK_BYTES:
                self._drbg.generate(self._drawn)
                self._at = 0
            number = self._drawn[self._at] << 8 | self._drawn[self._at + 1]
            self._at += 2
            if number < most:
                return number % n


def marked(bits, block):
    return bits[block >> 3] >> (block & 7) & 1


def attest(chip, key, nonce, progress):
    """Do the device's work on a challenge, one block in each step.

    `progress` is [progress, blocks read, digest, spared] and remains after the end.
    """
    progress[0] = WALKING
    spared = yield from _spared(chip)
    walk = Walk(key, nonce, chip.blocks)
    while True:
        block = walk.next()
        if block is None:
            break
        if not marked(spared, block):
            walk.begin(block)
            for offset in range(0, BLOCK, PIECE):
                walk.take(chip.read(block, offset))
        progress[1] += 1
        yield
    # If files were written during the walk, blocks may have moved, and the digest has no single
    # moment.
    again = yield from _spared(chip)
    chip.close()
    if again != spared:
        progress[0] = CHANGED
        return
    progress[2] = walk.answer(spared)
    progress[3] = bytes(spared)
    progress[0] = DONE


def scrub(chip, progress, breathe):
    """Erase littlefs's leftovers, including old states and seeds.

    The blocks in use are determined again before each group of blocks, and only `breathe` runs
    between that and their erasure, because a free block may be written to in the next step.
    """
    progress[0] = WALKING
    while True:
        static, own = _at_once(_in_use(chip.files), breathe)
        erased = 0
        for block in range(chip.blocks - chip.first):
            breathe()
            used = marked(static, block) or marked(own, block)
            if not (used or _blank(chip, chip.first + block)):
                chip.files.ioctl(6, block)
                erased += 1
                if erased == _HANDFUL:
                    break
        progress[1] += erased
        if not erased:
            break
        yield
    chip.close()
    progress[0] = DONE


def _at_once(work, breathe):
    """Run a generator to its end; return its result."""
    try:
        while True:
            next(work)
            breathe()
    except StopIteration as end:
        return end.value


def _spared(chip):
    """Return a bit for each unpredictable block, which the digest leaves out.

    These are the blocks of files that the firmware writes, and littlefs's leftovers, which are free
    and not blank. No other block contains a secret.
    """
    spared = bytearray((chip.blocks + 7) // 8)
    static, own = yield from _in_use(chip.files)
    for block in range(chip.blocks - chip.first):
        if marked(static, block):
            continue
        at = chip.first + block
        if marked(own, block) or not _blank(chip, at):
            spared[at >> 3] |= 1 << (at & 7)
        yield
    return spared


def _blank(chip, block):
    return all(chip.read(block, offset) == _BLANK for offset in range(0, BLOCK, PIECE))


class _Watched:
    """The file system's block device, which records reads and writes nothing."""

    def __init__(self, files):
        self.files = files
        self.forget()

    def forget(self):
        self.seen = bytearray((self.files.ioctl(4, 0) + 7) // 8)

    def readblocks(self, block, buf, offset=0):
        self.seen[block >> 3] |= 1 << (block & 7)
        self.files.readblocks(block, buf, offset)

    def writeblocks(self, block, buf, offset=0):
        raise OSError(30)

    def ioctl(self, op, arg):
        return self.files.ioctl(op, arg) if op in (4, 5) else 0


def _in_use(files):
    """Return the blocks of everything except OWN, and the blocks of OWN.

    They are found by reading all files through a second, watched mount. Before each pass the other
    one is mounted again, so that nothing is cached.
    """
    if files is None:
        return b"", b""  # and no block to report
    import vfs

    watched = _Watched(files)
    # The board's page size: with smaller pages, an inline file may be unreadable.
    mounted = vfs.VfsLfs2(watched, progsize=PIECE)  # type: ignore[arg-type,abstract]
    yield from _read_all(mounted, OWN, None)
    watched.forget()
    yield from _read_all(mounted, "/", OWN)
    static = watched.seen
    watched.forget()
    yield from _read_all(mounted, OWN, None)
    return static, watched.seen


def _read_all(mounted, folder, but):
    buffer = bytearray(PIECE)
    for entry in mounted.ilistdir(folder):
        path = folder.rstrip("/") + "/" + entry[0]
        if path == but:
            continue
        if entry[1] == _FOLDER:
            yield from _read_all(mounted, path, but)
        else:
            with mounted.open(path, "rb") as file:
                while file.readinto(buffer):
                    pass
        yield
