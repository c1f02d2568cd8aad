"""An erasable record on flash: the record that replaces it destroys its key."""

import os
from hashlib import sha256

from core.storage.erasable_record import Forgetful
from doubles import raised
from folder_flash import BLOCK, PAGE, FolderFlash
from numbers_kept import folder, forget

KEY = 16


def record(root, flash):
    return Forgetful(root + "/cutcard/record", root + "/cutcard/keys", flash)


def place():
    root = folder()
    os.mkdir(root + "/cutcard")
    return root


def slots(root, which=0):
    """Return the slots without the marker."""
    with open(root + "/cutcard/keys" + str(which), "rb") as file:
        block = file.read()
    assert len(block) == BLOCK
    return [block[at : at + KEY] for at in range(KEY, BLOCK, KEY)]


def live(root, which=0):
    return [at for at, slot in enumerate(slots(root, which)) if len(set(slot)) > 1]


def test_stored_record_is_readable_only_with_its_key():
    root = place()
    kept = record(root, FolderFlash(root))
    kept.store([b"a card went ", b"to bin 7"])
    kept.close()
    with open(root + "/cutcard/record", "rb") as file:
        assert b"bin" not in file.read()
    assert record(root, FolderFlash(root)).load() == b"a card went to bin 7"
    forget(root)


def test_another_record_destroys_the_key_of_the_one_before():
    root = place()
    kept = record(root, FolderFlash(root))
    for number in range(5):
        kept.store([b"the same"])
        assert live(root) == [number]
        assert slots(root)[:number] == [bytes(KEY)] * number
    kept.close()
    forget(root)


def test_two_files_alternate_after_255_records_each():
    root = place()
    kept = record(root, FolderFlash(root))
    for number in range(255):
        kept.store([b"%d" % number])
    assert live(root) == [254]
    kept.store([b"more"])
    assert (live(root), live(root, 1)) == ([], [0])
    for number in range(255):
        kept.store([b"%d" % number])
    assert (live(root), live(root, 1)) == ([0], [])
    kept.close()
    assert record(root, FolderFlash(root)).load() == b"254"
    forget(root)


def test_lengths_are_few():
    root = place()
    kept = record(root, FolderFlash(root))
    path = root + "/cutcard/record"
    for size, length in ((0, 208), (202, 208), (203, 464), (458, 464), (459, 720)):
        kept.store([bytes(size)])
        kept.close()
        assert os.stat(path)[6] == length
        assert record(root, FolderFlash(root)).load() == bytes(size)
        kept = record(root, FolderFlash(root))
    forget(root)


class Worn(FolderFlash):
    """Bits of the third slot are zeros that read as ones until it is written."""

    def writeblocks(self, block, buf, offset):
        if offset == 0 and buf[3 * KEY : 4 * KEY] != b"\xff" * KEY:
            buf[3 * KEY : 4 * KEY] = bytes(KEY // 2) + buf[3 * KEY + KEY // 2 : 4 * KEY]
        super().writeblocks(block, buf, offset)


def test_a_slot_that_cannot_store_its_key_is_skipped():
    root = place()
    kept = record(root, Worn(root))
    for number in range(5):
        kept.store([b"%d" % number])
        assert record(root, Worn(root)).load() == b"%d" % number
    assert live(root) == [5]
    assert slots(root)[2] == bytes(KEY)
    kept.close()
    forget(root)


class Stubborn(FolderFlash):
    """A flash that does not store zeros."""

    def writeblocks(self, block, buf, offset):
        if any(buf[at : at + KEY] == bytes(KEY) for at in range(0, PAGE, KEY)):
            return
        super().writeblocks(block, buf, offset)


def test_a_flash_that_keeps_an_erased_key_is_an_error():
    root = place()
    kept = record(root, Stubborn(root))
    kept.store([b"first"])
    raised(OSError, kept.store, [b"second"])
    kept.close()
    again = record(root, Stubborn(root))
    assert again.load() == b"second"
    raised(OSError, again.store, [b"third"])
    again.close()
    forget(root)


class Twofold(FolderFlash):
    """A flash in which every block appears twice."""

    def ioctl(self, op, arg):
        return 2 * super().ioctl(op, arg) if op == 4 else BLOCK

    def readblocks(self, block, buf, offset=0):
        super().readblocks(block % (self.ioctl(4, 0) // 2), buf, offset)


def test_a_duplicate_block_is_not_written():
    root = place()
    raised(OSError, record(root, Twofold(root)).store, [b"first"])
    forget(root)


def test_keys_do_not_repeat():
    root = place()
    kept = record(root, FolderFlash(root))
    seen = set()
    for _ in range(40):
        kept.store([b""])
        seen.add(bytes(slots(root)[live(root)[0]]))
    assert len(seen) == 40
    assert len({sha256(key).digest() for key in seen}) == 40
    kept.close()
    forget(root)
