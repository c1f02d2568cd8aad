"""Keys and an image for the tests, made once."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cutcard.image.build import Signer, build
from cutcard.image.image import Image
from cutcard.keys.history import KeyHistories
from cutcard.keys.store import SigningKeyStore
from cutcard.machines import find

PASSPHRASE = "a pass phrase"
_OPENED: dict[bytes, Ed25519PrivateKey] = {}


def signer(store: SigningKeyStore, name: str) -> Signer:
    public = store.public(name)
    if public.raw not in _OPENED:  # opening a key takes a tenth of a second by design
        _OPENED[public.raw] = store.open(name, PASSPHRASE)
    return Signer(_OPENED[public.raw], public, tuple(KeyHistories(store).of(public)))


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> SigningKeyStore:
    made = SigningKeyStore(tmp_path_factory.mktemp("home"))
    made.make("bench", "image", PASSPHRASE, development=True)
    made.make("factory", "image", PASSPHRASE)
    return made


@pytest.fixture(scope="session")
def image(store: SigningKeyStore) -> Image:
    return build("rp2", find("shoe-8"), 7, signer(store, "factory"))


@pytest.fixture
def home(store: SigningKeyStore, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder with the keys, and their passphrase, for commands."""
    monkeypatch.setenv("CUTCARD_HOME", str(store.home))
    monkeypatch.setenv("CUTCARD_PASSPHRASE", PASSPHRASE)
    return store.home
