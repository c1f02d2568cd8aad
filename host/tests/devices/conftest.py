from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cutcard.devices.connection import Connection
from cutcard.devices.events import Event
from cutcard.devices.keys import KeyStore
from cutcard.devices.ports import parse
from cutcard.devices.shuffler import Shuffler
from tests.devices.peer import KEY, SERIAL, PtyPeer, SocketPeer

Opener = Callable[..., Shuffler]


@pytest.fixture
def keys(tmp_path: Path) -> KeyStore:
    """Return a store with the key of the peer."""
    store = KeyStore(tmp_path / "keys")
    store.create(SERIAL)
    path = store.folder / f"{SERIAL.hex()}.pending"
    path.write_text(KEY.hex())
    store.confirm(SERIAL)
    return store


@pytest.fixture
def peer() -> Iterator[SocketPeer]:
    peer = SocketPeer()
    yield peer
    peer.close()


@pytest.fixture
def pty_peer(tmp_path: Path) -> Iterator[PtyPeer]:
    peer = PtyPeer(tmp_path / "ttyACM0")
    yield peer
    peer.close()


@pytest.fixture
def opened(keys: KeyStore) -> Iterator[Opener]:
    """Return a function that opens a shuffler at a port, and repeats a lost frame after 50 ms."""
    devices = []

    def open_(
        port: str,
        after: int | None = None,
        record: Callable[[Event], None] | None = None,
        seconds: float = 10.0,
    ) -> Shuffler:
        connection = Connection(parse(port), "shuffler", keys, after, record, retry=0.05)
        connection.open(seconds)
        devices.append(Shuffler(connection))
        return devices[-1]

    yield open_
    for device in devices:
        device.close()
