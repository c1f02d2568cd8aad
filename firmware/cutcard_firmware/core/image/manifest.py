"""The manifest of a signed image: its identity, its boards, and each file's hash.

    head

links of the key history

files

(end of the manifest)

signature

the files

Host and firmware import this module, so there is one reader of the format. It refuses an image with
a number (`REASONS`), because the device has no room for sentences. The signature is over the
manifest's SHA-256, which is native, because SHA-512 of the entire manifest would take longer than
the watchdog allows.
"""

import struct
from hashlib import sha256

from .refused import Refused as Refused

MAGIC = b"CUTCARD\n"
FORMAT = 1
# magic, format, boards, flags, kind, version, MicroPython (major, minor), .mpy (version, sub),
# number of the signing key, links, files, bytes of the manifest, bytes of the files, machine
_HEAD = "<8sBBBBIBBBBHBBII24s"
HEAD = struct.calcsize(_HEAD)
SIGNATURE = 64
MOST = 8192  # bytes of a manifest: a device must fit one into memory
MODULES = "modules"  # the file of a slot that contains all its modules, one after the other
BOARDS = ("rp2", "rp2350", "bench")  # a bit each

DEVELOPMENT = 1  # flags: signed by a development key
OPEN_CONSOLE = 2

# A link of the key history: serial, action, flags, key's number, public key, number of the key that
# signs it. The first (serial 0) is the root, which is unsigned.
_LINK = "<HBBH32sH"
_BODY = struct.calcsize(_LINK)
LINK = _BODY + SIGNATURE
ADD, REVOKE = 1, 2

ALL = 1 << 29  # bytes: more than any file has

_FILE = "<IB32s"
_FILE_HEAD = struct.calcsize(_FILE)

# The reason why an image, or a file of a device, is refused; `which` is its number.
REASONS = (
    "none",
    "changed",  # number of the file
    "missing",  # number of the file
    "unnamed",  # a file not in the manifest
    "magic",
    "format",  # format of the image
    "length",  # expected bytes
    "malformed",  # first invalid byte
    "name",  # number of the file
    "unsigned",
    "signature",  # number of the key
    "board",  # boards of the image
    "micropython",  # required major and minor version, a byte each
    "version",  # version of the device
    "unknown-key",  # number of the key
    "revoked-key",  # number of the key
    "development-key",  # number of the key
    "link",  # serial of the link
    "identity",
    "starter",  # number of the file
    "console",
    "machine",
    "cards",  # cards inside
    "busy",
    "place",  # bytes already received
    "storage",
    "memory",
    "manifest",
)
REASON = {name: code for code, name in enumerate(REASONS)}


def size(data):
    """Return the size of the manifest that begins with these bytes."""
    if len(data) < HEAD or bytes(data[:8]) != MAGIC:
        raise Refused("magic")
    found = struct.unpack(_HEAD, data[:HEAD])[13]
    if not HEAD <= found <= MOST:
        raise Refused("malformed", HEAD)
    return found


class Head:
    def __init__(self, data):
        """Read the manifest, and check everything that needs no key."""
        if len(data) < HEAD:
            raise Refused("magic" if bytes(data[:8]) != MAGIC[: len(data)] else "length", HEAD)
        (
            magic,
            form,
            self.boards,
            self.flags,
            self.kind,
            self.version,
            major,
            minor,
            self.mpy,
            self.mpy_sub,
            self.key,
            self.links,
            self.files,
            self.size,
            self.payload,
            machine,
        ) = struct.unpack(_HEAD, data[:HEAD])
        if magic != MAGIC:
            raise Refused("magic")
        if form != FORMAT:
            raise Refused("format", form)
        if not HEAD <= self.size <= MOST:
            raise Refused("malformed", HEAD)
        if len(data) < self.size:
            raise Refused("length", self.size)
        self.micropython = (major, minor)
        self.machine = machine.rstrip(b"\0")
        self._check_files(data)

    def _check_files(self, data):
        total = 0
        last = (0, "")
        for number, name, size, _ in files(data, self):
            # Strictly ascending: no duplicate names, and one order only. Files of the root come
            # last.
            place = (1 if name[0] == "/" else 0, name)
            if place <= last or not _is_name(name):
                raise Refused("name", number)
            last = place
            total += size
        if total != self.payload:
            raise Refused("malformed", 32)


