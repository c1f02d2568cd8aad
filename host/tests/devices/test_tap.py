"""A tap shows the frames on the wire; a host that only watches leaves events with the device."""

from __future__ import annotations

import pytest

from cutcard.devices import BadPortError, Frame, Shuffler, open_device
from cutcard_firmware.core.schema import messages as m
from tests.devices.peer import KEY, SocketPeer

PATIENT = 60.0  # seconds: even on a busy computer, no frame is sent twice


def tapped(
    peer: SocketPeer, acknowledge: bool = True, retry: float = PATIENT
) -> tuple[Shuffler, list[Frame]]:
    frames: list[Frame] = []
    device = Shuffler.open(
        peer.port, key=KEY, tap=frames.append, acknowledge=acknowledge, retry=retry
    )
    return device, frames


def test_every_frame_is_shown_by_name_both_ways(peer: SocketPeer) -> None:
    device, frames = tapped(peer)
    device.close()
    shown = [(frame.sent, frame.kind, frame.name) for frame in frames]
    assert [way for way in shown if way[1] not in ("command", "reply", "event")] == [
        (True, "hello", ""),
        (False, "welcome", ""),
        (True, "auth", ""),
        (False, "accept", ""),
    ]
    assert (True, "command", "status") in shown
    assert (False, "reply", "status") in shown
    assert (False, "event", "started") in shown


def test_fields_and_modes_are_shown_by_name(peer: SocketPeer) -> None:
    device, frames = tapped(peer)
    device.close()
    status = next(frame for frame in frames if (frame.kind, frame.name) == ("reply", "status"))
    assert (status.fields["mode"], status.fields["fault"]) == ("ready", "none")
    assert str(status).startswith("<- reply status id=0 mode=ready fault=none")
    welcome = next(frame for frame in frames if frame.kind == "welcome")
    assert (welcome.fields["kind"], welcome.fields["machine"]) == ("shuffler", "peer-1")


def test_repeated_frame_is_shown_again(peer: SocketPeer) -> None:
    peer.lose = {m.REPLY: 1}  # the reply to the status request of the opening
    device, frames = tapped(peer, retry=0.05)
    device.close()
    asked = [frame for frame in frames if frame.sent and frame.name == "status"]
    assert len(asked) >= 2


def test_refusal_is_shown_by_name(peer: SocketPeer) -> None:
    device, frames = tapped(peer)
    peer.refuse_with = ("bad-decks", 9, 8)
    with pytest.raises(Exception, match="9 decks"):
        device.load(9)
    device.close()
    refused = next(frame for frame in frames if "refused" in frame.fields)
    assert refused.name == "load"
    assert refused.fields == {"id": 1, "refused": "bad-decks", "a": 9, "b": 8}


def test_no_frame_contains_the_key(peer: SocketPeer) -> None:
    device, frames = tapped(peer)
    device.deal()
    device.close()
    assert frames
    assert KEY.hex() not in "".join(map(str, frames))


def test_watching_host_leaves_the_events_with_the_device(peer: SocketPeer) -> None:
    device, _ = tapped(peer, acknowledge=False)
    seen = [event.number for event in device.events(0)]
    device.status()
    device.close()
    assert seen == [1]
    assert len(peer.memory.events) == 1
    journal, _ = tapped(peer)
    assert [event.number for event in journal.events(0)] == seen
    journal.close()
    assert peer.memory.events == []


def test_open_device_returns_the_driver_of_its_kind(peer: SocketPeer) -> None:
    with open_device(peer.port, key=KEY) as device:
        assert isinstance(device, Shuffler)


def test_invalid_port_is_reported_before_anything_is_opened() -> None:
    with pytest.raises(BadPortError):
        open_device("nowhere")
