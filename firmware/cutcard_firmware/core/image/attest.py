"""Attestation: a keyed digest over the whole flash, in an order that the challenge decides.

A device that is asked for its own hash answers what it likes, and one that hashes any range
it is told to gives that range away, byte by byte. So there is no range: every block of the
chip is walked, MicroPython's own included, but for those that change while the device works
(`spared`), and those are named in the answer. `docs/explanation/security.md` says what this proves.

The host imports this module too, and walks its reference in the same order. On the device
it is loaded for a challenge and dropped after it.
"""

import struct
from array import array
from hashlib import sha256

from ..crypto.session_keys import Mac
from ..random.drbg import BLOCK_BYTES, HashDrbg

BLOCK = 4096
PIECE = 256  # bytes of a block that are looked at together: a board has no room for a block
OWN = "/cutcard"  # what the firmware writes: state, seed, key
_BLANK = b"\xff" * PIECE
_FOLDER = 0x4000
_HANDFUL = 8  # blocks erased in one step: a third of a second

# How far an attestation is.
NONE, WALKING, DONE, CHANGED = range(4)  # 4: NO_ROOM, which must be known without this module


class Walk:
    """The order of the blocks, and the digest of those that were taken."""

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
        """The next block, each once, all orders equally likely; None after the last."""
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
        """The digest over the challenge, every block that was taken, and those that were not."""
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
    """The device's work on a challenge, one block in each step.

    `progress` is [how far, blocks walked, digest, spared] and stays when this has ended.
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
    # What was written meanwhile may have moved: then the digest speaks of no one moment.
    again = yield from _spared(chip)
    chip.close()
    if again != spared:
        progress[0] = CHANGED
        return
    progress[2] = walk.answer(spared)
    progress[3] = bytes(spared)
    progress[0] = DONE


def scrub(chip, progress, breathe):
    """Erase what littlefs has left behind, old states and seeds among it. Which blocks are in
    use is found out anew for each handful, and nothing else runs between that and their erasure,
    but for a breath: what is free now may be written to in the next step."""
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
    """What a generator comes to, without a step in between."""
    try:
        while True:
            next(work)
            breathe()
    except StopIteration as end:
        return end.value


def _spared(chip):
    """A bit for each block that nobody can know beforehand: those that hold what the firmware
    writes, and those that littlefs has left behind when it moved on, which are free and not
    blank. Nothing secret is in any other."""
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
    """The file system's block device, which notes what is read and writes nothing."""

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
    """Blocks of everything but OWN, and blocks of OWN: found by reading all files through a
    second, watched mount. Before each pass the other is made, so that nothing is cached."""
    if files is None:
        return b"", b""  # and no block to ask about
    import vfs

    watched = _Watched(files)
    # Pages as the board has them: with smaller ones a file that lies inline may be unreadable.
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
