"""The limits of the firmware, for the tests and `make bench`.

The first part is promised to users. The second part was measured. From both follow the largest
image and the most code in memory; "Limits of an image" in docs/explanation/board.md explains the
formulas.
"""

from __future__ import annotations

from math import ceil

from cutcard.bench.flash import BLOCK, BLOCKS, ENDURANCE

YEARS = 5  # the required life of a flash block
CARDS_AN_HOUR = 2400  # dealt and returned, 24 hours a day
FREE_HEAP = 96 * 1024  # bytes; required at all times
READY = 2000  # ms from power to the first answer
QUESTION = 20  # ms, 99th percentile
WRITE = 80  # ms, 99th percentile of the commands that write to flash
PRESS = 1000  # ms from the press of a button to the signed draw
HAND = 300  # ms that a hand waits for a card, 99th percentile
SPARE = 0.8  # part of a time: the emulator's flash never waits, so a board needs the other fifth

HOURS = 24 * 365 * YEARS

ERASES_A_CARD = 0.27  # at most, at CARDS_AN_HOUR; `flash_wear.erases_a_card`
# Erases of the hottest block beyond the mean. At most 1,650 in 16 million simulated commits, which
# are 4 % of the erases of YEARS; that it remains below AHEAD after YEARS is an assumption.
AHEAD = 1700
# Blocks without an image and without device state in rotation: superblock 2, folders of the
# slots 6, main.py 2, keys of the seed 2.
STILL = 12
MANIFEST = 1  # block in each slot
HEAP = 193_553  # bytes without any modules in memory, on the emulated chip
HEAP_A_BYTE = 1.26  # bytes of heap for each byte of .mpy that stays loaded
GARBAGE = 1026  # bytes of garbage that one question leaves on the heap
# A collection takes longer than QUESTION, so at least a hundred questions must fit between two
# collections; the start of a session leaves as much garbage as four questions.
QUESTIONS_A_COLLECTION = 100
_BEGINNING = 4


def most_erases_a_card(turning: int, ahead: int) -> float:
    """Return the erases per card with which the hottest block lasts YEARS if `turning` blocks
    rotate."""
    return (ENDURANCE - ahead) * turning / (CARDS_AN_HOUR * HOURS)


def most_in_slot() -> int:
    """Return the bytes of modules that fit into a slot while enough blocks rotate for YEARS."""
    turning = ceil(ERASES_A_CARD * CARDS_AN_HOUR * HOURS / (ENDURANCE - AHEAD))
    blocks = (BLOCKS - STILL - turning) // 2 - MANIFEST
    # littlefs begins block n of a file with one pointer, and another for each time that 2 divides
    # n.
    pointers = sum(4 * (block & -block).bit_length() for block in range(1, blocks))
    return blocks * BLOCK - pointers


def most_resident() -> int:
    """Return the bytes of .mpy that may stay loaded, so that enough heap is left."""
    questions = (QUESTIONS_A_COLLECTION + _BEGINNING) * GARBAGE
    return int((HEAP - max(FREE_HEAP, questions)) / HEAP_A_BYTE)
