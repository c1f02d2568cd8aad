"""The message schema: the only definition of the frames on the wire.

Firmware and host import this module, and the handshake compares the two fingerprints: versions with
the same rows are compatible, even if one of them has more rows at the end of COMMANDS, EVENTS or
FAULTS. Fields are written `name:format`: the formats are those of struct, little-endian, plus `*`
for all remaining bytes. A table is one text, and a row is parsed on demand: as objects the tables
would take a fifth of a board's memory.
"""

import struct
from hashlib import sha256

from .text_table import Codes, Rows, Texts

VERSION = 2
MAX_FRAME = 256  # on the wire, both delimiters included
TAG = 16
# A hello with this instead of a schema: the session only accepts a new image (UPDATES). The format
# of these five commands never changes, so that any driver can update any device.
ANY_SCHEMA = b"\xff" * 8
# Commands, events and faults of the first schema with these rules. Rows after them may be new to
# the other side: docs/reference/wire-protocol.md, Other versions.
FIRST = (39, 16, 23)
EVENT_STORE = 24  # events stored until the host acknowledges them

# Kinds of frames. The first five are not encrypted: no session exists yet.
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

FRAMES = Rows(
    "\n1|hello|version:B table:8s nonce:16s"
    "\n2|welcome|version:B table:8s nonce:16s kind:B provisioned:B serial:8s firmware:H machine:*"
    "\n3|auth|entropy:32s public:32s proof:32s"
    "\n4|accept|public:32s proof:32s"
    "\n5|refuse|error:B a:I b:I"
    "\n6|provision|key:32s"
    "\n7|provisioned|serial:8s"
    "\n16|command|id:I op:B ack:I arguments:*"
    "\n17|reply|id:I error:B result:*"
    "\n18|event|number:I event:B fields:*"
    "\n"
)

# Kinds of devices, numbered as `welcome` gives them.
KINDS = ("shuffler", "shoe", "controller")

# Modes of a device.
MODES = ("empty", "loading", "ready", "unloading", "fault", "recovering", "laboratory")

# Commands: op -> (name, devices that support it, arguments, result). A `?` before the devices marks
# a question. A command changes something: it is numbered, and the device stores its reply. A
# question is not numbered, and its reply is not stored. `every` represents all kinds of devices,
# which saves half a kilobyte.
COMMANDS = Rows(
    "\n1|status|?every||mode:B fault:B detail:I pack:H inside:H outside:H "
    "ready:H armed:B last_event:I last_command:I boots:I"
    "\n2|counters|?every||crc:I forged:I replayed:I malformed:I free_heap:I "
    "largest_block:I cards_in:I cards_out:I"
    "\n3|acknowledge|?every||"
    "\n4|resend|?every|after:I|"
    "\n16|load|shuffler|decks:B pack:B|"
    "\n17|deal|shuffler shoe|cards:B|"
    "\n18|round|shuffler shoe|begins:B head:*|"
    "\n19|unload|shuffler shoe||"
    "\n20|recover|shuffler shoe|outside:H|"
    "\n21|disarm|shuffler shoe||"
    "\n22|witness|?shuffler shoe||count:I value:32s"
    "\n32|stack|shoe|decks:B pack:B|"
    "\n33|cut|shoe|depth:H low:H high:H|"
    "\n34|place|shuffler shoe|depth:H low:H high:H|"
    "\n35|burn|shoe|cards:B|"
    "\n36|refill|shoe|cards:H outside:H|"
    # A controller: prizes of a table, offers of its button, draws, recoveries, questions.
    "\n48|prizes|controller|table:B text:*|"
    "\n49|button|controller|table:B round:I box:B seat:B attempt:B wager:I|"
    "\n50|withdraw|controller|table:B|"
    "\n51|press|controller|table:B round:I box:B seat:B attempt:B wager:I|"
    "\n52|select|controller|table:B round:I attempt:B among:I digest:32s|"
    "\n53|resume|controller|table:B|"
    "\n54|renew|controller||"
    "\n56|signer|?controller||public:32s tables:B draws:I chain:32s"
    "\n57|panel|?controller|table:B|fault:B detail:I offered:B round:I box:B seat:B attempt:B "
    "wager:I prizes:I digest:32s shown:I drawn:I meter:I panel:I"
    "\n58|draws|?controller|place:B|kept:B draw:*"
    # Laboratory mode: enter and leave it; its output, with the number of earlier bytes of that
    # kind.
    "\n64|laboratory|every|enters:B|"
    "\n65|raw_noise|?every|size:B|at:I data:*"
    "\n66|raw_output|?every|size:B|at:I data:*"
    "\n67|scaled_draws|?every|span:I number:B|at:I data:*"
    # A new image: its manifest in pieces, the verification, the files in pieces, the switch.
    "\n80|image|?every||version:I slot:B production:B history:H key:H "
    "changed:I file:*"
    "\n81|offer|?every|at:H data:*|have:H"
    "\n82|stage|?every|cards:B signature:64s|have:I"
    "\n83|piece|?every|at:I data:*|have:I"
    "\n84|switch|?every||"
    # Attestation: begin a walk over the flash, ask for its progress and for the blocks left out;
    # erase the leftovers of the file system.
    "\n96|challenge|?every|nonce:16s|blocks:H"
    "\n97|attested|?every||progress:B walked:H digest:32s"
    "\n98|spared|?every|page:B|map:*"
    "\n99|scrub|every||"
    # The machine as a witness: a numbered command with the head of the table's journal, the two
    # chains, and the chains signed by the machine.
    "\n112|witnessed|shuffler shoe|head:32s op:B arguments:*|"
    "\n113|chains|?shuffler shoe||count:I value:32s event:I sent:32s"
    "\n114|signed|?shuffler shoe|head:32s|count:I value:32s event:I sent:32s key:32s signature:64s"
    "\n",
    " ".join(KINDS),
    3,
)
SIGNED = 114  # a question that takes as long as a signature: it waits until all motors are at rest
# repeating one has no further effect, so they are not numbered either
UPDATES = (80, 81, 82, 83, 84)


