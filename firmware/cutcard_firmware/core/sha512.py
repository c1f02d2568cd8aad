"""SHA-512 (FIPS 180-4), which MicroPython lacks; Ed25519 is defined by it.

Its constants are the first bits of roots of the first primes, and are worked out here: that
takes less of the image than the table would. Loaded by `ed25519` alone, when it is needed.
"""

from array import array

_WORD = (1 << 64) - 1
_BLOCK = 128


def _root_bits(prime, power):
    """The first 64 bits behind the point of a prime's square or cube root."""
    number = prime << 64 * power
    root = 32 << 64  # above every root asked for: from there Newton only comes down
    while True:
        nearer = ((power - 1) * root + number // root ** (power - 1)) // power
        if nearer >= root:
            return root & _WORD
        root = nearer


def _roots(count, power):
    """Of the first primes; in an array, as a list of long numbers would fill a board's memory."""
    found = array("Q", bytes(8 * count))
    number = 1
    for at in range(count):
        number += 1
        while not _is_prime(number):
            number += 1
        found[at] = _root_bits(number, power)
    return found


def _is_prime(number):
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


_ROUND = _roots(80, 3)
_START = _roots(8, 2)


def sha512(*parts):
    """The digest of the parts, one after the other; no part is copied whole."""
    state = array("Q", _START)
    block = bytearray(_BLOCK)
    filled = size = 0
    for part in parts:
        size += len(part)
        at = 0
        while at < len(part):
            taken = min(_BLOCK - filled, len(part) - at)
            block[filled : filled + taken] = part[at : at + taken]
            filled += taken
            at += taken
            if filled == _BLOCK:
                _compress(state, block)
                filled = 0
    block[filled] = 0x80
    block[filled + 1 :] = bytes(_BLOCK - 1 - filled)
    if filled >= _BLOCK - 16:
        _compress(state, block)
        block[:] = bytes(_BLOCK)
    block[-8:] = (8 * size).to_bytes(8, "big")
    _compress(state, block)
    return b"".join(word.to_bytes(8, "big") for word in state)


def _compress(state, block):
    words = array("Q", bytes(_BLOCK))
    for at in range(16):
        words[at] = int.from_bytes(block[8 * at : 8 * at + 8], "big")
    a, b, c, d, e, f, g, h = state
    for at in range(80):
        now = at & 15
        word = words[now]
        if at > 15:
            # `word` is that of sixteen rounds ago, in whose place the new one comes.
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
        t = h + ((y >> 14 ^ y >> 18 ^ y >> 41) & _WORD) + (g ^ e & (f ^ g)) + _ROUND[at] + word
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
