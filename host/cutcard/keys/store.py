"""The store of signing keys, one file each: public data in the clear, the rest encrypted.

The private key (PKCS 8) is encrypted with ChaCha20-Poly1305 under a key that scrypt derives from
the passphrase. The encryption authenticates the public data: a file with a changed purpose, number
or development mark does not open.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)

from cutcard import private_files, untrusted
from cutcard.keys.errors import (
    BadKeyNameError,
    KeyDamagedError,
    KeyExistsError,
    KeyReachableError,
    NoPassphraseError,
    NoSuchKeyError,
    WrongPassphraseError,
)

PURPOSES = ("image", "report")
FORMAT = 1
LEAST_PASSPHRASE = 8
MOST_BYTES = 16 * untrusted.KIBIBYTE
MOST_NUMBER = 0xFFFF  # two bytes in an image
_COST = {"n": 1 << 15, "r": 8, "p": 1}  # scrypt: 32 MB and a tenth of a second for each guess
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


@dataclass(frozen=True)
class PublicKey:
    """The public data of a key."""

    name: str
    purpose: str
    number: int
    development: bool
    raw: bytes

    def described(self) -> dict[str, Any]:
        return {**asdict(self), "raw": self.raw.hex()}


def default_folder() -> Path:
    """Return `CUTCARD_HOME`, or `cutcard` in the user's configuration folder."""
    if chosen := os.environ.get("CUTCARD_HOME"):
        return Path(chosen)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "cutcard"


