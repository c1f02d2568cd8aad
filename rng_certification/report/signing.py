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

from cutcard.keys import KeyStore, NoSuchKey, PublicKey
from cutcard.keys.passphrase import passphrase
from rng_certification.campaign.plan import canonical

ALGORITHM = "Ed25519"
PURPOSE = "report"
# Bytes of another kind can never be taken for a report's.
_DOMAIN = b"cutcard certification report 1\n"


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


def open_signer(name: str, passphrase_file: Path | None) -> Signer:
    """The key of this name. Raises a SigningKeyError that says what to do."""
    store = KeyStore()
    public = store.public(name)
    if public.purpose != PURPOSE:
        raise NoSuchKey(
            f"the key {name!r} is for signing an {public.purpose}, not a report.",
            f"`cutcard keys make NAME --purpose {PURPOSE}` makes one that is.",
        )
    return Signer(public, store.open(name, passphrase(passphrase_file, name)))


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


def _bytes(report: dict[str, Any]) -> bytes:
    return _DOMAIN + canonical(report).encode()