def packed(boards, flags, kind, version, needs, key, machine, history, entries):
    """Return the bytes of a manifest.

    `needs` has four numbers: MicroPython's version, .mpy's version; `history` the links as bytes;
    `entries` (name, size, sha256) of each file.
    """
    body = b"".join(history)
    total = 0
    for name, size, digest in sorted(entries, key=lambda entry: (entry[0][0] == "/", entry[0])):
        body += struct.pack(_FILE, size, len(name), digest) + name.encode()
        total += size
    head = struct.pack(
        _HEAD,
        MAGIC,
        FORMAT,
        boards,
        flags,
        kind,
        version,
        needs[0],
        needs[1],
        needs[2],
        needs[3],
        key,
        len(history),
        len(entries),
        HEAD + len(body),
        total,
        machine,
    )
    return head + body


def files(data, head):
    """Yield (number, name, size, sha256) of each file.

    Names are within the slot's folder; names with a slash at the beginning are in the root of the
    file system.
    """
    at = HEAD + head.links * LINK
    for number in range(head.files):
        if at + _FILE_HEAD > head.size:
            raise Refused("malformed", at)
        size, length, digest = struct.unpack(_FILE, data[at : at + _FILE_HEAD])
        at += _FILE_HEAD
        name = bytes(data[at : at + length])
        if not length or at + length > head.size:
            raise Refused("malformed", at)
        at += length
        try:
            yield number, name.decode(), size, digest
        except UnicodeError:
            raise Refused("name", number)
    if at != head.size:
        raise Refused("malformed", at)


class Place:
    """The place of an image's file: among the modules of a slot, or in the root."""

    def __init__(self, number, name, path, begin, size, digest, is_last):
        self.number = number
        self.name = name
        self.path = path
        self.begin = begin
        self.end = begin + size
        self.digest = digest
        self.is_last = is_last  # all following bytes belong to it

    def is_right(self):
        """Return whether the file is unchanged. Raises OSError if it is missing."""
        most = ALL if self.is_last else self.end - self.begin
        return sha256_of(self.path, most, self.begin) == self.digest


def places(data, head, folder):
    """Yield the place of each file: the modules in order, then the files of the root."""
    begin = 0
    before = None
    for number, name, size, digest in files(data, head):
        in_root = name[0] == "/"
        if before is not None:
            before.is_last = before.is_last or in_root
            yield before
        path = name if in_root else folder + "/" + MODULES
        before = Place(number, name, path, 0 if in_root else begin, size, digest, in_root)
        begin += size
    if before is not None:
        before.is_last = True
        yield before


def links(data, head):
    """Yield the key history, each link as bytes."""
    for number in range(head.links):
        at = HEAD + number * LINK
        if at + LINK > head.size:
            raise Refused("malformed", at)
        yield bytes(data[at : at + LINK])


def pack_link(serial, what, flags, number, public, signer):
    """Return the bytes of a link that are signed: see `link_message`."""
    return struct.pack(_LINK, serial, what, flags, number, public, signer)


def unpack_link(link):
    """Return (serial, action, flags, number, public key, signer's number, signature)."""
    return struct.unpack(_LINK + "64s", link)


def chain(before, link):
    """Return the digest of the history up to and with this link; `before` is the previous
    digest."""
    return sha256(bytes(before) + bytes(link[:_BODY])).digest()


def link_message(before, link):
    return b"cutcard key\0" + chain(before, link)


def sha256_of(path, most=ALL, start=0):
    """Return the SHA-256 of a file or of a part of it, read in pieces to save memory."""
    digest = sha256()
    buffer = memoryview(bytearray(2048))
    with open(path, "rb") as file:
        file.seek(start)
        while most:
            size = min(file.readinto(buffer), most)
            if not size:
                break
            digest.update(buffer[:size])
            most -= size
    return digest.digest()


def digest(data, head):
    """Return the digest by which a device recognises a manifest that it has verified."""
    return sha256(memoryview(data)[: head.size]).digest()


def message(data, head):
    """Return the bytes that the signature of an image covers."""
    return b"cutcard image\0" + digest(data, head)


def _is_name(name):
    """Return whether it is a valid name: a-z, 0-9, '_', '-' and '.', in at most one folder, without
    `..`."""
    parts = name.split("/")
    if name[0] == "/":
        parts = parts[1:]
        if len(parts) != 1:
            return False
    if len(parts) > 2:
        return False
    for part in parts:
        if not part or part[0] == "." or part.strip("abcdefghijklmnopqrstuvwxyz0123456789_-."):
            return False
    return len(name) <= 40
