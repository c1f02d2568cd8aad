"""The walk over the flash: every block once, in an order that key and number decide."""

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


def test_every_block_comes_once():
    for blocks in (1, 2, 100, 512, 1024):
        assert sorted(order(KEY, b"n" * 16, blocks)) == list(range(blocks))


def test_the_order_follows_key_and_number():
    first = order(KEY, b"1" * 16, 512)
    assert first == order(KEY, b"1" * 16, 512)
    assert first != order(KEY, b"2" * 16, 512)
    assert first != order(bytes(32), b"1" * 16, 512)


def test_the_order_is_no_pattern():
    """Each block follows its neighbour as rarely as chance has it."""
    steps = 0
    for number in range(20):
        found = order(KEY, bytes((number,)) * 16, 512)
        steps += sum(found[at + 1] == found[at] + 1 for at in range(511))
    assert steps < 60  # 20 are expected


class Chip:
    """A chip without a file system: its first block would lie behind the last."""

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


def test_the_answer_is_that_of_whoever_has_the_same_flash():
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


def test_two_blocks_that_changed_places_change_the_answer():
    one, two = b"1" * BLOCK, b"2" * BLOCK
    assert digest(one + two) != digest(two + one)


def test_bits_are_marked_from_the_low_end():
    assert [marked(b"\x01\x80", block) for block in (0, 1, 8, 15)] == [1, 0, 0, 1]
