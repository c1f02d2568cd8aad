# ruff: noqa: F821
# mypy: ignore-errors
"""HMAC-SHA256 in the processor's own instructions: see `core/crypto/mac.py`.

Both pads of a key are computed once, and no garbage is left on the heap: the four hashes of a
question and its reply were a third of all garbage. A block takes some 45 microseconds.
"""

import micropython

from ..byte_ops import mix, wipe

_BEGIN = (
    b"\x67\xe6\x09\x6a\x85\xae\x67\xbb\x72\xf3\x6e\x3c\x3a\xf5\x4f\xa5"
    b"\x7f\x52\x0e\x51\x8c\x68\x05\x9b\xab\xd9\x83\x1f\x19\xcd\xe0\x5b"
)  # the standard's first state in this processor's byte order: the least byte of a word first
# The state (8 words), the block (16) with the schedule after it (48), and the standard's `a` and
# `e` before each round and the three before it (68 times 2).
_work = bytearray(832)


class Mac:
    """HMAC-SHA256 with one key (32 bytes); its two pads are computed once."""

    def __init__(self, key):
        self.inner = _state_after(key, 0x36)
        self.outer = _state_after(key, 0x5C)

    def digest(self, *parts):
        said = b"".join(parts)
        out = bytearray(32)
        self.over(said, len(said), out)
        return bytes(out)

    def over(self, data, size, out):
        """Write the HMAC of the first `size` bytes into a bytearray of 32. Leaves no garbage on the
        heap."""
        _hash(self.inner, data, size, out)
        _hash(self.outer, out, 32, out)

    def wipe(self):
        for secret in (self.inner, self.outer, _work):
            wipe(secret)


def _state_after(key, pad):
    """Return the state after a complete block of the key."""
    _work[:32] = _BEGIN
    _work[32:96] = bytes((pad,)) * 64
    mix(_work, 32, 96, key)
    _compress(_work)
    return bytearray(memoryview(_work)[:32])


@micropython.viper
def _hash(state: ptr32, data: ptr8, size: int, out: ptr8):
    """Hash from the state after one block; `out` may be `data`."""
    work = ptr8(_work)
    words = ptr32(_work)
    for at in range(8):
        words[at] = state[at]
    first = 0
    while True:
        for at in range(8, 24):
            words[at] = 0
        count = size - first
        at = 0
        while at < count and at < 64:
            work[32 + at] = data[first + at]
            at += 1
        if 0 <= count < 64:
            work[32 + count] = 128
        if count < 56:  # room for the length, in bits, including the key's block
            bits = size + 64 << 3
            work[93] = bits >> 16
            work[94] = bits >> 8
            work[95] = bits
        _compress(_work)
        if count < 56:
            break
        first += 64
    for at in range(32):
        out[at] = work[at ^ 3]