def is_question(op):
    """Return whether `op` is a question; an unknown op is not."""
    row = COMMANDS.get(op)
    return row is not None and row[1][0] == "?"


# Events of a device, in their order.
EVENTS = Rows(
    "\n1|started|boots:I cause:B"
    "\n2|loaded|cards:H"
    "\n3|card|face:B flags:B"
    "\n4|returned|cards:H"
    "\n5|unloaded|cards:H"
    "\n6|fault|fault:B detail:I faces:*"
    "\n7|recovered|inside:H outside:H"
    "\n8|cutting_card|first_of_round:B position:H"
    "\n9|burned|cards:B"
    "\n10|last_card|"
    "\n16|prize|serial:8s counter:I kind:B table:B round:I box:B seat:B attempt:B wager:I "
    "prizes:I prize:I amount:I digest:32s previous:32s signature:64s"
    "\n17|idle_press|table:B time:I shown:I"
    "\n18|readings|table:B counter:I drawn:I meter:I panel:I"
    "\n19|resumed|table:B"
    "\n20|identity|public:32s"
    "\n24|laboratory|entered:B"
    "\n"
)
# Bits of `flags` in a card event.
UNCALLED = 1  # it left although no card was called
FIRST_OF_ROUND = 2

# Kinds of draws of a controller, and the amount of a blank display.
PRIZE = 0  # out of a table's prizes, by a press
SELECTION = 1  # one of the wagers of a list: Lucky Player, Mystery Jackpot
BLANK = 0xFFFFFFFF

# Causes of a device's start.
CAUSES = ("power", "watchdog", "reset")

# Faults, from host/cutcard/faults/faults.toml by `make pages`. 0 is no fault.
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

# Refusals: the name, then the meaning of `a` and `b` if used. The host has the texts that explain
# each refusal, because the device has no room for sentences.
ERRORS = Texts(
    "\n0|ok"
    "\n1|unknown-command op"
    "\n2|malformed op"
    "\n3|wrong-mode mode"
    "\n4|in-fault fault detail"
    "\n5|bad-decks decks most"
    "\n6|bad-pack pack"
    "\n7|out-of-bounds low high"
    "\n8|not-enough-cards asked there"
    "\n9|event-store-full kept"
    "\n10|stale-command last"
    "\n11|not-clear sensor"
    "\n12|storage-full"
    "\n13|not-provisioned"
    "\n14|already-provisioned"
    "\n15|wrong-proof"
    "\n16|wrong-table version"
    "\n17|no-session frame"
    "\n18|no-cutting-card placed most"
    "\n19|old-frame counter"
    "\n20|still-armed cards"
    "\n21|too-many asked most"
    "\n22|tray-empty"
    "\n23|other-device kind"
    "\n24|no-such-table table most"
    "\n25|no-prizes table"
    "\n26|bad-prizes row"
    "\n27|no-wager table"
    "\n28|old-round round last"
    "\n29|other-wager wager first"
    "\n30|on-offer table"
    "\n31|draws-full kept"
    "\n32|nothing-to-select table"
    "\n33|laboratory-only mode"
    "\n34|image-refused reason which"
    "\n"
)
ERROR = Codes(ERRORS)
FAULT = {name: code for code, name in enumerate(FAULTS)}
EVENT_CODE = Codes(EVENTS)
OP = Codes(COMMANDS)
_DIGEST = 5  # bytes of a fingerprint after its three numbers of rows
# of COMMANDS, EVENTS and FAULTS, each for FIRST rows and for every further row
_digests: tuple = ()
_layouts: dict = {}  # of the messages packed or unpacked last
_KEPT = 4


def fields(text):
    """Return (name, format) of each field of a message."""
    return [tuple(field.split(":")) for field in text.split()]


