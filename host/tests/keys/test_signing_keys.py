"""Signing keys: encrypted at rest, only for their owner, never printed, never overwritten."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.keys import (
    BadKeyNameError,
    KeyDamagedError,
    KeyExistsError,
    KeyReachableError,
    NoPassphraseError,
    NoSuchKeyError,
    SigningKeyStore,
    WrongPassphraseError,
)

PASSPHRASE = "a pass phrase"


@pytest.fixture
def store(tmp_path: Path) -> SigningKeyStore:
    return SigningKeyStore(tmp_path / "home")


def test_signature_of_a_key_is_verified_by_its_public_half(store: SigningKeyStore) -> None:
    made = store.make("factory", "image", PASSPHRASE)
    signature = store.open("factory", PASSPHRASE).sign(b"manifest")
    Ed25519PublicKey.from_public_bytes(made.raw).verify(signature, b"manifest")
    assert store.public("factory") == made


def test_numbers_count_up_within_a_purpose(store: SigningKeyStore) -> None:
    made = [store.make(name, "image", PASSPHRASE) for name in ("a", "b")]
    assert [key.number for key in made] == [1, 2]
    assert store.make("c", "report", PASSPHRASE).number == 1


def test_a_development_key_is_marked(store: SigningKeyStore) -> None:
    assert store.make("bench", "image", PASSPHRASE, development=True).development


def test_wrong_passphrase_raises_wrong_passphrase_error(store: SigningKeyStore) -> None:
    store.make("factory", "image", PASSPHRASE)
    with pytest.raises(WrongPassphraseError, match="factory"):
        store.open("factory", PASSPHRASE + "!")


def test_only_the_owner_can_reach_the_files(store: SigningKeyStore) -> None:
    store.make("factory", "image", PASSPHRASE)
    file = store.folder / "factory.key"
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o640)
    with pytest.raises(KeyReachableError, match=f"chmod 600 {file}"):
        store.public("factory")


def test_private_half_is_not_readable_in_the_file(store: SigningKeyStore) -> None:
    store.make("factory", "image", PASSPHRASE)
    private = store.open("factory", PASSPHRASE)
    whole = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    text = (store.folder / "factory.key").read_text()
    assert private.private_bytes_raw().hex() not in text
    assert whole.hex() not in text


def test_no_key_is_overwritten(store: SigningKeyStore) -> None:
    made = store.make("factory", "image", PASSPHRASE)
    with pytest.raises(KeyExistsError):
        store.make("factory", "report", PASSPHRASE)
    assert store.public("factory") == made


@pytest.mark.parametrize("fact", [("development", False), ("number", 7), ("purpose", "report")])
def test_key_with_edited_public_data_does_not_open(
    store: SigningKeyStore, fact: tuple[str, object]
) -> None:
    store.make("bench", "image", PASSPHRASE, development=True)
    file = store.folder / "bench.key"
    file.write_text(json.dumps({**json.loads(file.read_text()), fact[0]: fact[1]}))
    with pytest.raises(WrongPassphraseError, match="changed"):
        store.open("bench", PASSPHRASE)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 1}', '{"format": 2}'])
def test_damaged_file_is_reported_with_its_name(store: SigningKeyStore, text: str) -> None:
    store.make("factory", "image", PASSPHRASE)
    file = store.folder / "factory.key"
    file.write_text(text)
    with pytest.raises(KeyDamagedError, match=str(file)):
        store.public("factory")


def test_a_file_cannot_ask_for_a_gigabyte(store: SigningKeyStore) -> None:
    store.make("factory", "image", PASSPHRASE)
    file = store.folder / "factory.key"
    content = json.loads(file.read_text())
    content["scrypt"]["n"] = 1 << 24
    file.write_text(json.dumps(content))
    with pytest.raises(KeyDamagedError):
        store.open("factory", PASSPHRASE)


def test_invalid_name_and_invalid_purpose_are_refused(store: SigningKeyStore) -> None:
    for name, purpose in (("../x", "image"), ("", "image"), ("X", "image"), ("x", "doors")):
        with pytest.raises(BadKeyNameError):
            store.make(name, purpose, PASSPHRASE)
    with pytest.raises(NoSuchKeyError):
        store.public("../x")


def test_a_short_passphrase_is_refused(store: SigningKeyStore) -> None:
    with pytest.raises(NoPassphraseError):
        store.make("factory", "image", "short")
    assert store.list() == []


class TestCommands:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CUTCARD_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("CUTCARD_PASSPHRASE", PASSPHRASE)

    def call(self, *words: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["keys", *words])
        return done.exit_code, done.stdout or done.stderr

    def test_make_list_and_public_agree(self) -> None:
        code, said = self.call("make", "factory", "--purpose", "image", "--json")
        assert code == 0
        made = json.loads(said)
        assert json.loads(self.call("list", "--json")[1]) == [{**made, "revoked": False}]
        assert self.call("public", "factory") == (0, made["raw"] + "\n")

    def test_a_passphrase_may_come_from_a_file(self, tmp_path: Path) -> None:
        file = tmp_path / "passphrase"
        file.write_text("another pass phrase\n")
        self.call("make", "a", "--purpose", "image", "--passphrase-file", str(file))
        assert SigningKeyStore().open("a", "another pass phrase")

    def test_existing_name_exits_with_1(self) -> None:
        self.call("make", "factory", "--purpose", "image")
        code, said = self.call("make", "factory", "--purpose", "image")
        assert code == 1
        assert "already" in said

    def test_unknown_purpose_exits_with_2(self) -> None:
        assert self.call("make", "factory", "--purpose", "doors")[0] == 2

    def test_without_a_terminal_the_error_explains_how_to_give_a_passphrase(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("CUTCARD_PASSPHRASE")
        code, said = self.call("make", "factory", "--purpose", "image")
        assert code == 2
        assert "--passphrase-file" in said
