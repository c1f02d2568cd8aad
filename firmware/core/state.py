"""What a device must still know after a power cut, and how it is written down.

The state is a row of numbers, the events that the host has not acknowledged, and the
last reply. Each change goes into a batch; `commit` appends the batch to a small log in
one write. When the log is long enough a snapshot replaces it. A small file lies inside
littlefs' metadata, so an append costs one program of 256 bytes and an erase about every
thirteenth time, where a file written anew for each card would cost an erase a card.
"""

import os
import struct
from array import array
from binascii import crc32

from .messages import EVENT_STORE

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
BIN = 24

UNSURE = 128  # on a bin: its count may be off

_EVENT = 0x7E  # entries of a batch that are not numbers
_REPLY = 0x7F
_LOG_FULL = 180  # a longer one would need a second program for each append


class StorageFull(Exception):
    """The file system took no more; nothing that was to be written is believed."""


class StateLost(Exception):
    """There is a key but no state that can be read: what is inside is not known."""


def _number(value):
    """Seven bits a byte, least first: most numbers here take one."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return out


class State:
    def __init__(self, root, bins):
        self.folder = root + "/cutcard"
        self.numbers = array("I", bytes(4 * (BIN + bins)))
        self.events = []  # payloads, the oldest first; the last one's number is LAST_EVENT
        self.reply = b""
        self._batch = bytearray()
        self._log = None
        self._logged = 0
        self._generation = 0
        if "cutcard" not in os.listdir(root or "/"):
            os.mkdir(self.folder)

    def get(self, place):
        return self.numbers[place]

    def set(self, place, value):
        if self.numbers[place] != value:
            self.numbers[place] = value
            self._batch.extend(_number(place if place < _EVENT else place + 2))
            self._batch.extend(_number(value))

    def add(self, place, change):
        self.set(place, self.numbers[place] + change)

    def add_event(self, payload):
        self.events.append(payload)
        self.numbers[LAST_EVENT] += 1
        self._note(_EVENT, payload)

    def set_reply(self, payload):
        self.reply = payload
        self._note(_REPLY, payload)

    def acknowledge(self, number):
        """Forget events up to `number`. Not written: to tell an event again does no harm."""
        keep = self.numbers[LAST_EVENT] - number
        if 0 <= keep < len(self.events):
            self.events = self.events[len(self.events) - keep :]

    @property
    def full(self):
        return len(self.events) >= EVENT_STORE

    def commit(self):
        """Everything since the last commit becomes durable together, or not at all."""
        if not self._batch:
            return
        entry = self._sealed(self._batch)
        try:
            if self._log is None or self._logged + len(entry) > _LOG_FULL:
                self._snapshot()
            else:
                self._log.write(entry)
                self._log.flush()
                self._logged += len(entry)
        except OSError as error:
            self._log = None  # its end may be torn: the next commit writes a snapshot
            raise StorageFull(str(error))
        self._batch = bytearray()

    def mark(self):
        """Where to go `back` to if what follows cannot be written."""
        return array("I", self.numbers), self.events[:], self.reply, self._batch[:]

    def back(self, mark):
        self.numbers, self.events, self.reply, self._batch = mark

    def load(self):
        """The state as of the last commit. Raises StateLost where none can be read."""
        data = self.read("state")
        if data is None or len(data) < 8:
            raise StateLost
        try:
            self._generation = struct.unpack("<I", data[:4])[0]
            self._replay(data[4:], True)
        except (ValueError, IndexError):
            raise StateLost
        data = self.read("log")
        if data is not None and data[:4] == struct.pack("<I", self._generation):
            self._replay(data[4:], False)
        # The next commit writes a snapshot: a log that was cut short is never appended to.
        self._log = None

    def read(self, name):
        """Contents of a small file, or None."""
        try:
            with open(self.folder + "/" + name, "rb") as file:
                return file.read()
        except OSError:
            return None

    def write(self, name, data):
        """Replace a small file: the old contents or the new survive a cut, never neither."""
        path = self.folder + "/" + name
        try:
            with open(path + ".new", "wb") as file:
                file.write(data)
            os.rename(path + ".new", path)
        except OSError as error:
            raise StorageFull(str(error))

    def _note(self, kind, payload):
        self._batch.append(kind)
        self._batch.append(len(payload))
        self._batch.extend(payload)

    def _sealed(self, batch):
        return struct.pack("<H", len(batch)) + batch + struct.pack("<H", crc32(batch) & 0xFFFF)

    def _snapshot(self):
        if self._log is not None:
            self._log.close()
            self._log = None
        whole = bytearray()
        for place, value in enumerate(self.numbers):
            if value:
                whole.extend(_number(place if place < _EVENT else place + 2))
                whole.extend(_number(value))
        self._batch = whole
        self._note(_REPLY, self.reply)
        for payload in self.events:
            self._note(_EVENT, payload)
        self._generation += 1
        head = struct.pack("<I", self._generation)
        self.write("state", head + self._sealed(self._batch))
        # Until here the old log still belongs to the old snapshot, from here it is ignored.
        self._log = open(self.folder + "/log", "wb")  # noqa: SIM115
        self._log.write(head)
        self._log.flush()
        self._logged = 4

    def _replay(self, data, must_be_whole):
        at = 0
        while at + 4 <= len(data):
            size = struct.unpack("<H", data[at : at + 2])[0]
            batch = data[at + 2 : at + 2 + size]
            if data[at + 2 + size : at + 4 + size] != struct.pack("<H", crc32(batch) & 0xFFFF):
                break
            self._apply(batch, must_be_whole)
            at += 4 + size
        if must_be_whole and (at == 0 or at != len(data)):
            raise ValueError("state")

    def _apply(self, batch, whole):
        at = 0
        while at < len(batch):
            kind = batch[at]
            if kind in (_EVENT, _REPLY):
                payload = bytes(batch[at + 2 : at + 2 + batch[at + 1]])
                at += 2 + batch[at + 1]
                if kind == _REPLY:
                    self.reply = payload
                    continue
                self.events.append(payload)
                if not whole:  # a snapshot's LAST_EVENT counts its events already
                    self.numbers[LAST_EVENT] += 1
                continue
            place, at = _read_number(batch, at)
            value, at = _read_number(batch, at)
            self.numbers[place if place < _EVENT else place - 2] = value


def _read_number(data, at):
    value = 0
    shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


class Seed:
    """The seed that a random source carries across power cycles, as a file."""

    def __init__(self, state):
        self.state = state

    def read(self):
        return self.state.read("seed")

    def write(self, seed):
        self.state.write("seed", seed)