def layout(text):
    """Return struct's format of all fields of a message, whether a `*` field follows, and the
    names.

    The result is cached, because it takes a board some milliseconds.
    """
    found = _layouts.get(text)
    if found is None:
        named = fields(text)
        form = "<" + "".join([field[1] for field in named])
        open_end = form[-1] == "*"
        names = tuple([field[0] for field in named])
        found = form[:-1] if open_end else form, open_end, names
        if len(_layouts) == _KEPT:
            _layouts.clear()
        _layouts[text] = found
    return found


def pack(text, values):
    """Return the bytes of `values` (in the fields' order); a `*` field takes its bytes
    unchanged."""
    form, open_end, _ = layout(text)
    if open_end:
        return struct.pack(form, *values[:-1]) + bytes(values[-1])
    return struct.pack(form, *values)


def unpack(text, data, at=0):
    """Return a dictionary of the fields from `at` on.

    Raises ValueError if the bytes do not fit them exactly.
    """
    found = layout(text)
    end = at + struct.calcsize(found[0])
    if len(data) < end or (len(data) > end and not found[1]):
        raise ValueError("length")
    if not text:
        return {}
    values = struct.unpack_from(found[0], data, at)
    if found[1]:
        values += (bytes(data[end:]),)
    return dict(zip(found[2], values))


# Values that every question needs are computed once, so that little garbage is left.
_COMMAND = layout(FRAMES[COMMAND][1])[0]
ARGUMENTS = 9  # offset of the arguments in the payload of a command
_REPLY = layout(FRAMES[REPLY][1])[0]
_RESULT = 5  # offset of a result in the payload of a reply


def unpack_command(payload):
    """Return (id, op, ack). Raises ValueError if the payload is too short."""
    if len(payload) < ARGUMENTS:
        raise ValueError("length")
    return struct.unpack_from(_COMMAND, payload)


def pack_reply(identity, found, values):
    """Return the payload of a successful reply with a result of that layout."""
    reply = bytearray(_RESULT + struct.calcsize(found[0]))
    struct.pack_into(_REPLY, reply, 0, identity, 0)
    if found[1]:
        reply += values[-1]
        values = values[:-1]
    struct.pack_into(found[0], reply, _RESULT, *values)
    return reply


def fingerprint():
    """Return the eight bytes of this schema that a hello and a welcome carry.

    They are the numbers of commands, events and faults, and a digest of these rows and of all parts
    that never grow.
    """
    return _fingerprint(_numbers())


def is_compatible(other):
    """Return whether a side with the fingerprint `other` and this one are compatible.

    The side with more rows compares the digest of as many rows as the other has. A side with fewer
    rows cannot compare it and leaves that to the other.
    """
    own = fingerprint()
    if all(theirs >= ours for theirs, ours in zip(other[:3], own)):
        return other[:3] != own[:3] or other == own
    return other == _fingerprint(other[:3])


def _fingerprint(numbers):
    """Return the fingerprint of a schema with only the first rows of COMMANDS, EVENTS and FAULTS.

    `numbers` are their numbers of rows. Return None if there are fewer rows, or if it lacks some of
    FIRST.
    """
    found = bytearray(_DIGEST)
    for number, own, digests in zip(numbers, _numbers(), _all_digests()):
        if not own - len(digests) < number <= own:
            return None
        for i, byte in enumerate(digests[number - own - 1]):
            found[i] ^= byte
    return bytes(numbers) + bytes(found)


def _numbers():
    return len(COMMANDS), len(EVENTS), len(FAULTS)


def _all_digests():
    """Return the digests, computed once: a host without a key may send any number of hellos."""
    global _digests
    if not _digests:
        _digests = _work_out_digests()
    return _digests


def _work_out_digests():
    digest = sha256(bytes((VERSION,)))
    # One after the other: together they would be the largest object in a board's memory.
    for table, end in (
        (FRAMES, None),
        (COMMANDS, COMMANDS.end_of(FIRST[0])),
        (EVENTS, EVENTS.end_of(FIRST[1])),
        (ERRORS, None),
    ):
        for text in (table.text[:end], table.every, "\n\n"):
            digest.update(text.encode())
    for names in (KINDS, MODES, CAUSES, FAULTS[: FIRST[2]]):
        digest.update(repr(names).encode())
    first = digest.digest()[:_DIGEST]
    return (
        _chain(first, b"command", COMMANDS.lines(COMMANDS.end_of(FIRST[0]))),
        _chain(first, b"event", EVENTS.lines(EVENTS.end_of(FIRST[1]))),
        _chain(first, b"fault", FAULTS[FIRST[2] :]),
    )


def _chain(digest, table, rows):
    """Return `digest`, and for each row a digest of the previous one and of the row."""
    digests = [digest]
    for row in rows:
        digests.append(sha256(table + digests[-1] + row.encode()).digest()[:_DIGEST])
    return digests