@micropython.asm_thumb
def _compress(r0):
    push({r0})
    # The block's bytes are words, the highest byte first.
    mov(r1, r0)
    add(r1, 32)
    mov(r2, 16)
    label(SWAP)
    ldr(r3, [r1, 0])
    data(2, 0xBA1B)  # rev r3, r3
    str(r3, [r1, 0])
    add(r1, 4)
    sub(r2, 1)
    bne(SWAP)
    # The schedule. Two rotations are one of a rotation: (x ror 11 xor x) ror 7.
    sub(r1, 64)
    mov(r2, 48)
    label(SCHEDULE)
    ldr(r3, [r1, 4])
    mov(r5, r3)
    mov(r4, 11)
    ror(r5, r4)
    eor(r5, r3)
    mov(r4, 7)
    ror(r5, r4)
    lsr(r3, r3, 3)
    eor(r5, r3)
    ldr(r3, [r1, 56])
    mov(r6, r3)
    mov(r4, 2)
    ror(r6, r4)
    eor(r6, r3)
    mov(r4, 17)
    ror(r6, r4)
    lsr(r3, r3, 10)
    eor(r6, r3)
    add(r5, r5, r6)
    ldr(r3, [r1, 0])
    add(r5, r5, r3)
    ldr(r3, [r1, 36])
    add(r5, r5, r3)
    str(r5, [r1, 64])
    add(r1, 4)
    sub(r2, 1)
    bne(SCHEDULE)
    # The state, as pairs of a and e: d and h, c and g, b and f, a and e.
    add(r1, 64)
    mov(r2, r0)
    add(r2, 32)
    ldr(r3, [r0, 12])
    str(r3, [r1, 0])
    ldr(r3, [r0, 28])
    str(r3, [r1, 4])
    ldr(r3, [r0, 8])
    str(r3, [r1, 8])
    ldr(r3, [r0, 24])
    str(r3, [r1, 12])
    ldr(r3, [r0, 4])
    str(r3, [r1, 16])
    ldr(r3, [r0, 20])
    str(r3, [r1, 20])
    ldr(r3, [r0, 0])
    str(r3, [r1, 24])
    ldr(r3, [r0, 16])
    str(r3, [r1, 28])
    # The standard's constants are at the return address; a zero ends them, and the rounds.
    align(4)
    bl(ROUNDS)
    data(4, 0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5)
    data(4, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5)
    data(4, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3)
    data(4, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174)
    data(4, 0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC)
    data(4, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA)
    data(4, 0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7)
    data(4, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967)
    data(4, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13)
    data(4, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85)
    data(4, 0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3)
    data(4, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070)
    data(4, 0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5)
    data(4, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3)
    data(4, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208)
    data(4, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2)
    data(4, 0)
    label(ROUNDS)
    mov(r7, lr)
    sub(r7, 1)
    label(ROUND)
    ldr(r0, [r7, 0])
    cmp(r0, 0)
    beq(DONE)
    add(r7, 4)
    ldr(r3, [r2, 0])
    add(r2, 4)
    add(r0, r0, r3)
    ldr(r3, [r1, 4])  # h
    add(r0, r0, r3)
    ldr(r3, [r1, 28])  # e
    mov(r5, r3)
    mov(r4, 14)
    ror(r5, r4)
    eor(r5, r3)
    mov(r4, 5)
    ror(r5, r4)
    eor(r5, r3)
    mov(r4, 6)
    ror(r5, r4)
    add(r0, r0, r5)
    ldr(r4, [r1, 20])  # f
    ldr(r5, [r1, 12])  # g
    eor(r4, r5)
    and_(r4, r3)
    eor(r4, r5)
    add(r0, r0, r4)
    ldr(r4, [r1, 0])  # d
    add(r4, r4, r0)
    str(r4, [r1, 36])  # the next e
    ldr(r3, [r1, 24])  # a
    mov(r5, r3)
    mov(r4, 9)
    ror(r5, r4)
    eor(r5, r3)
    mov(r4, 11)
    ror(r5, r4)
    eor(r5, r3)
    mov(r4, 2)
    ror(r5, r4)
    add(r0, r0, r5)
    ldr(r4, [r1, 16])  # b
    ldr(r5, [r1, 8])  # c
    mov(r6, r3)
    eor(r6, r4)
    and_(r6, r5)
    and_(r3, r4)
    eor(r3, r6)
    add(r0, r0, r3)
    str(r0, [r1, 32])  # the next a
    add(r1, 8)
    b(ROUND)
    label(DONE)
    pop({r0})
    mov(r2, 4)
    add(r1, 24)
    label(SUM)
    ldr(r3, [r1, 0])
    ldr(r4, [r0, 0])
    add(r3, r3, r4)
    str(r3, [r0, 0])
    ldr(r3, [r1, 4])
    ldr(r4, [r0, 16])
    add(r3, r3, r4)
    str(r3, [r0, 16])
    add(r0, 4)
    sub(r1, 8)
    sub(r2, 1)
    bne(SUM)
