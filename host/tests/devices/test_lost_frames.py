"""With any fault of the line, every command takes effect once and every event is reported once."""

from __future__ import annotations

import pytest

from cutcard.devices.errors import NoAnswerError
from cutcard.devices.events import CardDealt, Event, Started
from cutcard_firmware.core.schema import messages as m
from tests.devices.conftest import Opener
from tests.devices.peer import SocketPeer


def numbers(events: list[Event]) -> list[int]:
    return [event.number for event in events]


def test_card_is_dealt(peer: SocketPeer, opened: Opener) -> None:
    dealt = opened(peer.port).deal()
    assert (str(dealt.card), dealt.number, dealt.uncalled) == ("2c", 2, False)


def test_lost_reply_never_deals_twice(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    shuffler.deal()
    peer.lose[m.REPLY] = 2
    assert shuffler.deal().number == 3
    assert peer.memory.dealt == 2
    assert peer.commands.count("deal") == 2


def test_late_reply_is_accepted(peer: SocketPeer, opened: Opener) -> None:
    """The stored reply has its old counter: a card event has overtaken it by then."""
    shuffler = opened(peer.port)
    shuffler.deal()
    peer.lose[m.REPLY] = 1
    shuffler.deal()
    assert shuffler.reconnections == 0
    assert "resend" not in peer.commands  # no event was missing in the end


def test_duplicate_reply_is_accepted_once(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.double = {m.REPLY, m.EVENT}
    cards = [shuffler.deal().number for _ in range(3)]
    assert cards == [2, 3, 4]
    assert peer.memory.dealt == 3


def test_late_reply_is_not_accepted_for_the_next_question(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.double = {m.REPLY}
    for _ in range(3):
        assert shuffler.status().pack == 52
        assert shuffler.counters().forged == 0


def test_lost_command_is_sent_again(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.deaf = True
    with pytest.raises(NoAnswerError):
        shuffler.status(deadline=0.2)
    peer.deaf = False
    shuffler.deal()
    assert peer.memory.dealt == 1


def test_garbage_between_frames_is_ignored(peer: SocketPeer, opened: Opener) -> None:
    peer.noise = b"\x07\xff>>> Traceback\r\n\x00\x00\x02\x00" + bytes(range(256)) * 3
    shuffler = opened(peer.port)
    assert [shuffler.deal().number for _ in range(3)] == [2, 3, 4]


def test_lost_event_is_requested_again(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.lose[m.EVENT] = 1
    assert shuffler.deal().number == 2
    assert "resend" in peer.commands


def test_event_lost_twice_is_requested_again(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.lose[m.EVENT] = 3
    assert shuffler.deal().number == 2
    assert peer.commands.count("resend") == 3


def test_missing_first_event_of_a_session_is_detected(peer: SocketPeer, opened: Opener) -> None:
    """This host does not know the first event number; the counters show that one is missing."""
    for _ in range(3):
        peer.card()
    peer.lose[m.EVENT] = 2
    found = list(opened(peer.port).events(deadline=0))
    assert numbers(found) == [1, 2, 3, 4]
    assert isinstance(found[0], Started)


def test_gap_in_the_middle_is_filled_in_order(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    list(shuffler.events(deadline=0))
    peer.card()
    peer.lose[m.EVENT] = 1
    peer.card()
    peer.card()
    shuffler.status()
    assert numbers(list(shuffler.events(deadline=0))) == [2, 3, 4]


def test_missing_last_event_is_detected_without_a_later_one(
    peer: SocketPeer, opened: Opener
) -> None:
    shuffler = opened(peer.port)
    peer.lose[m.EVENT] = 1
    peer.card()
    assert shuffler.wait_for(CardDealt).number == 2


def test_events_are_acknowledged_on_an_idle_line(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    for _ in range(2 * m.EVENT_STORE):
        peer.card()
        shuffler.wait_for(CardDealt)
        assert len(peer.memory.events) < m.EVENT_STORE
    assert "acknowledge" in peer.commands


def test_reading_received_events_acknowledges_them(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    taken = list(shuffler.events(deadline=0))
    for _ in range(2 * m.EVENT_STORE):
        peer.card()
        while len(taken) < peer.memory.last_event:
            taken += shuffler.events(deadline=0)
        assert len(peer.memory.events) < m.EVENT_STORE
    assert shuffler.reconnections == 0


def test_missing_reply_raises_at_the_deadline(peer: SocketPeer, opened: Opener) -> None:
    shuffler = opened(peer.port)
    peer.deaf = True
    with pytest.raises(NoAnswerError, match=r"no answer to deal within .*may have been carried"):
        shuffler.call_for(1, deadline=0.2)


def test_command_after_a_missing_reply_gets_a_new_number(peer: SocketPeer, opened: Opener) -> None:
    """The earlier command arrived, but its replies did not."""
    shuffler = opened(peer.port)
    peer.lose[m.REPLY] = 1000
    with pytest.raises(NoAnswerError):
        shuffler.call_for(1, deadline=0.3)
    peer.lose.clear()
    shuffler.deal()
    assert peer.memory.dealt == peer.memory.last_command == 2
