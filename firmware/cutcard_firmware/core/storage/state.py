"""Device state that survives a power cut, and its storage format.

The state is a row of numbers, the bins, and the events that the host has not acknowledged: about a
hundred bytes. `commit` rewrites the file, encrypted under a key that lasts until the next commit
(`erasable_record`). littlefs keeps a file this small inside a metadata block, and replaces its
contents atomically when the file is flushed: one program of 256 bytes, two more for the keys, and
an erase every sixteenth time. A temporary file and a rename would cost three times that; an append
was measured too and costs more erases, not fewer. The file has a folder for itself, because each
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
OUTSIDE = 8  # of them, not inside: on the table, in a hand, in the tray
SUPPLY = 9  # in the chute of a shuffler or the stack of a shoe, at least
SLACK = 10  # and at most so many more
ARMED = 11  # cards called that have not left yet
BURNING = 12  # of them, to be burned
INTENT = 13  # what was about to move when this was written
BACK_TO = 14  # mode after a recovery
UNKNOWN = 15  # 1: what the bins hold is not known
CUTS = 16  # cutting cards in the stack: two places, cards in front plus one
DEALT = 18  # cards that left since the stack was put in
ROUND = 19  # 1: the next card is the first of a round
WITNESSED = 20  # heads of a table's journal that went into the witness
CHAINED = 21  # 1: the chain of events is stored behind the witness
EXPORTED = 23  # 1: a laboratory has seen output of the source since it last started
BIN = 24

UNSURE = 128  # on a bin: its count may be off

_WITNESS = 32
_LONGEST = 5  # bytes of a number, seven bits each
_AT_ONCE = 64  # numbers that are shortened

_FILE = "/state/state"
_KEYS = "/statekeys"


class StorageFull(Exception):
    """The file system took no more; nothing that was to be written is believed."""


class StateLost(Exception):
    """There is a key but no state that can be read: what is inside is not known."""


class State:
    of_any_machine = False  # True: to look at, whatever machine it was
    chains_events = False  # True: a host can ask for a chain over all events that were sent

    def __init__(self, root, bins, flash):
        self.folder = root + "/cutcard"
        self.numbers = array("I", bytes(4 * (BIN + bins)))
        self.events = []  # payloads, the oldest first; the last one's number is LAST_EVENT
        self.witness = bytes(_WITNESS)  # see `bear_witness`
        self.sent = bytes(_WITNESS)  # SHA-256 over the value before it and the next event's payload
        self._unchained = []  # payloads that are not committed yet, so not sent and not in `sent`
        self._changed = True
        self.flash = flash
        # Its file stays open: opening it anew would take a kilobyte each time.
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
        """Take in the head of a table's journal. What was taken in is never taken back: each value
        has all heads before it in it, and there is no way to set it."""
        self.witness = sha256(self.witness + head).digest()
        self.add(WITNESSED, 1)

    def last_chained(self):
        """Return the number of the last event in `sent`."""
        return self.numbers[LAST_EVENT] - len(self._unchained)

    def acknowledge(self, number):
        """Forget events up to `number`. Not written: to tell an event again does no harm."""
        keep = self.numbers[LAST_EVENT] - number
        if 0 <= keep < len(self.events):
            self.events = self.events[len(self.events) - keep :]

    @property
    def dirty(self):
        """Whether there is something to write."""
        return self._changed

    @property
    def full(self):
        return len(self.events) >= EVENT_STORE

    def commit(self):
        """Everything since the last commit becomes durable together, or not at all."""
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
        """Where to go `back` to if what follows cannot be written."""
        return self.numbers[:], self.events[:], self.witness, self._unchained[:], self._changed

    def back(self, mark):
        self.numbers, self.events, self.witness, self._unchained, self._changed = mark

    def load(self):
        """The state as of the last commit. Raises StateLost where none can be read, or where it
        is that of a machine with other bins."""
        data = self._record.load()
        if data is None:
            raise StateLost
        try:
            self._unpack(data)
        except IndexError:
            raise StateLost

    def _parts(self):
        """What is written, one piece after the other: nobody needs room for all of it at once."""
        return [self._packed()]

    def _packed(self):
        count = len(self.numbers)
        out = bytearray(struct.pack("<H", count))
        some = bytearray(_LONGEST * _AT_ONCE)
        for first in range(0, count, _AT_ONCE):
            size = shorten(self.numbers, first, min(first + _AT_ONCE, count), some)
            out.extend(memoryview(some)[:size])
        if self.numbers[WITNESSED]:  # nobody pays for it in flash who keeps no journal
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

    # Small files beside the state, for contents that seldom change

    def read(self, name):
        """Contents of a small file, or None."""
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
    """The seed that a random source carries across power cycles. It is forgotten like a state:
    who knew it, and the noise of that start, would know what was drawn after it."""

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
