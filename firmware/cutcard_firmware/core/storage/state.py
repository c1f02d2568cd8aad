"""Device state that survives a power cut, and its storage format.

The state is a row of numbers, the bins, and the events that the host has not acknowledged: about a
hundred bytes. `commit` rewrites the file, encrypted with a key that lasts until the next commit
(`erasable_record`). littlefs stores such a small file inside a metadata block, and replaces its
contents atomically when the file is flushed: one program of 256 bytes, two more for the keys, and
an erase every sixteenth time. A temporary file and a rename would cost three times that; an append
was measured too and costs more erases, not fewer. The file has a separate folder, because each
erase copies the other files of its folder.
"""

import os
import struct
from array import array
from hashlib import sha256

from .erasable_record import Forgetful
from ..byte_ops import shorten
from ..schema.messages import EVENT_STORE

# The numbers, by place. Bins follow from BIN on: cards inside, plus UNSURE.
BOOTS = 0
LAST_COMMAND = 1
LAST_EVENT = 2
MODE = 3
FAULT = 4
DETAIL = 5
PACK = 6  # cards that belong to the machine: decks times cards a deck
DECK = 7  # 52 or 48
OUTSIDE = 8  # of the pack, not inside: on the table, in a hand, in the tray
SUPPLY = 9  # in the chute of a shuffler or the stack of a shoe, at least
SLACK = 10  # and at most this many more
ARMED = 11  # cards called that have not left yet
BURNING = 12  # of these, to be burned
INTENT = 13  # the action about to begin at the time of this record
BACK_TO = 14  # mode after a recovery
UNKNOWN = 15  # 1: the content of the bins is unknown
CUTS = 16  # cutting cards in the stack: two places, cards in front plus one
DEALT = 18  # cards that left since the stack was put in
ROUND = 19  # 1: the next card is the first of a round
WITNESSED = 20  # heads of a table's journal in the witness
CHAINED = 21  # 1: the chain of events is stored after the witness
EXPORTED = 23  # 1: a laboratory has seen output of the source since its last start
BIN = 24

UNSURE = 128  # on a bin: its count may be wrong

_WITNESS = 32
_LONGEST = 5  # bytes of a number, seven bits each
_AT_ONCE = 64  # numbers encoded in one call

_FILE = "/state/state"
_KEYS = "/statekeys"


class StorageFull(Exception):
    """The file system is full; data of the failed write is not used."""


class StateLost(Exception):
    """There is a key but no readable state: the number of cards inside is unknown."""


