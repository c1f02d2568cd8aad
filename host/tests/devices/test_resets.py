"""A pulled cable, a device that restarts, a host that restarts, a second host."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cutcard.devices.errors import (
    DeviceClosedError,
    OutOfStepError,
    PortBusyError,
    PortLostError,
    StateLostError,
    WrongDeviceError,
)
from cutcard.devices.events import CardDealt, Event, Started
from cutcard_firmware.core.schema import messages as m
from tests.devices.conftest import Opener
from tests.devices.peer import PtyPeer, SocketPeer


def test_unplugged_cable_is_detected_and_recovered(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    first = shuffler.deal()
    peer.unplug()
    second = shuffler.deal()
    assert (first.number, second.number) == (2, 3)
    assert shuffler.reconnections == 1


def test_reset_during_a_session_opens_another(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    shuffler.deal()
    with peer.lock:
        peer.start()
    assert shuffler.deal().number == 4
    assert [type(event) for event in shuffler.events(deadline=0)] == [Started, Started]


def test_reset_before_the_reply_does_not_repeat_the_command(
    peer: SocketPeer, opened: Opener
) -> None:
    shuffler = opened(peer.port)
    peer.replies_before_reset = 0
    shuffler.call_for(1)
    assert peer.memory.dealt == 1
    assert peer.memory.last_command == 1
    assert peer.commands.count("deal") == 2  # sent again in the new session, but not executed again


def test_reset_is_detected_during_a_wait(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    shuffler.wait_for(Started)
    with peer.lock:
        peer.start()
    assert shuffler.wait_for(Started).boots == 2


def test_events_of_a_disconnection_are_sent_in_order(peer: SocketPeer, opened: Opener) -> None:
    taken: list[Event] = []
    shuffler = opened(peer.port, record=taken.append)
    shuffler.deal()
    peer.unplug()
    with peer.lock:
        peer.start()
        peer.card()
        peer.start()
    shuffler.status()
    assert [event.number for event in taken] == [1, 2, 3, 4, 5]


def test_event_is_recorded_before_it_is_acknowledged(peer: SocketPeer, opened: Opener) -> None:
    """A journal that cannot write must not lose the event: the device still stores it."""

    def broken(event: Event) -> None:
        if isinstance(event, CardDealt):
            raise OSError("disk full")

    shuffler = opened(peer.port, record=broken)
    with pytest.raises(OSError, match="disk full"):
        shuffler.deal()
    shuffler.close()
    taken: list[Event] = []
    opened(peer.port, after=1, record=taken.append)
    assert [event.number for event in taken] == [2]


def test_restarted_host_does_not_take_an_event_twice(peer: SocketPeer, opened: Opener) -> None:
    for _ in range(3):
        peer.card()
    taken: list[Event] = []
    opened(peer.port, after=3, record=taken.append)
    assert [event.number for event in taken] == [4]


def test_port_that_stays_away_is_lost(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.close()
    with pytest.raises(PortLostError):
        shuffler.status(deadline=0.3)


def test_closed_device_raises_and_leaves_the_port_to_others(
    peer: SocketPeer, opened: Opener
) -> None:
    """An earlier version opened the port again, and the next host found it busy."""
    shuffler = opened(peer.port)
    shuffler.close()
    calls: list[Callable[[], object]] = [
        shuffler.status,
        shuffler.deal,
        lambda: shuffler.wait_for(CardDealt),
        lambda: shuffler.wait_for_returned(1),
        lambda: list(shuffler.events(deadline=0)),
    ]
    for call in calls:
        with pytest.raises(DeviceClosedError, match="was closed"):
            call()
    assert not shuffler.fall_silent()
    shuffler.close()
    assert opened(peer.port).deal().card is not None


def test_vanished_pty_is_lost(pty_peer: PtyPeer, opened: Opener) -> None:
    shuffler = opened(pty_peer.port)
    shuffler.deal()
    pty_peer.vanish()
    with pytest.raises(PortLostError):
        shuffler.status(deadline=0.3)


def test_second_host_on_a_serial_port_gets_an_error(pty_peer: PtyPeer, opened: Opener) -> None:
    opened(pty_peer.port)
    with pytest.raises(PortBusyError, match="another program holds the port"):
        opened(pty_peer.port)


def test_second_host_on_a_socket_gets_an_error(peer: SocketPeer, opened: Opener) -> None:
    first = opened(peer.port)
    with pytest.raises(PortBusyError, match="another host is connected there"):
        opened(peer.port)
    assert first.deal().number == 2


def test_commands_of_another_host_are_detected(peer: SocketPeer, opened: Opener) -> None:
    first = opened(peer.port)
    first.deal()
    peer.unplug()
    other = opened(peer.port)
    other.deal()
    other.close()
    with pytest.raises(OutOfStepError, match=r"command 2, this host's last was 1"):
        first.status()


def test_events_acknowledged_by_another_host_are_reported_as_missing(
    peer: SocketPeer, opened: Opener
) -> None:
    first = opened(peer.port)
    first.status()
    peer.unplug()
    peer.card()
    opened(peer.port).close()
    with pytest.raises(OutOfStepError, match="no longer has the event after 1"):
        first.status()


def test_device_with_reset_event_numbers_has_lost_its_state(
    peer: SocketPeer, opened: Opener
) -> None:
    with pytest.raises(
        StateLostError, match=r"last event is number 1, this host has\s+taken number 9"
    ):
        opened(peer.port, after=9)


def test_another_device_at_the_same_port_is_rejected(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.board.serial = b"peer0002"
    peer.unplug()
    with pytest.raises(WrongDeviceError, match="it was"):
        shuffler.status()


def test_lost_and_overtaken_status_is_no_alarm(
    peer: SocketPeer, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first reply after a reconnection is lost, an event arrives, and the reply is repeated
    unchanged.

    It is older than the last event taken, which is no error.
    """
    shuffler = opened(peer.port)
    shuffler.deal()
    peer.unplug()
    answer = peer._answer

    def answered(name: str, values: dict[str, int]) -> tuple[int, ...]:
        said = answer(name, values)
        if name == "status" and peer.lose.get(m.REPLY):
            peer._later.append(peer.card)
        return said

    monkeypatch.setattr(peer, "_answer", answered)
    peer.lose[m.REPLY] = 1
    shuffler.status()
    assert [event.number for event in shuffler.events(deadline=0)] == [1, 3]


def test_device_behind_the_last_event_of_this_host_is_an_alarm(
    peer: SocketPeer, opened: Opener
) -> None:
    shuffler = opened(peer.port)
    shuffler.deal()
    with peer.lock:
        peer.memory.events, peer.memory.last_event = [], 0
        peer.start()
    with pytest.raises(StateLostError, match="set back or erased"):
        shuffler.status()
