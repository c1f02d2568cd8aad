"""Keys are stored in files for their owner only, and are never displayed."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cutcard.devices.errors import KeyUnsafeError
from cutcard.devices.keys import DeviceKey, KeyStore, default_folder

SERIAL = b"\x01\x02\x03\x04\x05\x06\x07\x08"


@pytest.fixture
def store(tmp_path: Path) -> KeyStore:
    return KeyStore(tmp_path / "config" / "keys")


def test_unknown_device_has_no_key(store: KeyStore) -> None:
    assert store.get(SERIAL) is None


def test_key_counts_only_after_the_device_confirmed_it(store: KeyStore) -> None:
    key = store.create(SERIAL)
    assert store.get(SERIAL) is None
    assert store.pending(SERIAL) == key
    store.confirm(SERIAL)
    assert store.get(SERIAL) == key
    assert store.pending(SERIAL) is None


def test_key_with_uncertain_arrival_is_given_again(store: KeyStore) -> None:
    assert store.create(SERIAL) == store.create(SERIAL)


def test_two_devices_never_share_a_key(store: KeyStore) -> None:
    assert store.create(SERIAL) != store.create(b"other   ")


def test_only_the_owner_can_read_a_key(store: KeyStore) -> None:
    store.create(SERIAL)
    store.confirm(SERIAL)
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in store.folder.iterdir()} == {0o600}


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620])
def test_file_accessible_to_others_is_refused(store: KeyStore, mode: int) -> None:
    store.create(SERIAL)
    store.confirm(SERIAL)
    file = store.folder / f"{SERIAL.hex()}.key"
    file.chmod(mode)
    with pytest.raises(KeyUnsafeError, match=f"chmod 600 {file}"):
        store.get(SERIAL)


def test_folder_accessible_to_others_is_refused(store: KeyStore) -> None:
    store.create(SERIAL)
    store.folder.chmod(0o750)
    with pytest.raises(KeyUnsafeError, match=f"chmod 700 {store.folder}"):
        store.pending(SERIAL)


def test_damaged_file_is_rejected(store: KeyStore) -> None:
    store.create(SERIAL)
    store.confirm(SERIAL)
    (store.folder / f"{SERIAL.hex()}.key").write_text("0123\n")
    with pytest.raises(KeyUnsafeError, match="64 hexadecimal digits"):
        store.get(SERIAL)


def test_key_is_not_displayed() -> None:
    key = DeviceKey(bytes(range(32)))
    assert repr(key) == str(key) == f"{key}" == "DeviceKey(...)"


def test_environment_variable_names_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CUTCARD_KEYS", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "cutcard" / "keys"
    monkeypatch.setenv("CUTCARD_KEYS", str(tmp_path / "mine"))
    assert default_folder() == tmp_path / "mine"
