"""Trust between keys: a chain of links, each signed by an earlier key.

A device that knows the first key follows the chain and never goes back along it. A link adds a key,
or revokes an older one; an older key cannot revoke a newer one. The chain is public: every image
signed with one of its keys contains it.
"""

from __future__ import annotations

import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cutcard import private_files, untrusted
from cutcard.keys.errors import KeyDamagedError, KeyRevokedError, NoSuchKeyError
from cutcard.keys.store import PublicKey, SigningKeyStore
from cutcard_firmware.core.image import manifest as mf

MOST_BYTES = 64 * untrusted.KIBIBYTE
MOST_LINKS = (
    32  # a device must follow them before its watchdog resets it; a manifest has room for them
)


class KeyHistories:
    """The chains of a key store: one file for each root key, named by its number."""

    def __init__(self, store: SigningKeyStore) -> None:
        self.store = store

    def of(self, key: PublicKey) -> list[bytes]:
        """Return the chain that contains this key; without one, a chain with the key as root."""
        for file in sorted(self.store.folder.glob("*.history")):
            links = _read(file)
            if any(_adds(link, key) for link in links):
                return links
        return [_root(key)]

    def check_not_revoked(self, key: PublicKey) -> None:
        for link in self.of(key):
            _, what, _, number, _, signer, _ = mf.unpack_link(link)
            if what == mf.REVOKE and number == key.number:
                raise KeyRevokedError(
                    f"key {key.number}, {key.name!r}, was revoked by key {signer}.",
                    "Sign with that key or a newer one.",
                )

    def is_revoked(self, key: PublicKey) -> bool:
        try:
            self.check_not_revoked(key)
        except KeyRevokedError:
            return True
        return False

    def check_may_sign(self, key: PublicKey) -> None:
        """Raise an error unless devices would follow a link signed by this key.

        One link that they do not follow would block every later image.
        """
        if key.purpose != "image":
            raise NoSuchKeyError(
                f"the key {key.name!r} signs {key.purpose}s: devices do not follow its history.",
                "Make another with `cutcard keys make` and publish its public half.",
            )
        self.check_not_revoked(key)
        links = [mf.unpack_link(link) for link in self.of(key)]
        if len(links) >= MOST_LINKS:
            raise KeyRevokedError(
                f"the history has {len(links)} links, the maximum for a device.",
                "Start another with `cutcard keys make`; devices must be flashed again for it.",
            )
        if key.development and any(
            what == mf.ADD and not flags & mf.DEVELOPMENT for _, what, flags, *_ in links
        ):
            raise KeyRevokedError(
                f"{key.name!r} is for development, but its history already has a production key: "
                "devices that accepted it would no longer trust this history.",
                "Sign with the production key, or start another history: `cutcard keys make`.",
            )

    def rotate(self, old: PublicKey, private: Ed25519PrivateKey, new: PublicKey) -> None:
        """Let devices that trust `old` trust `new`; the private half of `old` signs the link."""
        flags = mf.DEVELOPMENT if new.development else 0
        with private_files.locked(self.store.folder):
            self.check_may_sign(old)
            self._append(
                old, private=private, what=mf.ADD, flags=flags, number=new.number, public=new.raw
            )

    def revoke(self, key: PublicKey, by: PublicKey, private: Ed25519PrivateKey) -> None:
        """Let devices refuse images signed by `key`, once they get the link. `by` must be newer."""
        with private_files.locked(self.store.folder):
            self.check_may_sign(by)
            self.check_not_revoked(key)
            if by.number <= key.number or not any(_adds(link, by) for link in self.of(key)):
                raise NoSuchKeyError(
                    f"{by.name!r} is not a newer key in the history of {key.name!r}.",
                    "Use a key that `cutcard keys rotate` made later.",
                )
            self._append(
                by, private=private, what=mf.REVOKE, flags=0, number=key.number, public=key.raw
            )

    def _append(
        self,
        signer: PublicKey,
        private: Ed25519PrivateKey,
        what: int,
        flags: int,
        number: int,
        public: bytes,
    ) -> None:
        links = self.of(signer)
        before = bytes(32)
        for link in links:
            before = mf.chain(before, link)
        body = mf.pack_link(
            len(links), what=what, flags=flags, number=number, public=public, signer=signer.number
        )
        links = [*links, body + private.sign(mf.link_message(before, body))]
        root = mf.unpack_link(links[0])[3]
        text = json.dumps([link.hex() for link in links], indent=1) + "\n"
        private_files.replace(self.store.folder / f"image-{root}.history", text)


def _root(key: PublicKey) -> bytes:
    flags = mf.DEVELOPMENT if key.development else 0
    body: bytes = mf.pack_link(
        0, what=mf.ADD, flags=flags, number=key.number, public=key.raw, signer=0
    )
    return body + bytes(mf.SIGNATURE)


def _adds(link: bytes, key: PublicKey) -> bool:
    _, what, _, number, public, _, _ = mf.unpack_link(link)
    return bool(what == mf.ADD and number == key.number and public == key.raw)


def _read(file: Path) -> list[bytes]:
    try:
        links = [bytes.fromhex(link) for link in untrusted.read_json(file, MOST_BYTES)]
    except (ValueError, TypeError):
        links = []
    if not links or any(len(link) != mf.LINK for link in links):
        raise KeyDamagedError(f"{file} is not a key history.", "Restore it from your backup.")
    return links
