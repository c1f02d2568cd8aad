"""Keys, journals, meters and files of a bench are private to their owner, with any umask."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cutcard import private_files
from cutcard.bench.client import Bench
from cutcard.devices.keys import KeyStore as DeviceKeys
from cutcard.journal.file import Journal
from cutcard.keys.history import KeyHistories
from cutcard.keys.store import SigningKeyStore
from cutcard.meters import Meters
from tests.meters.floor import JACKPOTS

PASSPHRASE = "a pass phrase"
SERIAL = b"12345678"


@pytest.fixture(params=[0o000, 0o022, 0o277], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the permissions of others, and of the owner, for each file in a folder."""
    return {
        str(each.relative_to(folder)): stat.S_IMODE(each.lstat().st_mode)
        for each in folder.rglob("*")
        if not each.is_symlink()
    }


def signing_keys(home: Path) -> None:
    store = SigningKeyStore(home)
    old = store.make("old", "image", PASSPHRASE)
    new = store.make("new", "image", PASSPHRASE)
    KeyHistories(store).rotate(old, store.open("old", PASSPHRASE), new)


def device_keys(home: Path) -> None:
    store = DeviceKeys(home / "keys")
    store.create(SERIAL)
    store.confirm(SERIAL)
    store.create(SERIAL)


def journal(home: Path) -> None:
    private_files.make_folder(home / "evening")
    with Journal(home / "evening" / "table.journal") as made:
        made.append("round", {})


def meters(home: Path) -> None:
    file = home / "config" / "meters.sqlite"
    with Meters.open(str(file), create=True) as made:
        made.create("city", JACKPOTS)
        assert {path.name for path in file.parent.iterdir()} == {
            "meters.sqlite",
            "meters.sqlite-shm",
            "meters.sqlite-wal",
        }
        _check(file.parent)


def _check(home: Path) -> None:
    found = modes(home)
    assert found
    for name, mode in found.items():
        assert mode == (0o700 if (home / name).is_dir() else 0o600), (name, oct(mode))


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("write", [signing_keys, device_keys, journal, meters])
def test_private_file_is_private_from_the_first_byte(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    home = tmp_path / "home"
    private_files.make_folder(home)
    write(home)
    _check(home)


def test_files_of_a_bench_are_not_readable_by_others(tmp_path: Path) -> None:
    """Its flash has the key, its state the seed and every card."""
    folder = tmp_path / "kept"
    folder.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        with Bench.start("carousel-38", seed=1, folder=str(folder)):
            pass
    finally:
        os.umask(before)
    assert {"flash.img", "key", "state.json"} <= set(modes(folder))
    assert {name: mode for name, mode in modes(folder).items() if mode & 0o077} == {}


def test_two_benches_do_not_share_a_folder(tmp_path: Path) -> None:
    with Bench.start("carousel-38", seed=1, folder=str(tmp_path)):
        command = [sys.executable, "-m", "cutcard.bench", f'{{"folder": "{tmp_path}"}}']
        second = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert second.returncode == 1
    assert "another bench runs in" in second.stdout


def test_access_of_all_users_to_a_record_is_removed(tmp_path: Path) -> None:
    """The permissions of its group are kept: the owner may have given a group access."""
    path = tmp_path / "table.journal"
    path.touch()
    path.chmod(0o664)
    Journal(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_keys_made_concurrently_have_different_numbers(tmp_path: Path) -> None:
    def make(name: str) -> int:
        return SigningKeyStore(tmp_path / "home").make(name, "image", PASSPHRASE).number

    with ThreadPoolExecutor(4) as at_once:
        numbers = list(at_once.map(make, ["a", "b", "c", "d", "e", "f"]))
    assert sorted(numbers) == [1, 2, 3, 4, 5, 6]


def test_keys_rotated_concurrently_are_all_in_the_history(tmp_path: Path) -> None:
    store = SigningKeyStore(tmp_path / "home")
    first = store.make("first", "image", PASSPHRASE)
    private = store.open("first", PASSPHRASE)
    new = [store.make(name, "image", PASSPHRASE) for name in ("a", "b", "c", "d")]
    with ThreadPoolExecutor(4) as at_once:
        list(at_once.map(lambda key: KeyHistories(store).rotate(first, private, key), new))
    assert len(KeyHistories(store).of(first)) == 5


def test_device_provisioned_twice_concurrently_gets_one_key(tmp_path: Path) -> None:
    store = DeviceKeys(tmp_path / "keys")
    with ThreadPoolExecutor(4) as at_once:
        keys = set(at_once.map(store.create, [SERIAL] * 8))
    assert len(keys) == 1
