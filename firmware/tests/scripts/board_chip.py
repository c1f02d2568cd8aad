"""Reading all of a board's flash chip through its memory window."""

from chip import Chip
from core.image.attest import BLOCK, PIECE
from doubles import raised

PICO = "Raspberry Pi Pico with RP2040"
PICO_2 = "Raspberry Pi Pico2 with RP2350"
MEGABYTE = 1 << 20


class Window:
    """A chip that wraps addresses modulo its size. Each block contains its number."""

    def __init__(self, base, size):
        self.base = base
        self.size = size

    def bytes_at(self, address, length):
        assert self.base <= address
        at = (address - self.base) % self.size
        return (at // BLOCK).to_bytes(4, "little") + bytes(length - 4)


class Files:
    def __init__(self, blocks):
        self.blocks = blocks

    def ioctl(self, op, arg):
        return {4: self.blocks, 5: BLOCK}[op]


def test_a_pico_has_two_megabytes_and_its_files_at_the_end():
    chip = Chip(PICO, Window(0x13000000, 2 * MEGABYTE).bytes_at, Files(352))
    assert (chip.blocks, chip.first) == (512, 160)


def test_every_size_is_found():
    for size in (1, 2, 4, 8, 16):
        chip = Chip(PICO_2, Window(0x1C000000, size * MEGABYTE).bytes_at, Files(100))
        assert chip.blocks == size * 256


def test_a_piece_is_read_at_its_address():
    chip = Chip(PICO, Window(0x13000000, 2 * MEGABYTE).bytes_at, Files(352))
    piece = chip.read(511, 0)
    assert (len(piece), piece[:4]) == (PIECE, (511).to_bytes(4, "little"))


def test_an_unknown_chip_is_refused():
    raised(ValueError, Chip, "Feather with SAMD51", None, Files(1))