class State:
    of_any_machine = False  # True: accept the state of any machine, for inspection
    chains_events = False  # True: a host can ask for a chain over all events that were sent

    def __init__(self, root, bins, flash):
        self.folder = root + "/cutcard"
        self.numbers = array("I", bytes(4 * (BIN + bins)))
        self.events = []  # payloads, the oldest first; the last one's number is LAST_EVENT
        self.witness = bytes(_WITNESS)  # see `bear_witness`
        self.sent = bytes(_WITNESS)  # SHA-256 over the previous value and the next event's payload
        self._unchained = []  # payloads not committed yet, so not sent and not in `sent`
        self._changed = True
        self.flash = flash
        # Its file stays open: opening it again would take a kilobyte each time.
        self._record = Forgetful(self.folder + _FILE, self.folder + _KEYS, flash)
        if "cutcard" not in os.listdir(root or "/"):
            os.mkdir(self.folder)
        if "state" not in os.listdir(self.folder):
            os.mkdir(self.folder + "/state")

    def get(self, place):
        return self.numbers[place]

    def set(self, place, value):
        if self.numbers[place] != value:
            self.numbers[place] = value
            self._changed = True

    def add(self, place, change):
        self.set(place, self.numbers[place] + change)

    def add_event(self, payload):
        self.events.append(payload)
        self.add(LAST_EVENT, 1)
        if self.chains_events:
            self.set(CHAINED, 1)
            self._unchained.append(payload)

    def bear_witness(self, head):
        """Take in the head of a table's journal. It can never be removed: each value includes all
        earlier heads, and cannot be set."""
        self.witness = sha256(self.witness + head).digest()
        self.add(WITNESSED, 1)

    def last_chained(self):
        """Return the number of the last event in `sent`."""
        return self.numbers[LAST_EVENT] - len(self._unchained)

    def acknowledge(self, number):
        """Forget events up to `number`. This is not committed, because sending an event again is
        harmless."""
        keep = self.numbers[LAST_EVENT] - number
        if 0 <= keep < len(self.events):
            self.events = self.events[len(self.events) - keep :]

    @property
    def dirty(self):
        """Return whether there are uncommitted changes."""
        return self._changed

    @property
    def full(self):
        return len(self.events) >= EVENT_STORE

    def commit(self):
        """Make all changes since the last commit durable together, or none of them."""
        if not self._changed:
            return
        before = self.sent
        for payload in self._unchained:
            self.sent = sha256(self.sent + payload).digest()
        try:
            _store(self._record, self._parts())
        except StorageFull:
            self.sent = before
            raise
        self._unchained = []
        self._changed = False

    def mark(self):
        """Return a mark for `back`, which undoes the following changes if they cannot be
        written."""
        return self.numbers[:], self.events[:], self.witness, self._unchained[:], self._changed

    def back(self, mark):
        self.numbers, self.events, self.witness, self._unchained, self._changed = mark

    def load(self):
        """Load the state of the last commit.

        Raises StateLost if it cannot be read, or belongs to a machine with other bins.
        """
        data = self._record.load()
        if data is None:
            raise StateLost
        try:
            self._unpack(data)
        except IndexError:
            raise StateLost

    def _parts(self):
        """Yield the record piece by piece, to save memory."""
        return [self._packed()]

    def _packed(self):
        count = len(self.numbers)
        out = bytearray(struct.pack("<H", count))
        some = bytearray(_LONGEST * _AT_ONCE)
        for first in range(0, count, _AT_ONCE):
            size = shorten(self.numbers, first, min(first + _AT_ONCE, count), some)
            out.extend(memoryview(some)[:size])
        if self.numbers[WITNESSED]:  # without a journal, no flash is used for it
            out.extend(self.witness)
        if self.numbers[CHAINED]:
            out.extend(self.sent)
        for payload in self.events:
            out.append(len(payload))
            out.extend(payload)
        return out

    def _unpack(self, data):
        count = data[0] | data[1] << 8
        if self.of_any_machine:
            self.numbers = array("I", bytes(4 * count))
        if len(self.numbers) != count:
            raise StateLost
        at = 2
        for place in range(count):
            value = shift = 0
            while data[at] > 127:
                value |= (data[at] & 127) << shift
                shift += 7
                at += 1
            self.numbers[place] = value | data[at] << shift
            at += 1
        if self.numbers[WITNESSED]:
            self.witness = bytes(data[at : at + _WITNESS])
            at += _WITNESS
        if self.numbers[CHAINED]:
            self.sent = bytes(data[at : at + _WITNESS])
            at += _WITNESS
        while at < len(data):
            end = at + 1 + data[at]
            self.events.append(bytes(data[at + 1 : end]))
            at = end

    # Small files in addition to the state, for contents that seldom change

    def read(self, name):
        """Return the contents of a small file, or None."""
        try:
            with open(self.folder + name, "rb") as file:
                return file.read()
        except OSError:
            return None

    def write(self, name, data):
        """Replace a small file atomically."""
        path = self.folder + name
        try:
            with open(path + ".new", "wb") as file:
                file.write(data)
            os.rename(path + ".new", path)
        except OSError as error:
            raise StorageFull(str(error))


class Seed:
    """The seed that a random source carries across power cycles.

    It is destroyed like a state: with it and the noise of that start, later draws could be
    computed.
    """

    def __init__(self, state):
        self._record = Forgetful(state.folder + "/seed", state.folder + "/seedkeys", state.flash)

    def read(self):
        return self._record.load()

    def write(self, seed):
        _store(self._record, [seed])
        self._record.close()


def _store(record, parts):
    try:
        record.store(parts)
    except OSError as error:
        raise StorageFull(str(error))
