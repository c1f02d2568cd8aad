"""The bench's event loop, with several active clients."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from cutcard.bench.loop import Loop

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pairs() -> Iterator[tuple[Pair, Pair]]:
    made = socket.socketpair(), socket.socketpair()
    yield made
    for pair in made:
        for each in pair:
            each.close()


def test_data_taken_by_another_handler_is_not_waited_for(pairs: tuple[Pair, Pair]) -> None:
    (near, far), (one, other) = pairs
    heard: list[bytes] = []
    loop = Loop()
    loop.listen_to(
        {
            near.fileno(): lambda: heard.extend((near.recv(9), one.recv(9))),
            one.fileno(): lambda: heard.append(b"twice"),
        },
        None,
    )
    far.send(b"power")
    other.send(b"answer")
    loop.wait(None)
    assert heard == [b"power", b"answer"]


def test_all_ready_clients_are_handled(pairs: tuple[Pair, Pair]) -> None:
    (near, far), (one, other) = pairs
    heard: list[bytes] = []
    loop = Loop()
    loop.listen_to(
        {
            near.fileno(): lambda: heard.append(near.recv(9)),
            one.fileno(): lambda: heard.append(one.recv(9)),
        },
        None,
    )
    far.send(b"a")
    other.send(b"b")
    loop.wait(None)
    assert heard == [b"a", b"b"]
