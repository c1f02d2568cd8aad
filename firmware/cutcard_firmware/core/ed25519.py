"""Ed25519 signatures (RFC 8032): a device signs with a key that never leaves it.

`seed` is the private key, 32 random bytes. Import this where it is needed and have
`rare.forget("ed25519", "sha512")` give the memory back: loaded it takes some six kilobytes.

A board takes more than a second for it: `breathe` is called thirty-two times in each
multiplication and each power, so that a main loop can look at its sensors and feed its watchdog
meanwhile.

Each multiplication by a secret takes the same steps for every secret: a hundred and twenty-eight
times two doublings and an addition. The interpreter's own arithmetic on long numbers is still
quicker for short ones, so whoever can time a signature to the microsecond, thousands of times,
may learn from it; a device signs at its own time and few times a minute.
"""

from .sha512 import sha512

_P = (1 << 255) - 19
_ORDER = (1 << 252) + 27742317777372353535851937790883648493
_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555
_BASE = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
    1,
    46827403850823179245072216630277197565144205554125654976674165829533817101731,
)
_NEUTRAL = (0, 1, 1, 0)
# A point is (X, Y, Z, T): x = X/Z, y = Y/Z, xy = T/Z.


def public_key(seed, breathe=None):
    """The 32 bytes by which anybody can check what `seed` signed."""
    return _encoded(_times(_secrets(seed)[0], _BASE, breathe), breathe)


def sign(seed, message, breathe=None):
    """The 64 bytes that only the holder of `seed` can make of the message."""
    scalar, prefix = _secrets(seed)
    public = _encoded(_times(scalar, _BASE, breathe), breathe)
    once = _number(sha512(prefix, message)) % _ORDER
    commitment = _encoded(_times(once, _BASE, breathe), breathe)
    challenge = _number(sha512(commitment, public, message)) % _ORDER
    return commitment + ((once + challenge * scalar) % _ORDER).to_bytes(32, "little")


def verify(public, message, signature, breathe=None):
    """Whether `signature` is the message's by the holder of that public key.

    Each signature has one form only: a number or point written in another way is refused,
    and so is a public key of small order, under which one signature fits many messages.
    """
    if len(public) != 32 or len(signature) != 64:
        return False
    point = _decoded(public, breathe)
    answer = _number(signature[32:])
    if point is None or answer >= _ORDER or _is_neutral(_doubled(_doubled(_doubled(point)))):
        return False
    challenge = _number(sha512(signature[:32], public, message)) % _ORDER
    x, y, z, t = point
    negative = (_P - x, y, z, _P - t)
    both = _sum(_times(answer, _BASE, breathe), _times(challenge, negative, breathe))
    return _encoded(both, breathe) == signature[:32]


def _secrets(seed):
    if len(seed) != 32:
        raise ValueError("a private key is 32 bytes")
    digest = sha512(seed)
    return _number(digest[:32]) & (1 << 254) - 8 | 1 << 254, digest[32:]


def _number(octets):
    return int.from_bytes(octets, "little")


def _sum(p, q):
    """The complete addition of a twisted Edwards curve: it doubles too, and takes any two."""
    x1, y1, z1, t1 = p
    x2, y2, z2, t2 = q
    a = (y1 - x1) * (y2 - x2) % _P
    b = (y1 + x1) * (y2 + x2) % _P
    c = 2 * t1 * t2 % _P * _D % _P
    d = 2 * z1 * z2 % _P
    e = b - a
    f = d - c
    g = d + c
    h = b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _doubled(p):
    x, y, z, _ = p
    a = x * x % _P
    b = y * y % _P
    h = a + b
    e = h - (x + y) * (x + y) % _P
    g = a - b
    f = 2 * z * z % _P + g
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(scalar, point, breathe=None):
    twice = _doubled(point)
    multiples = (_NEUTRAL, point, twice, _sum(twice, point))
    product = _NEUTRAL
    for digits in reversed(scalar.to_bytes(32, "little")):
        for shift in (6, 4, 2, 0):
            product = _sum(_doubled(_doubled(product)), multiples[digits >> shift & 3])
        if breathe is not None:
            breathe()
    return product


def _power(number, exponent, breathe=None):
    """pow() with a modulus, which not every build of MicroPython has."""
    result = 1
    for digits in reversed(exponent.to_bytes(32, "little")):
        for shift in (7, 6, 5, 4, 3, 2, 1, 0):
            result = result * result % _P
            if digits >> shift & 1:
                result = result * number % _P
        if breathe is not None:
            breathe()
    return result


def _is_neutral(p):
    return p[0] % _P == 0 and (p[1] - p[2]) % _P == 0


def _encoded(p, breathe=None):
    inverse = _power(p[2], _P - 2, breathe)
    x = p[0] * inverse % _P
    return (p[1] * inverse % _P | (x & 1) << 255).to_bytes(32, "little")


def _decoded(octets, breathe=None):
    """The point, or None where the bytes are no point or not its one canonical form."""
    y = _number(octets)
    sign = y >> 255
    y &= (1 << 255) - 1
    if y >= _P:
        return None
    square = (y * y - 1) * _power(_D * y * y + 1, _P - 2, breathe) % _P
    x = _power(square, (_P + 3) // 8, breathe)
    if (x * x - square) % _P:
        x = x * _power(2, (_P - 1) // 4, breathe) % _P
    if (x * x - square) % _P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P
