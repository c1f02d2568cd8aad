"""The table of messages: the one place that says what may cross the wire.

Firmware and host import this module, and the handshake compares its `fingerprint`,
so the two can never disagree about a field. Fields are written `name:format`: the formats
are those of struct, little-endian, plus `*` for "all bytes that are left". They are texts
because a text takes a tenth of the memory that nested tuples do.
"""

import struct
import sys
from binascii import hexlify
from hashlib import sha256

VERSION = 1
MAX_FRAME = 256  # on the wire, both delimiters included
TAG = 16
EVENT_STORE = 24  # events kept until the host acknowledges them

# Kinds of frames. The first five cross in the clear: no session exists yet.
HELLO = 0x01
WELCOME = 0x02
AUTH = 0x03
ACCEPT = 0x04
REFUSE = 0x05
PROVISION = 0x06
PROVISIONED = 0x07
COMMAND = 0x10
REPLY = 0x11
EVENT = 0x12

FRAMES = {
    HELLO: ("hello", "version:B table:8s nonce:16s"),
    WELCOME: (
        "welcome",
        "version:B table:8s nonce:16s kind:B provisioned:B serial:8s firmware:H machine:*",
    ),
    AUTH: ("auth", "entropy:32s proof:32s"),
    ACCEPT: ("accept", "proof:32s"),
    REFUSE: ("refuse", "error:B a:I b:I"),
    PROVISION: ("provision", "key:32s"),
    PROVISIONED: ("provisioned", "serial:8s"),
    COMMAND: ("command", "id:I op:B ack:I arguments:*"),
    REPLY: ("reply", "id:I error:B result:*"),
    EVENT: ("event", "number:I event:B fields:*"),
}

# Kinds of devices, numbered as `welcome` gives them.
KINDS = ("shuffler", "shoe", "controller")

# Modes of a device.
MODES = ("empty", "loading", "ready", "unloading", "fault", "recovering", "laboratory")

_ALL = "shuffler shoe controller"  # a text that is written twice is kept twice
_CARDS = "shuffler shoe"

# Commands: op -> (name, devices that know it, arguments, result). A command that
# changes something is numbered and its reply kept; a question (QUESTIONS) is neither.
COMMANDS = {
    1: (
        "status",
        _ALL,
        "",
        "mode:B fault:B detail:I pack:H inside:H outside:H ready:H armed:B "
        "last_event:I last_command:I boots:I",
    ),
    2: (
        "counters",
        _ALL,
        "",
        "crc:I forged:I replayed:I malformed:I free_heap:I largest_block:I cards_in:I cards_out:I",
    ),
    3: ("acknowledge", _ALL, "", ""),
    4: ("resend", _ALL, "after:I", ""),
    16: ("load", "shuffler", "decks:B pack:B", ""),
    17: ("deal", _CARDS, "cards:B", ""),
    18: ("round", _CARDS, "begins:B", ""),
    19: ("unload", _CARDS, "", ""),
    20: ("recover", _CARDS, "outside:H", ""),
    21: ("disarm", _CARDS, "", ""),
    32: ("stack", "shoe", "decks:B pack:B", ""),
    33: ("cut", "shoe", "depth:H low:H high:H", ""),
    34: ("place", _CARDS, "depth:H low:H high:H", ""),
    35: ("burn", "shoe", "cards:B", ""),
    48: ("prizes", "controller", "table:B text:*", ""),
    49: ("button", "controller", "table:B round:I box:B seat:B attempt:B wager:I", ""),
    50: ("withdraw", "controller", "table:B", ""),
    51: ("press", "controller", "table:B round:I box:B seat:B attempt:B wager:I", ""),
    52: ("select", "controller", "table:B round:I attempt:B among:I digest:32s", ""),
    53: ("resume", "controller", "table:B", ""),
    54: ("renew", "controller", "", ""),
    56: ("identity", "controller", "", "public:32s tables:B draws:I chain:32s"),
    57: (
        "panel",
        "controller",
        "table:B",
        "fault:B detail:I offered:B round:I box:B seat:B attempt:B wager:I prizes:I digest:32s "
        "shown:I drawn:I meter:I panel:I",
    ),
    58: ("draws", "controller", "place:B", "kept:B draw:*"),
    # Laboratory mode: in and out of it; what it gives, with the bytes of that kind before it.
    64: ("laboratory", _ALL, "enters:B", ""),
    65: ("raw_noise", _ALL, "size:B", "at:I data:*"),
    66: ("raw_output", _ALL, "size:B", "at:I data:*"),
    67: ("scaled_draws", _ALL, "span:I number:B", "at:I data:*"),
    # A new image: its manifest in pieces, the check, the files in pieces, the switch.
    80: ("image", _ALL, "", "version:I slot:B production:B history:H key:H changed:I file:*"),
    81: ("offer", _ALL, "at:H data:*", "have:H"),
    82: ("stage", _ALL, "cards:B signature:64s", "have:I"),
    83: ("piece", _ALL, "at:I data:*", "have:I"),
    84: ("switch", _ALL, "", ""),
    # Attestation: begin a walk over the flash, ask how far it is, and which blocks it left out;
    # erase what the file system has left behind.
    96: ("challenge", _ALL, "nonce:16s", "blocks:H"),
    97: ("attested", _ALL, "", "progress:B walked:H digest:32s"),
    98: ("spared", _ALL, "page:B", "map:*"),
    99: ("scrub", _ALL, "", ""),
}
UPDATES = (80, 81, 82, 83, 84)  # said twice they do what they do once, so not numbered either
QUESTIONS = (1, 2, 3, 4, 56, 57, 58, 65, 66, 67, 80, 81, 82, 83, 84, 96, 97, 98)

