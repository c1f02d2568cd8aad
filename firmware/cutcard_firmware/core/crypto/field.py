"""Numbers modulo 2^255 - 19, the field of both curves, and programs that compute them.

A program is a sequence of steps of four bytes: the operation, the register of the result, and those
of the two operands. Its steps do not depend on the numbers.
"""

from .arithmetic import P, run

MUL, ADD, SUB = range(3)
SPARE = 2  # the first registers belong to `arithmetic`
_SIZE = 32
_ZERO = bytes(_SIZE)

# The steps to the power 2^250 - 1: (to, from, squarings, times), counted from the base, with the
# eleventh power in 2.
_TOWER = (
    (1, 2, 2, 0),
    (2, 2, 0, 1),
    (3, 2, 1, 1),
    (1, 3, 5, 3),
    (3, 1, 10, 1),
    (4, 3, 20, 3),
    (3, 4, 10, 1),
    (1, 3, 50, 3),
    (4, 1, 100, 1),
    (1, 4, 50, 3),
)
INVERSE = (1, 1, 5, 2)  # from there to P - 2
ROOT = (1, 1, 2, 0)  # from there to (P - 5) / 8


class Registers:
    def __init__(self, count, breathe=None, room=None):
        """Use `room`, if given and large enough, for the registers."""
        self._held = room or bytearray(_SIZE * count)
        self._breathe = breathe

    def put(self, register, octets):
        """Store 32 bytes, least first, as a number."""
        self._held[_SIZE * register : _SIZE * (register + 1)] = octets

    def set(self, register, number):
        self.put(register, number.to_bytes(_SIZE, "little"))

    def get(self, register):
        """Return the number, reduced below P."""
        held = self._held[_SIZE * register : _SIZE * (register + 1)]
        return int.from_bytes(held, "little") % P

    def copy(self, to, start, count):
        held = self._held
        size = _SIZE * count
        to *= _SIZE
        start *= _SIZE
        held[to : to + size] = held[start : start + size]

    def run(self, program):
        run(program, len(program), self._held)

    def power(self, base, last):
        """Store a power of a register, chosen by `last`, in the next register.

        Three more registers after that are used.
        """
        self.run(bytes((MUL, base + 2, base, base)))
        for to, start, squarings, times in _TOWER + (last,):
            start += base
            to += base
            if squarings:
                self.run(
                    bytes((MUL, to, start, start)) + bytes((MUL, to, to, to)) * (squarings - 1)
                )
                start = to
            self.run(bytes((MUL, to, start, base + times)))
            self.breathe()

    def breathe(self):
        if self._breathe is not None:
            self._breathe()

    def wipe(self):
        # One register at a time: memory may have no contiguous block for all zeros.
        for at in range(0, len(self._held), _SIZE):
            self._held[at : at + _SIZE] = _ZERO
