"""Numbers modulo 2^255 - 19, which both curves are defined over, and programs that compute them.

A program is a row of steps of four bytes: what to do, the register that the result goes to, and
those of the two operands. It takes the same steps whatever the numbers are.
"""

from .arithmetic import P, run

MUL, ADD, SUB = range(3)
SPARE = 2  # the first registers belong to `arithmetic`
_SIZE = 32
_ZERO = bytes(_SIZE)

# The way to the power of 2^250 - 1: (to, from, squarings, times), counted from the base, with the
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
ROOT = (1, 1, 2, 0)  # and to (P - 5) / 8


class Registers:
    def __init__(self, count, breathe=None, room=None):
        """In `room`, which has enough of it, where there is one."""
        self._held = room or bytearray(_SIZE * count)
        self._breathe = breathe

    def put(self, register, octets):
        """Take 32 bytes, least first, as a number."""
        self._held[_SIZE * register : _SIZE * (register + 1)] = octets

    def set(self, register, number):
        self.put(register, number.to_bytes(_SIZE, "little"))

    def get(self, register):
        """The number, below P."""
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
        """Leave the power that `last` says of a register in the one behind it; three more behind
        that are used."""
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
        # A register at a time: there may be no memory in one piece for as many zeros.
        for at in range(0, len(self._held), _SIZE):
            self._held[at : at + _SIZE] = _ZERO