class SigningKeyStore:
    """Signing keys by name. Numbers count up within a purpose and are never reused."""

    def __init__(self, folder: Path | None = None) -> None:
        self.home = folder or default_folder()
        self.folder = self.home / "signing"

    def make(
        self, name: str, purpose: str, passphrase: str, development: bool = False
    ) -> PublicKey:
        """Create a key. A name that exists is refused: no key is ever overwritten."""
        _check_name(name, purpose)
        if len(passphrase) < LEAST_PASSPHRASE:
            raise NoPassphraseError(
                f"the passphrase has {len(passphrase)} characters.",
                f"Use at least {LEAST_PASSPHRASE}: a copy of the file allows unlimited guesses.",
            )
        private_files.make_folder(self.folder)
        private = Ed25519PrivateKey.generate()
        with private_files.locked(
            self.folder
        ):  # a process that makes a key at the same time gets the next number
            public = PublicKey(
                name,
                purpose,
                self._next_number(purpose),
                development,
                private.public_key().public_bytes_raw(),
            )
            self._keep(public, _sealed(public, private, passphrase))
        return public

    def _next_number(self, purpose: str) -> int:
        number = 1 + max((key.number for key in self.list() if key.purpose == purpose), default=0)
        if number > MOST_NUMBER:
            raise BadKeyNameError(
                f"{MOST_NUMBER} keys have been made, the maximum.", "Use a new folder."
            )
        return number

    def _keep(self, key: PublicKey, sealed: str) -> None:
        try:
            private_files.create(self._path(key.name), sealed)
        except FileExistsError:
            raise KeyExistsError(
                f"a key named {key.name!r} already exists ({self._path(key.name)}).",
                "Use another name; a key is never overwritten.",
            ) from None

    def open(self, name: str, passphrase: str) -> Ed25519PrivateKey:
        """Return the private key, decrypted."""
        content = self._read(name)
        public = _public(name, content, self._path(name))
        return _opened(public, content, passphrase, self._path(name))

    def public(self, name: str) -> PublicKey:
        return _public(name, self._read(name), self._path(name))

    def list(self) -> list[PublicKey]:
        """Return every key, by purpose and number, without a passphrase."""
        if not self.folder.is_dir():
            return []
        found = [self.public(file.stem) for file in self.folder.glob("*.key")]
        return sorted(found, key=lambda key: (key.purpose, key.number))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.key"

    def _read(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        if not _NAME.fullmatch(name) or not path.is_file():
            raise NoSuchKeyError(
                f"no key named {name!r} exists in {self.folder}.",
                "`cutcard keys list` lists the keys; `cutcard keys make` makes one.",
            )
        for private, mode in ((self.folder, "700"), (path, "600")):
            if wrong := private_files.complaint(private, mode):
                raise KeyReachableError(*wrong)
        try:
            content = untrusted.read_json(path, MOST_BYTES)
        except untrusted.BadContentError as error:
            raise _damaged(path, str(error)) from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise _damaged(path, f"its format is not {FORMAT}")
        return content


def _check_name(name: str, purpose: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadKeyNameError(
            f"{name!r} cannot be the name of a key.",
            "Use small letters, digits, '.', '_' and '-', at most 64.",
        )
    if purpose not in PURPOSES:
        raise BadKeyNameError(f"unknown purpose {purpose!r}.", f"Use one of {', '.join(PURPOSES)}.")


def _sealed(public: PublicKey, private: Ed25519PrivateKey, passphrase: str) -> str:
    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    secret = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    key = _derived(passphrase, salt, _COST)
    facts = public.described()
    content = {
        "format": FORMAT,
        **facts,
        "scrypt": {**_COST, "salt": salt.hex()},
        "nonce": nonce.hex(),
        "sealed": ChaCha20Poly1305(key).encrypt(nonce, secret, _bound(facts)).hex(),
    }
    return json.dumps(content, indent=2) + "\n"


def _opened(
    public: PublicKey, content: dict[str, Any], passphrase: str, path: Path
) -> Ed25519PrivateKey:
    try:
        cost = content["scrypt"]
        key = _derived(passphrase, bytes.fromhex(cost["salt"]), cost)
        nonce, sealed = bytes.fromhex(content["nonce"]), bytes.fromhex(content["sealed"])
    except (KeyError, OverflowError, TypeError, ValueError):
        raise _damaged(path, "its encryption parameters cannot be read") from None
    try:
        secret = ChaCha20Poly1305(key).decrypt(nonce, sealed, _bound(public.described()))
        private = load_der_private_key(secret, None)
    except (InvalidTag, ValueError):
        raise WrongPassphraseError(
            f"the passphrase does not open the key {public.name!r}.",
            "Try again; if it is right, the file was changed: restore your backup.",
        ) from None
    if not isinstance(private, Ed25519PrivateKey):
        raise _damaged(path, "it does not contain an Ed25519 key")
    if private.public_key().public_bytes_raw() != public.raw:
        raise _damaged(path, "its two halves do not match")
    return private


def _derived(passphrase: str, salt: bytes, cost: dict[str, Any]) -> bytes:
    n, r, p = (int(cost[name]) for name in ("n", "r", "p"))
    if n * r > 1 << 20 or p > 16:  # a file must not make us use a gigabyte
        raise ValueError("cost")
    return Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(passphrase.encode())


def _bound(facts: dict[str, Any]) -> bytes:
    return json.dumps(["cutcard key", FORMAT, *sorted(facts.items())]).encode()


def _public(name: str, content: dict[str, Any], path: Path) -> PublicKey:
    try:
        raw = bytes.fromhex(content["raw"])
        number, development = content["number"], content["development"]
        purpose = content["purpose"]
    except (KeyError, TypeError, ValueError):
        raise _damaged(path, "a public field is missing") from None
    if (
        content.get("name") != name
        or purpose not in PURPOSES
        or type(number) is not int
        or not 1 <= number <= MOST_NUMBER
        or type(development) is not bool
        or len(raw) != 32
    ):
        raise _damaged(path, "its public fields are invalid")
    return PublicKey(name, purpose, number, development, raw)


def _damaged(path: Path, why: str) -> KeyDamagedError:
    return KeyDamagedError(f"{path} is not a key: {why}.", "Restore it from your backup.")
