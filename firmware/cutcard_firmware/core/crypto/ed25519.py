"""Ed25519 signatures (RFC 8032): a device signs with a key that never leaves it.

`seed` is the private key, 32 random bytes. Import this module only when needed, and free its memory
with `forget(*SIGNATURES)`: it takes some six kilobytes.

`breathe` is called regularly, so that a main loop can read its sensors and feed its watchdog during
the computation.

Each multiplication by a secret takes the same steps for every secret: sixty-four times four
doublings and an addition. On a board these are steps of its own processor, and no step depends on a
number (`field`). The interpreter's arithmetic on long numbers is used only for the final sum of a
signature, which is faster for short numbers. A device signs at its own time, a few times a minute.
"""

from .field import ADD, INVERSE, MUL, ROOT, SPARE, SUB, Registers
from .sha512 import sha512

_P = (1 << 255) - 19
_ORDER = (1 << 252) + 27742317777372353535851937790883648493
_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555
_ROOT_OF_MINUS_ONE = 19681161376707505956807079304988542015446066515923890162744021073123829784752
_BASE = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
)
_NEUTRAL = (0, 1)

# A point is X, Y, Z, T: x = X/Z, y = Y/Z, xy = T/Z. These are registers. A point to be added is
# stored as Y + X, Y - X, 2dT and 2Z. So are the next operand and, after it, the multiples of one or
# two points, from zero to fifteen times.
_X, _Y, _Z, _T, _A, _B, _C, _E, _F, _G, _H = range(SPARE, SPARE + 11)
_TWICE_D = _H + 1
_POINT = 4  # registers
_ADDED = _TWICE_D + 1
_MULTIPLES = _ADDED + _POINT
_TIMES = 16  # stored multiples: four bits of a scalar are processed together
_TABLE = _TIMES * _POINT

_PRODUCT = (MUL, _X, _E, _F, MUL, _Y, _G, _H, MUL, _T, _E, _H, MUL, _Z, _F, _G)
_DOUBLE = bytes(
    (MUL, _A, _X, _X, MUL, _B, _Y, _Y, ADD, _E, _X, _Y, MUL, _E, _E, _E)
    + (ADD, _H, _A, _B, SUB, _E, _H, _E, SUB, _G, _A, _B)
    + (MUL, _F, _Z, _Z, ADD, _F, _F, _F, ADD, _F, _F, _G)
    + _PRODUCT
)

# The complete addition of a twisted Edwards curve: it also doubles, and accepts any two points.
_SUM = bytes(
    (SUB, _A, _Y, _X, MUL, _A, _A, _ADDED + 1, ADD, _B, _Y, _X, MUL, _B, _B, _ADDED)
    + (MUL, _C, _T, _ADDED + 2, MUL, _F, _Z, _ADDED + 3)
    + (SUB, _E, _B, _A, ADD, _H, _B, _A, ADD, _G, _F, _C, SUB, _F, _F, _C)
    + _PRODUCT
)
_TO_ADD = bytes(
    (ADD, _ADDED, _Y, _X, SUB, _ADDED + 1, _Y, _X)
    + (MUL, _ADDED + 2, _T, _TWICE_D, ADD, _ADDED + 3, _Z, _Z)
)


def public_key(seed, breathe=None):
    """Return the 32 bytes that verify signatures of `seed`."""
    return _times_base(_secrets(seed)[0], breathe)


def sign(seed, message, breathe=None):
    """Return the 64 bytes of a signature; only the holder of `seed` can make them."""
    scalar, prefix = _secrets(seed)
    public = _times_base(scalar, breathe)
    once = _number(sha512(prefix, message)) % _ORDER
    commitment = _times_base(once, breathe)
    challenge = _number(sha512(commitment, public, message)) % _ORDER
    return commitment + ((once + challenge * scalar) % _ORDER).to_bytes(32, "little")


def verify(public, message, signature, breathe=None, room=None):
    """Return whether `signature` is a signature of the message under that public key.

    Each signature has one form only: a number or point encoded in another way is refused. So is a
    public key of small order, under which one signature fits many messages. This takes 4,672
    contiguous bytes: `room` is such a buffer, if the caller has reserved one.
    """
    if len(public) != 32 or len(signature) != 64:
        return False
    answer = _number(signature[32:])
    curve = _Curve(breathe, 2, room)
    point = curve.decoded(public)
    if point is None or answer >= _ORDER:
        return False
    x, y = point
    curve.begin(x, y)
    curve.run(_DOUBLE * 3)
    if curve.is_neutral():
        return False
    challenge = _number(sha512(signature[:32], public, message)) % _ORDER
    curve.multiply(((answer, _BASE), (challenge, (_P - x, y))))
    return curve.encoded() == signature[:32]


