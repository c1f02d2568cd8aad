"""Attestation reads every block of the flash once, in an order given by key and number."""

from core.image.attest import BLOCK, DONE, PIECE, Walk, attest, marked

KEY = bytes(range(32))


def order(key, nonce, blocks):
    walk = Walk(key, nonce, blocks)
    found = []
    while True:
        block = walk.next()
        if block is None:
            return found
        found.append(block)


def test_every_block_is_read_once():
    for blocks in (1, 2, 100, 512, 1024):
        assert sorted(order(KEY, b"n" * 16, blocks)) == list(range(blocks))


def test_the_order_depends_on_key_and_number():
    first = order(KEY, b"1" * 16, 512)
    assert first == order(KEY, b"1" * 16, 512)
    assert first != order(KEY, b"2" * 16, 512)
    assert first != order(bytes(32), b"1" * 16, 512)


def test_neighbouring_blocks_rarely_follow_each_other():
    """Each block follows its neighbour as rarely as in a random order."""
    steps = 0
    for number in range(20):
        found = order(KEY, bytes((number,)) * 16, 512)
        steps += sum(found[at + 1] == found[at] + 1 for at in range(511))
    assert steps < 60  # 20 are expected


class Chip:
    """A chip without a file system: its first block would be after the last one."""

    files = None

    def __init__(self, data):
        self.data = data
        self.blocks = self.first = len(data) // BLOCK

    def read(self, block, offset):
        return self.data[block * BLOCK + offset : block * BLOCK + offset + PIECE]

    def close(self):
        pass


def digest(data, key=KEY, nonce=b"n" * 16):
    progress = [0, 0, b"", b""]
    for _ in attest(Chip(data), key, nonce, progress):
        pass
    assert progress[0] == DONE
    return progress[2]


def test_the_host_computes_the_same_answer_from_the_same_flash():
    data = bytes(3 * BLOCK)
    walk = Walk(KEY, b"n" * 16, 3)
    while True:
        block = walk.next()
        if block is None:
            break
        walk.begin(block)
        walk.take(data[block * BLOCK : (block + 1) * BLOCK])
    assert walk.answer(bytes(1)) == digest(data)


def test_one_bit_anywhere_changes_the_answer():
    data = bytearray(3 * BLOCK)
    clean = digest(data)
    for at in (0, BLOCK - 1, BLOCK, 2 * BLOCK + 77, 3 * BLOCK - 1):
        data[at] ^= 1
        assert digest(data) != clean
        data[at] ^= 1


def test_exchanging_two_blocks_changes_the_answer():
    one, two = b"1" * BLOCK, b"2" * BLOCK
    assert digest(one + two) != digest(two + one)


def test_bits_are_marked_from_the_low_end():
    assert [marked(b"\x01\x80", block) for block in (0, 1, 8, 15)] == [1, 0, 0, 1]
