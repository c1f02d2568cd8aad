"""The key of a table, which signs every record of its journal.

It has no passphrase, so every program that can read its file can sign. Keep it in a folder that
programs with write access to the journal cannot read (`key` in the table file).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cutcard import private_files, untrusted

_HEX = 64


class BadTableKeyError(Exception):
    """Raised for a file that does not hold the key of a table."""


class TableKey:
    """An Ed25519 key in a file that only its owner may read."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()

    @classmethod
    def at(cls, path: Path) -> TableKey:
        """Return the key in this file; make a new one if it is missing. Raises BadTableKeyError."""
        if path.exists():
            return cls.load(path)
        private_files.make_folder(path.parent)
        key = cls.generate()
        key.store(path)
        return key

    @classmethod
    def generate(cls) -> TableKey:
        """Make a new key that is not stored yet."""
        return cls(Ed25519PrivateKey.generate())

    def store(self, path: Path) -> None:
        """Write the key to a new file. Raises FileExistsError if the file exists."""
        private_files.create(path, self._private.private_bytes_raw().hex() + "\n")

    @classmethod
    def load(cls, path: Path) -> TableKey:
        """Return the key in this file. Raises BadTableKeyError."""
        try:
            if against := private_files.complaint(path, "600"):
                raise BadTableKeyError(" ".join(against))
            raw = bytes.fromhex(path.read_text("ascii").strip())
            return cls(Ed25519PrivateKey.from_private_bytes(raw))
        except (OSError, ValueError) as error:
            raise BadTableKeyError(
                f"{path}: does not hold the key of a table ({untrusted.why_unreadable(error)}). "
                f"The key is one line of {_HEX} hexadecimal digits; restore the file from its copy."
            ) from error

    def sign(self, message: bytes) -> str:
        """Return the signature of a message, in hexadecimal digits."""
        return self.signature(message).hex()

    def signature(self, message: bytes) -> bytes:
        """Return the signature of a message."""
        return self._private.sign(message)


@lru_cache(maxsize=16)
def _public_key(public: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))


def is_signed(public: str, message: bytes, signature: str) -> bool:
    """Return whether the key with this public half made this signature."""
    try:
        _public_key(public).verify(bytes.fromhex(signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True