# What a device tells of its own accord, in the order it happened.
EVENTS = {
    1: ("started", "boots:I cause:B"),
    2: ("loaded", "cards:H"),
    3: ("card", "face:B flags:B"),
    4: ("returned", "cards:H"),
    5: ("unloaded", "cards:H"),
    6: ("fault", "fault:B detail:I faces:*"),
    7: ("recovered", "inside:H outside:H"),
    8: ("cutting_card", "first_of_round:B position:H"),
    9: ("burned", "cards:B"),
    10: ("last_card", ""),
    16: (
        "prize",
        "serial:8s counter:I kind:B table:B round:I box:B seat:B attempt:B wager:I prizes:I "
        "prize:I amount:I digest:32s previous:32s signature:64s",
    ),
    17: ("idle_press", "table:B time:I shown:I"),
    18: ("readings", "table:B counter:I drawn:I meter:I panel:I"),
    19: ("resumed", "table:B"),
    20: ("identity", "public:32s"),
    24: ("laboratory", "entered:B"),
}
# Bits of `flags` in a card event.
UNCALLED = 1  # it left although nobody had asked for a card
FIRST_OF_ROUND = 2

# Kinds of draws of a controller, and the amount that a display without one shows.
PRIZE = 0  # out of a table's prizes, by a press
SELECTION = 1  # one of the wagers of a list: Lucky Player, Mystery Jackpot
BLANK = 0xFFFFFFFF

# Why a device started.
CAUSES = ("power", "watchdog", "reset")

# Faults, in the order of docs/faults.md. 0 is no fault.
FAULTS = (
    "none",
    "jam-on-entry",
    "jam-on-exit",
    "double-feed",
    "bin-stuck",
    "empty-bin",
    "count-mismatch",
    "extra-card",
    "missing-card",
    "unreadable-card",
    "face-up-card",
    "simultaneous-draw",
    "cutting-card-missing",
    "door-open",
    "motor-stall",
    "sensor-stuck",
    "random-source",
    "state-lost",
    "power-lost",
    "watchdog",
    "display-failed",
    "button-stuck",
    "image-changed",
)

# Refusals: the name, then what `a` and `b` are where there is such a number. What each
# means and what to do about it is told by the host, which has room for sentences.
ERRORS = (
    "ok",
    "unknown-command op",
    "malformed op",
    "wrong-mode mode",
    "in-fault fault detail",
    "bad-decks decks most",
    "bad-pack pack",
    "out-of-bounds low high",
    "not-enough-cards asked there",
    "event-store-full kept",
    "stale-command last",
    "not-clear sensor",
    "storage-full",
    "not-provisioned",
    "already-provisioned",
    "wrong-proof",
    "wrong-table version",
    "no-session",
    "no-cutting-card placed most",
    "old-frame counter",
    "still-armed cards",
    "too-many asked most",
    "tray-empty",
    "other-device kind",
    "no-such-table table most",
    "no-prizes table",
    "bad-prizes row",
    "no-wager table",
    "old-round round last",
    "other-wager wager first",
    "on-offer table",
    "draws-full kept",
    "nothing-to-select table",
    "laboratory-only mode",
    "image-refused reason which",
)
ERROR = {row.split()[0]: code for code, row in enumerate(ERRORS)}
FAULT = {name: code for code, name in enumerate(FAULTS)}
EVENT_CODE = {row[0]: code for code, row in EVENTS.items()}
if sys.implementation.name != "micropython":
    OP = {row[0]: code for code, row in COMMANDS.items()}  # a device never asks


def fields(text):
    """(name, format) of each field of a message."""
    return [tuple(field.split(":")) for field in text.split()]


def pack(text, values):
    """Bytes of `values` (in the fields' order); a `*` field takes its bytes as they are."""
    out = b""
    for (_, form), value in zip(fields(text), values):
        out += bytes(value) if form == "*" else struct.pack("<" + form, value)
    return out


def unpack(text, data):
    """Dictionary of the fields. Raises ValueError where the bytes do not fit them exactly."""
    found = {}
    at = 0
    for name, form in fields(text):
        if form == "*":
            found[name] = bytes(data[at:])
            at = len(data)
            continue
        end = at + struct.calcsize("<" + form)
        if end > len(data):
            raise ValueError(name)
        found[name] = struct.unpack("<" + form, data[at:end])[0]
        at = end
    if at != len(data):
        raise ValueError("length")
    return found


def fingerprint():
    """Eight bytes that change whenever anything above does."""
    digest = sha256()
    for table in (FRAMES, COMMANDS, EVENTS):
        for code in sorted(table):
            digest.update(repr((code, table[code])).encode())
    # Row by row: the text of all of them would be the largest thing in a board's memory.
    for row in ((VERSION,), KINDS, MODES, QUESTIONS, CAUSES, FAULTS, ERRORS):
        digest.update(b"|")
        for each in row:
            digest.update(repr(each).encode())
    return digest.digest()[:8]


def fingerprint_text():
    return hexlify(fingerprint()).decode()
