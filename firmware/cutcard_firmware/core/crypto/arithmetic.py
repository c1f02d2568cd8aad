"""The two inner loops of cryptography: steps modulo 2^255 - 19, and a block of SHA-512.

This version runs anywhere. An image contains the board's own version instead, in its processor's
own instructions (`boards/rp2/core/crypto/arithmetic.py`).
"""

P = (1 << 255) - 19
_SIZE = 32  # bytes of a register
_WORD = (1 << 64) - 1


def run(program, size, registers):
    """Run a program of that size on numbers of 32 bytes each, least first: see `field`."""
    for at in range(0, size, 4):
        what = program[at]
        to = _SIZE * program[at + 1]
        a = _SIZE * program[at + 2]
        b = _SIZE * program[at + 3]
        a = int.from_bytes(registers[a : a + _SIZE], "little")
        b = int.from_bytes(registers[b : b + _SIZE], "little")
        result = (a * b if what == 0 else a + b if what == 1 else a - b) % P
        registers[to : to + _SIZE] = result.to_bytes(_SIZE, "little")


def compress(state, words, rounds):
    """Hash a block of sixteen words, which is overwritten, into the eight words of the state."""
    a, b, c, d, e, f, g, h = state
    for at in range(80):
        now = at & 15
        word = words[now]
        if at > 15:
            # `word` is the word of sixteen rounds ago, which the new one replaces.
            word += words[at + 9 & 15]
            x = words[at + 1 & 15]
            y = x | x << 64
            word += (y >> 1 ^ y >> 8 ^ x >> 7) & _WORD
            x = words[at + 14 & 15]
            y = x | x << 64
            word += (y >> 19 ^ y >> 61 ^ x >> 6) & _WORD
            word &= _WORD
            words[now] = word
        y = e | e << 64
        t = h + ((y >> 14 ^ y >> 18 ^ y >> 41) & _WORD) + (g ^ e & (f ^ g)) + rounds[at] + word
        y = a | a << 64
        h = g
        g = f
        f = e
        e = d + t & _WORD
        d, majority = c, a & b | c & (a | b)
        c = b
        b = a
        a = t + ((y >> 28 ^ y >> 34 ^ y >> 39) & _WORD) + majority & _WORD
    for at, word in enumerate((a, b, c, d, e, f, g, h)):
        state[at] = state[at] + word & _WORD
