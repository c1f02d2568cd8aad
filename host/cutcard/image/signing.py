"""Opening the key that signs an image, by its name."""

from __future__ import annotations

from pathlib import Path

from cutcard.image.build import Signer
from cutcard.keys.errors import NoSuchKeyError
from cutcard.keys.history import KeyHistories
from cutcard.keys.passphrase import passphrase
from cutcard.keys.store import SigningKeyStore


def signer_named(
    name: str, passphrase_file: Path | None, store: SigningKeyStore | None = None
) -> Signer:
    """Open the key. Raises SigningKeyError if it is not for images, or was revoked."""
    store = store or SigningKeyStore()
    public = store.public(name)
    if public.purpose != "image":
        raise NoSuchKeyError(
            f"the key {name!r} signs {public.purpose}s, not images.",
            "Run `cutcard keys make NAME --purpose image` to make one for images.",
        )
    histories = KeyHistories(store)
    histories.check_not_revoked(public)
    private = store.open(name, passphrase(passphrase_file, name))
    return Signer(private, public, tuple(histories.of(public)))