def _times_base(scalar, breathe):
    curve = _Curve(breathe, 1)
    curve.multiply(((scalar, _BASE),))
    encoded = curve.encoded()
    curve.wipe()
    return encoded


class _Curve(Registers):
    """One point, and registers for its computations."""

    def __init__(self, breathe, points, room=None):
        """Reserve registers for the multiples of `points` points."""
        super().__init__(_MULTIPLES + points * _TABLE, breathe, room)
        self.set(_TWICE_D, 2 * _D % _P)

    def begin(self, x, y):
        self.set(_X, x)
        self.set(_Y, y)
        self.set(_Z, 1)
        self.run(bytes((MUL, _T, _X, _Y)))

    def multiply(self, terms):
        """Set the point to the sum of the terms (scalar, (x, y)), each point times its scalar."""
        for number, (_, point) in enumerate(terms):
            self._keep_multiples(_MULTIPLES + number * _TABLE, point)
        self.begin(*_NEUTRAL)
        scalars = [scalar.to_bytes(32, "little") for scalar, _ in terms]
        double_and_add = _DOUBLE * 4 + _SUM
        for at in range(31, -1, -1):
            for shift in (4, 0):
                table = _MULTIPLES
                program = double_and_add
                for octets in scalars:
                    self.copy(_ADDED, table + (octets[at] >> shift & 15) * _POINT, _POINT)
                    self.run(program)
                    table += _TABLE
                    program = _SUM
            self.breathe()

    def _keep_multiples(self, table, point):
        """Store the multiples of a point, from zero to fifteen."""
        first = table + _POINT
        self.begin(*_NEUTRAL)
        for multiple in range(table, table + _TABLE, _POINT):
            if multiple == first:
                self.begin(*point)
            elif multiple > first:
                self.copy(_ADDED, first, _POINT)
                self.run(_SUM)
            self.run(_TO_ADD)
            self.copy(multiple, _ADDED, _POINT)

    def is_neutral(self):
        return self.get(_X) == 0 and self.get(_Y) == self.get(_Z)

    def encoded(self):
        """Return the point as 32 bytes."""
        self.copy(_A, _Z, 1)
        self.power(_A, INVERSE)
        self.run(bytes((MUL, _X, _X, _B, MUL, _Y, _Y, _B)))
        return (self.get(_Y) | (self.get(_X) & 1) << 255).to_bytes(32, "little")

    def decoded(self, octets):
        """Return (x, y), or None if the bytes are not the canonical form of a point."""
        y = _number(octets)
        sign = y >> 255
        y &= (1 << 255) - 1
        if y >= _P:
            return None
        square = y * y % _P
        self.set(_G, (square - 1) % _P)
        self.set(_H, (_D * square + 1) % _P)
        # x = g h^3 (g h^7)^((P - 5) / 8), where x^2 = g / h
        self.run(
            bytes(
                (MUL, _X, _H, _H, MUL, _X, _X, _H, MUL, _A, _X, _X, MUL, _A, _A, _H)
                + (MUL, _A, _A, _G, MUL, _X, _X, _G)
            )
        )
        self.power(_A, ROOT)
        self.run(bytes((MUL, _X, _X, _B, MUL, _Y, _X, _X, MUL, _Y, _Y, _H)))
        x, found, wanted = self.get(_X), self.get(_Y), self.get(_G)
        if found != wanted:
            if found != -wanted % _P:
                return None
            x = x * _ROOT_OF_MINUS_ONE % _P
        if x == 0 and sign:
            return None
        return _P - x if x & 1 != sign else x, y


def _secrets(seed):
    if len(seed) != 32:
        raise ValueError("a private key is 32 bytes")
    digest = sha512(seed)
    return _number(digest[:32]) & (1 << 254) - 8 | 1 << 254, digest[32:]


def _number(octets):
    return int.from_bytes(octets, "little")
