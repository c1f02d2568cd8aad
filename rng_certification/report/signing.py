"""Signs a report: Ed25519 over the canonical bytes of everything that it says.

The signature covers who signed as well. It says nothing to a reader who takes the public key
from the report itself: whoever changes a report can sign it anew with a key of his own. So
`verify` takes the key that the reader trusts from elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cutcard import untrusted
from cutcard.keys import KeyStore, NoSuchKey, PublicKey
from rng_certification.campaign.plan import canonical

ALGORITHM = "Ed25519"
PURPOSE = "report"
MOST_BYTES = 16 * untrusted.KIBIBYTE  # of a public key
# Bytes of another kind can never be taken for a report's.
_DOMAIN = b"cutcard certification report 1\n"


class BadPublicKey(Exception):
    """The file holds no public key."""


@dataclass(frozen=True)
class Signer:
    """A key that was opened to sign a report."""

    public: PublicKey
    private: Ed25519PrivateKey

    @property
    def described(self) -> dict[str, Any]:
        return describe(self.public)


def describe(key: PublicKey) -> dict[str, Any]:
    return {
        "name": key.name,
        "number": key.number,
        "development": key.development,
        "public": key.raw.hex(),
    }


def open_signer(name: str, passphrase: str) -> Signer:
    """The key of this name. Raises a SigningKeyError that says what to do."""
    store = KeyStore()
    public = store.public(name)
    if public.purpose != PURPOSE:
        raise NoSuchKey(
            f"the key {name!r} is for signing an {public.purpose}, not a report.",
            f"`cutcard keys make NAME --purpose {PURPOSE}` makes one that is.",
        )
    return Signer(public, store.open(name, passphrase))


def signed(report: dict[str, Any], signer: Signer | None) -> dict[str, Any]:
    """The report with its signature block; without a signer the block is empty."""
    if signer is None:
        return {**report, "signature": None}
    block = {"algorithm": ALGORITHM, "key": signer.described}
    value = signer.private.sign(_bytes({**report, "signature": block}))
    return {**report, "signature": {**block, "value": value.hex()}}


def holds(report: dict[str, Any], public: bytes) -> bool:
    """Whether this key signed exactly these bytes."""
    block = report["signature"]
    unsigned = {**report, "signature": {k: v for k, v in block.items() if k != "value"}}
    try:
        value = bytes.fromhex(block["value"])
        Ed25519PublicKey.from_public_bytes(public).verify(value, _bytes(unsigned))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return False
    return True


def read_public_key(path: Path) -> bytes:
    """A public key as `cutcard keys public NAME` prints it, with --json or without."""
    try:
        text = untrusted.text_of(untrusted.content(path, MOST_BYTES)).strip()
        said = untrusted.json_from(text)["raw"] if text.startswith("{") else text
        raw = bytes.fromhex(said)
    except OSError as error:
        raise BadPublicKey(f"cannot read {path}: {error.strerror}") from None
    except (KeyError, TypeError, ValueError):
        raw = b""
    if len(raw) != 32:
        raise BadPublicKey(
            f"{path} holds no public key: 64 hexadecimal digits, as `cutcard keys public` prints"
        )
    return raw


def _bytes(report: dict[str, Any]) -> bytes:
    return _DOMAIN + canonical(report).encode()
