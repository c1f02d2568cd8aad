"""X25519 key agreement (RFC 7748): two sides agree on a number that nobody else can know.

A board takes more than half a second for one multiplication, so it is done in pieces: `times` is
a generator that comes back after eight of its 255 steps, and the main loop goes on in
between. Loaded for a handshake and dropped after it. The numbers are used once, so that what the
interpreter's long arithmetic tells by its time is of no use to anybody.
"""

BASE = b"\x09" + bytes(31)
_P = (1 << 255) - 19
_A24 = 121665


def times(secret, point):
    """The x coordinate of the point, `secret` times; all three are 32 bytes."""
    scalar = bytearray(secret)
    scalar[0] &= 248
    scalar[31] = scalar[31] & 127 | 64
    x1 = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3 = 1, 0, x1, 1
    last = 0
    for byte in reversed(scalar):
        for shift in (7, 6, 5, 4, 3, 2, 1, 0):
            bit = byte >> shift & 1
            if bit != last:
                x2, z2, x3, z3 = x3, z3, x2, z2
            last = bit
            a = x2 + z2
            b = x2 - z2
            da = (x3 - z3) * a % _P
            cb = (x3 + z3) * b % _P
            aa = a * a % _P
            bb = b * b % _P
            e = aa - bb
            x3 = (da + cb) * (da + cb) % _P
            z3 = (da - cb) * (da - cb) % _P * x1 % _P
            x2 = aa * bb % _P
            z2 = e * (aa + _A24 * e) % _P
        yield
    if last:
        x2, z2 = x3, z3
    inverse = yield from _inverse(z2)
    return (x2 * inverse % _P).to_bytes(32, "little")


def _inverse(number):
    """To the power of p - 2."""
    result = 1
    for byte in reversed((_P - 2).to_bytes(32, "little")):
        for shift in (7, 6, 5, 4, 3, 2, 1, 0):
            result = result * result % _P
            if byte >> shift & 1:
                result = result * number % _P
        yield
    return result
