"""X25519 key agreement (RFC 7748): two sides agree on a number that no listener can compute.

It runs in pieces: `times` is a generator that yields after each quarter of its 255 steps, and the
main loop continues in between. The module is loaded for a handshake and unloaded after it. All
steps are the same for every secret: a bit of it chooses between two programs that differ only in
their registers.
"""

from .field import ADD, INVERSE, MUL, SPARE, SUB, Registers

BASE = b"\x09" + bytes(31)
_A24 = 121665
_PIECE = 8  # bytes of the secret

_X1, _X2, _Z2, _X3, _Z3, _A, _B, _C, _D, _E, _SMALL, _COUNT = range(SPARE, SPARE + 12)


def _step(x2, z2, x3, z3):
    """Double the first point and add it to the second; their difference is X1."""
    return bytes(
        (ADD, _A, x2, z2, SUB, _B, x2, z2)
        + (SUB, _C, x3, z3, MUL, _C, _C, _A)
        + (ADD, _D, x3, z3, MUL, _D, _D, _B)
        + (ADD, x3, _C, _D, MUL, x3, x3, x3)
        + (SUB, z3, _C, _D, MUL, z3, z3, z3, MUL, z3, z3, _X1)
        + (MUL, _A, _A, _A, MUL, _B, _B, _B)
        + (MUL, x2, _A, _B, SUB, _E, _A, _B)
        + (MUL, z2, _E, _SMALL, ADD, z2, z2, _A, MUL, z2, z2, _E)
    )


_STEPS = (_step(_X2, _Z2, _X3, _Z3), _step(_X3, _Z3, _X2, _Z2))


def times(secret, point):
    """Compute the x coordinate of `secret` times the point, in pieces; all three are 32 bytes."""
    scalar = bytearray(secret)
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    curve = Registers(_COUNT)
    curve.set(_X1, int.from_bytes(point, "little") & (1 << 255) - 1)
    curve.copy(_X3, _X1, 1)
    curve.set(_X2, 1)
    curve.set(_Z3, 1)
    curve.set(_SMALL, _A24)
    for at in range(31, -1, -1):
        byte = scalar[at]
        for shift in (7, 6, 5, 4, 3, 2, 1, 0):
            curve.run(_STEPS[byte >> shift & 1])
        if at % _PIECE == 0:
            yield
    curve.copy(_A, _Z2, 1)
    curve.power(_A, INVERSE)
    curve.run(bytes((MUL, _X2, _X2, _B)))
    product = curve.get(_X2).to_bytes(32, "little")
    curve.wipe()
    return product
