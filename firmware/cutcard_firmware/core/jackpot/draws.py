"""The state of a controller that survives a power cut: its tables, its offers and its draws.

A draw is a record and its signature. The record has everything that a third party needs to verify
it, and the SHA-256 of the previous record: leaving one out breaks the chain. Draws are stored until
the end of their round, so that a repeated press returns the same prize.
"""

from hashlib import sha256

from ..schema import messages as m
from ..devices import signing
from ..devices.sensors import TABLES
from ..storage.state import BIN, State, StateLost

# Numbers of the entire controller and, from TABLE on, of each table.
COUNTER = BIN  # draws in the life of this key
TABLE = BIN + 1
ROUND = 0  # the last round
PLACE = 1  # of the offer: box, seat and attempt, a byte each
WAGER = 2
OFFERED = 3  # 1: the button is on offer
SHOWN = 4  # counter of the displayed draw, 0 for a blank display
FAULT = 5
DETAIL = 6
NUMBERS = 7  # of a table

SIGNATURE = 64
RECORD = 101
MOST_DRAWS = 16
DOMAIN = b"cutcard prize 1\0"  # no other message of this key has this prefix
_CHAIN = 32
_PRIZES = "/prizes"  # and the table's number
_FIELDS = m.EVENTS[m.EVENT_CODE["prize"]][1].rsplit(" ", 1)[0]  # all but the signature


def record(*values):
    """Return the bytes that are signed, after DOMAIN: the fields of a `prize` event."""
    return m.pack(_FIELDS, values)


def fields(draw):
    return m.unpack(_FIELDS, draw[:RECORD])


class Draws(State):
    def __init__(self, root, flash):
        super().__init__(root, 1 + TABLES * NUMBERS, flash)
        self.draws = []  # records with their signatures, the oldest first
        self.chain = bytes(_CHAIN)  # digest of the last record
        self.texts = [None] * TABLES  # of the tables of prizes

    def of(self, table, what):
        return self.get(TABLE + (table - 1) * NUMBERS + what)

    def put(self, table, what, value):
        self.set(TABLE + (table - 1) * NUMBERS + what, value)

    # Draws

    def add_draw(self, record, signature):
        self.draws.append(record + signature)
        self.chain = sha256(record).digest()
        self._changed = True

    def find(self, kind, table, round, place):
        """Return (the draw, its fields) of a past press, or None."""
        for draw in self.draws:
            found = fields(draw)
            if (found["kind"], found["table"], found["round"]) == (kind, table, round) and (
                place_of(found["box"], found["seat"], found["attempt"]) == place
            ):
                return draw, found
        return None

    def drawn(self, counter):
        """Return the fields of the draw of that number, or None."""
        for draw in self.draws:
            found = fields(draw)
            if found["counter"] == counter:
                return found
        return None

    def kept_in(self, table, round):
        """Return the draws to keep when the table enters that round.

        The draws of its earlier rounds have been reported and paid.
        """
        if round == self.of(table, ROUND):
            return self.draws
        return [draw for draw in self.draws if fields(draw)["table"] != table]

    def enter_round(self, table, round):
        """Enter a round; return True if it is new, so that the last draw is no longer shown."""
        if round == self.of(table, ROUND):
            return False
        self.draws = self.kept_in(table, round)
        self.put(table, ROUND, round)
        self.put(table, SHOWN, 0)
        return True

    def forget_all(self):
        """Forget all draws, after a new key was made: it has not signed them."""
        self.draws = []
        self.chain = bytes(_CHAIN)
        self.set(COUNTER, 0)
        for place in range(TABLE, TABLE + TABLES * NUMBERS):
            self.set(place, 0)
        self._changed = True

    def set_prizes(self, table, text):
        self.write(_PRIZES + str(table), sha256(text).digest() + text)
        self.texts[table - 1] = text

    def load_prizes(self):
        """Load the prize files; return False if one is damaged, which counts as missing."""
        whole = True
        for table in range(1, TABLES + 1):
            data = self.read(_PRIZES + str(table))
            if data is None:
                continue
            if sha256(data[32:]).digest() == data[:32]:
                self.texts[table - 1] = data[32:]
            else:
                whole = False
        return whole

    # Stored in one file with all other state

    def load(self):
        super().load()
        signing.public(self)
        if not self.load_prizes():
            raise StateLost

    def mark(self):
        return super().mark(), self.draws[:], self.chain

    def back(self, mark):
        super().back(mark[0])
        self.draws, self.chain = mark[1], mark[2]

    def _parts(self):
        parts = [self.chain, bytes((len(self.draws),))]
        parts.extend(self.draws)
        parts.extend(super()._parts())
        return parts

    def _unpack(self, data):
        self.chain = bytes(data[:_CHAIN])
        at = _CHAIN + 1
        for _ in range(data[_CHAIN]):
            self.draws.append(bytes(data[at : at + RECORD + SIGNATURE]))
            at += RECORD + SIGNATURE
        super()._unpack(data[at:])


def place_of(box, seat, attempt):
    return box | seat << 8 | attempt << 16


def parts(place):
    """Return box, seat and attempt."""
    return place & 255, place >> 8 & 255, place >> 16
