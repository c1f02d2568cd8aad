"""The key of a table, which signs the head of its journal at each settled round.

It signs without anybody who types a passphrase, so whoever may read its file can sign too: keep it
where those who can write the journal cannot read it (`key` in the table file).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cutcard import private_files
from cutcard.journal import Record

_HEX = 64


class BadTableKeyError(Exception):
    """Raised for a file that has no table's key in it."""


class TableKey:
    """An Ed25519 key in a file that its owner alone may read."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.public = private.public_key().public_bytes_raw().hex()

    @classmethod
    def at(cls, path: Path) -> TableKey:
        """The key in this file; a new one where there is no such file. Raises BadTableKeyError."""
        if not path.exists():
            private_files.make_folder(path.parent)
            private_files.create(
                path, Ed25519PrivateKey.generate().private_bytes_raw().hex() + "\n"
            )
        if against := private_files.complaint(path, "600"):
            raise BadTableKeyError(" ".join(against))
        try:
            raw = bytes.fromhex(path.read_text("ascii").strip())
            return cls(Ed25519PrivateKey.from_private_bytes(raw))
        except (OSError, ValueError) as error:
            raise BadTableKeyError(
                f"{path}: is no key of a table ({error}). It is one line of {_HEX} hexadecimal "
                "digits; put the file back from its copy."
            ) from error

    def signed(self, settled: Record) -> dict[str, Any]:
        """The record that signs a settled round, and with it everything before it."""
        signature = self._private.sign(_message(settled.number, settled.hash))
        return {
            "of": settled.number,
            "head": settled.hash,
            "key": self.public,
            "signature": signature.hex(),
        }


def problem_of(said: Mapping[str, Any], settled: Record | None) -> str:
    """What is wrong with a signature on a journal, or nothing."""
    if settled is None or (said.get("of"), said.get("head")) != (settled.number, settled.hash):
        return "signs something else than the settled round before it"
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(str(said.get("key"))))
        signature = bytes.fromhex(str(said.get("signature")))
        public.verify(signature, _message(settled.number, settled.hash))
    except (InvalidSignature, ValueError):
        return "has a signature that does not hold"
    return ""


def _message(number: int, head: str) -> bytes:
    return f"cutcard journal\nrecord {number}\n{head}\n".encode("ascii")
