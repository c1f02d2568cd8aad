"""Signed checkpoints of a tree (C2SP tlog-checkpoint, signed-note) and their cosignatures.

A checkpoint is a text of three lines: the origin, the number of leaves and the root. The owner of
the tree signs it. A witness adds a cosignature with the time (C2SP tlog-cosignature, Ed25519).
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard.transparency.merkle import HASH

MOST_BYTES = 16 * 1024  # maximum size of a note with all its signatures
_DASH = "— "
_SIGNS, _COSIGNS = 1, 4  # key algorithms: Ed25519, and cosignature with Ed25519
_ID = 4  # bytes of a key's identifier
_TIME = 8
_SIGNATURE = 64

Sign = Callable[[bytes], bytes]


class BadCheckpointError(ValueError):
    """Raised if a text is not a signed checkpoint, or if a key is malformed."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The name and public key of an owner (signs checkpoints) or of a witness (cosigns)."""

    name: str
    public: bytes
    cosigns: bool = False

    @property
    def identifier(self) -> bytes:
        algorithm = _COSIGNS if self.cosigns else _SIGNS
        return sha256(f"{self.name}\n".encode() + bytes((algorithm,)) + self.public).digest()[:_ID]

    def __str__(self) -> str:
        algorithm = _COSIGNS if self.cosigns else _SIGNS
        material = b64encode(bytes((algorithm,)) + self.public).decode()
        return f"{self.name}+{self.identifier.hex()}+{material}"

    @classmethod
    def parse(cls, text: str) -> VerifierKey:
        """Parse a line NAME+ID+BASE64. Raises BadCheckpointError if it is malformed."""
        name, _, rest = text.strip().partition("+")
        identifier, _, material = rest.partition("+")
        raw = _base64(material)
        if not is_name(name) or len(raw) != 1 + HASH or raw[0] not in (_SIGNS, _COSIGNS):
            raise BadCheckpointError(f"{text[:80]!r} is not a key in the form NAME+ID+BASE64")
        key = cls(name, raw[1:], raw[0] == _COSIGNS)
        if key.identifier.hex() != identifier:
            raise BadCheckpointError(f"{text[:80]!r}: the identifier is not that of the key")
        return key

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The root of a tree of `size` leaves; `origin` names the tree."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """Return the text to sign."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"


@dataclass(frozen=True, slots=True)
class Signed:
    """A checkpoint, its signed text, and its signatures: name, identifier and value."""

    checkpoint: Checkpoint
    text: str
    signatures: tuple[tuple[str, bytes, bytes], ...]

    def is_signed_by(self, key: VerifierKey) -> bool:
        """Return whether the checkpoint has a valid owner's signature by `key`."""
        return any(
            name == key.name and key.identifier == of and key.has_signed(self.text.encode(), value)
            for name, of, value in self.signatures
        )

    def cosignature(self, key: VerifierKey) -> Cosignature | None:
        """Return the valid cosignature of the witness with this key; None without one."""
        for name, of, value in self.signatures:
            if name != key.name or of != key.identifier or len(value) != _TIME + _SIGNATURE:
                continue
            time = int.from_bytes(value[:_TIME], "big")
            if key.has_signed(_cosigned_message(self.text, time), value[_TIME:]):
                return Cosignature(name, time)
        return None


@dataclass(frozen=True, slots=True)
class Cosignature:
    """The name of a witness, and the time of its cosignature in seconds since 1970."""

    witness: str
    time: int


def is_name(name: str) -> bool:
    """Return whether a key can have this name: printable, without spaces and plus signs."""
    return bool(name) and name.isprintable() and not any(c.isspace() or c == "+" for c in name)


def signed_note(checkpoint: Checkpoint, key: VerifierKey, sign: Sign) -> str:
    """Return a checkpoint with the signature of its owner."""
    text = checkpoint.text
    return f"{text}\n{_line(key, sign(text.encode()))}"


def cosigned(signed: Signed, key: VerifierKey, time: int, sign: Sign) -> str:
    """Return the line with the cosignature of a witness."""
    value = sign(_cosigned_message(signed.text, time))
    return _line(key, time.to_bytes(_TIME, "big") + value)


def cosignature_of(note: str, lines: str, key: VerifierKey | None) -> str:
    """Return the line with a valid cosignature by `key` from the `lines` of an answer.

    Without a key, return the first line; its signature is not verified. Raises BadCheckpointError
    if there is no such line, or if a line is malformed.
    """
    both = parsed(note + lines)
    own = len(parsed(note).signatures)
    for at, line in enumerate(lines.splitlines(keepends=True)):
        name, identifier, _ = both.signatures[own + at]
        if key is None or (
            (name, identifier) == (key.name, key.identifier) and both.cosignature(key) is not None
        ):
            return line
    raise BadCheckpointError("the answer has no valid cosignature of the witness")


def parsed(note: str) -> Signed:
    """Parse a note without verifying its signatures. Raises BadCheckpointError if malformed."""
    text, found, below = note.rpartition("\n\n")
    lines = text.split("\n")
    if not found or len(note) > MOST_BYTES or len(lines) < 3 or not below.endswith("\n"):
        raise BadCheckpointError("is not a signed checkpoint")
    origin, size, root = lines[:3]
    if not origin or not (size.isascii() and size.isdigit()) or str(int(size[:19])) != size:
        raise BadCheckpointError("has no origin, or no whole number of leaves")
    raw = _base64(root)
    if len(raw) != HASH:
        raise BadCheckpointError("has no root of 32 bytes")
    checkpoint = Checkpoint(origin, int(size), raw)
    signatures = tuple(_signature(line) for line in below[:-1].split("\n"))
    return Signed(checkpoint, f"{text}\n", signatures)


def _signature(line: str) -> tuple[str, bytes, bytes]:
    name, _, value = line.removeprefix(_DASH).partition(" ")
    raw = _base64(value)
    if not line.startswith(_DASH) or not is_name(name) or len(raw) <= _ID:
        raise BadCheckpointError("has a line that is not a signature")
    return name, raw[:_ID], raw[_ID:]


def _line(key: VerifierKey, value: bytes) -> str:
    return f"{_DASH}{key.name} {b64encode(key.identifier + value).decode()}\n"


def _cosigned_message(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def _base64(text: str) -> bytes:
    try:
        raw = b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return b""
    return raw if b64encode(raw).decode() == text else b""
