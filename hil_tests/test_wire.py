"""Attacks by a person with the cable.

No attack moves a card twice, no frame is accepted without the key, and a device always replies to
its host again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from cutcard.bench.client import Bench
from cutcard.devices import Shuffler
from cutcard.devices.errors import DeviceError
from cutcard.devices.events import CardDealt, Started
from cutcard.testing.plugin import Benches
from cutcard_firmware.core.link import frame as frames
from cutcard_firmware.core.schema import messages as m
from hil_tests.conftest import loaded
from hil_tests.line import RawLine
from hil_tests.table import Table

TableAt = Callable[..., Table[Shuffler]]


@pytest.fixture
def session(line: RawLine) -> RawLine:
    line.begin()
    return line


@pytest.fixture
def dealing(fresh_bench: Callable[..., Bench]) -> RawLine:
    """Return a raw host of a carousel with a deck inside."""
    bench = fresh_bench("carousel-38", 1)
    bench.put(1)
    bench.settle()
    line = RawLine.to_bench(bench)
    line.begin()
    line.ask("load", 1, 52, identity=line.next_id())
    bench.settle()
    return line


def outside(line: RawLine) -> int:
    assert line.bench is not None
    line.bench.settle()
    return int(line.bench.status()["cards"]["outside"])


# Commands take effect once


def test_lost_reply_does_not_deal_twice(dealing: RawLine) -> None:
    frame = dealing.seal("deal", 1, identity=dealing.next_id())
    dealing.write(frame)
    first = dealing.reply(), dealing.last_frame
    dealing.write(frame)
    second = dealing.reply(), dealing.last_frame
    assert first == second  # byte for byte the stored reply
    assert outside(dealing) == 1
    dealing.close()


def test_command_repeated_in_a_new_session_does_not_deal_twice(dealing: RawLine) -> None:
    identity = dealing.next_id()
    dealing.ask("deal", 1, identity=identity)
    outside(dealing)
    dealing.begin()
    dealing.ask("deal", 1, identity=identity)
    assert outside(dealing) == 1
    dealing.close()


def test_command_repeated_after_a_reset_does_not_deal_twice(dealing: RawLine) -> None:
    assert dealing.bench is not None
    identity = dealing.next_id()
    dealing.ask("deal", 1, identity=identity)
    outside(dealing)
    dealing.bench.cycle_power()
    dealing.begin()
    dealing.ask("deal", 1, identity=identity)
    assert outside(dealing) == 1
    dealing.close()


@pytest.mark.parametrize("distance", [0, -1, 2])
def test_command_number_out_of_turn_is_refused(session: RawLine, distance: int) -> None:
    last = session.next_id() - 1
    session.ask("round", 1, b"", identity=last + 1)
    if distance == 0:
        # the last command number: the same reply again
        session.ask("round", 1, b"", identity=last + 1)
        return
    session.write(session.seal("round", 1, b"", identity=last + 1 + distance))
    error, numbers = session.reply()
    assert (error, struct.unpack("<II", numbers)[0]) == ("stale-command", last + 1)


# Frames refused and counted


def counters(session: RawLine) -> dict[str, int]:
    return {name: value for name, value in session.ask("counters").items() if name != "free_heap"}


def grew(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    return {
        name: after[name] - before[name]
        for name in ("crc", "forged", "replayed", "malformed")
        if after[name] != before[name]
    }


def test_replayed_frame_is_refused_and_counted(session: RawLine) -> None:
    before = counters(session)
    old = session.seal("status")
    session.write(old)
    session.reply()
    session.ask("status")
    session.write(old)
    assert session.refusal() == "old-frame"
    assert grew(before, counters(session)) == {"replayed": 1}


def test_frame_before_its_turn_is_refused_and_counted(session: RawLine) -> None:
    before = counters(session)
    first, second = session.seal("status"), session.seal("status")
    session.write(second)
    assert session.refusal() == "old-frame"
    session.write(first)
    session.reply()
    session.write(second)
    session.reply()
    assert grew(before, counters(session)) == {"replayed": 1}


def test_truncated_frame_is_dropped_and_counted(session: RawLine) -> None:
    before = counters(session)
    whole = session.seal("status")
    session.write(whole[: len(whole) // 2] + b"\0")
    assert session.silent()
    session.write(whole)
    session.reply()
    assert grew(before, counters(session)) == {"crc": 1}


def test_forged_frame_is_dropped_and_counted(session: RawLine) -> None:
    before = counters(session)
    body = bytearray(frames.decode(session.seal("status").strip(b"\0")))
    session.sent -= 1
    body[-1] ^= 1
    session.write(frames.encode(bytes(body)))
    assert session.silent()
    assert grew(before, counters(session)) == {"forged": 1}


def test_frame_of_another_session_is_dropped_and_counted(session: RawLine) -> None:
    foreign = session.seal("status")
    session.begin()
    before = counters(session)
    session.write(foreign)
    assert session.silent()
    assert grew(before, counters(session)) == {"forged": 1}


def test_frame_of_an_unknown_kind_is_counted(session: RawLine) -> None:
    before = counters(session)
    session.say(0x7F, b"what is this")
    assert session.silent()
    assert grew(before, counters(session)) == {"malformed": 1}


@pytest.mark.parametrize("kind", [m.HELLO, m.AUTH, m.PROVISION])
def test_clear_frame_of_the_wrong_length_is_refused(session: RawLine, kind: int) -> None:
    session.say(kind, b"short")
    assert session.refusal() == "malformed"
    session.ask("status")


def test_half_written_frame_loses_only_itself(session: RawLine) -> None:
    session.ask("status")
    frame = session.seal("status")
    session.write(frame[: len(frame) // 2])
    assert session.silent()
    session.write(frame)
    session.reply()


def test_garbage_between_frames_is_skipped(session: RawLine) -> None:
    session.write(bytes(range(256)) * 20)
    session.write(b"\0")
    session.ask("status")


# Authentication


def test_wrong_proof_is_refused_and_the_session_continues(session: RawLine) -> None:
    session.hello()
    session.auth(bytes(32))
    assert session.refusal() == "wrong-proof"
    session.ask("status")


def test_second_hello_does_not_end_the_first_session(session: RawLine) -> None:
    session.hello(b"n" * 16)
    session.hello(b"m" * 16)
    session.ask("status")


def test_update_session_without_the_key_does_not_affect_the_live_session(
    session: RawLine,
) -> None:
    session.hello(table=m.ANY_SCHEMA)
    session.auth(bytes(32))
    assert session.refusal() == "wrong-proof"
    session.ask("status")
    session.hello(table=m.ANY_SCHEMA)
    session.ask("status")


def test_second_auth_for_the_same_welcome_is_refused(session: RawLine) -> None:
    session.hello()
    assert session.key
    session.auth(session.key)
    session.answer()
    session.auth(session.key, b"e" * 32)  # its offer has expired
    assert session.refusal() == "no-session"


def test_identical_auth_gets_the_identical_reply_and_opens_no_session(session: RawLine) -> None:
    """A host repeats it after a lost reply; an attacker may replay it."""
    said = session.said_auth
    session.ask("status")
    for _ in range(2):
        session.write(said)
        assert session.answer() == ("accept", session.accept)
    session.ask("status")  # the counters have advanced


def test_auth_replayed_after_a_reset_is_refused(session: RawLine) -> None:
    if session.bench is None:
        pytest.skip("needs a person to reset the board")
    session.bench.cycle_power()
    session.write(session.said_auth)
    assert session.refusal() == "no-session"
    session.hello()
    session.write(session.said_auth)
    assert session.refusal() == "wrong-proof"


def test_all_welcomes_differ(session: RawLine) -> None:
    assert len({session.hello()["nonce"] for _ in range(20)}) == 20


def test_hello_with_a_changed_message_is_refused(line: RawLine) -> None:
    changed = m.fingerprint()[:3] + b"other"
    line.say(m.HELLO, bytes((m.VERSION,)) + changed + bytes(16))
    assert line.refusal() == "wrong-table"


def test_command_without_a_session_is_refused(line: RawLine) -> None:
    line.begin()
    frame = line.seal("status")
    assert line.bench is None or line.bench.do("power", how="cycle")
    if line.bench is None:
        pytest.skip("needs a person to reset the board")
    line.write(frame)
    assert line.refusal() == "no-session"


def test_device_with_a_key_accepts_no_other(session: RawLine) -> None:
    session.say(m.PROVISION, bytes(32))
    assert session.refusal() == "already-provisioned"
    session.ask("status")


def test_unprovisioned_device_answers_only_its_identity_and_accepts_a_key(
    benches: Benches, fresh_bench: Callable[..., Bench]
) -> None:
    with benches.start("carousel-38", seed=3, provision=False) as bench:
        line = RawLine(bench.port, bytes(32), bench)
        assert line.hello()["provisioned"] == 0
        line.auth(bytes(32))
        assert line.refusal() == "not-provisioned"
        line.write(frames.encode(struct.pack("<BI", m.COMMAND, 1) + bytes(40)))
        assert line.refusal() == "no-session"
        line.key = b"k" * 32
        for _ in range(2):  # a host repeats the command after a timeout
            line.say(m.PROVISION, line.key)
            assert line.answer()[0] == "provisioned"
        assert line.hello()["provisioned"] == 1
        line.begin()
        assert line.ask("status")["mode"] == m.MODES.index("empty")
        line.close()


def test_second_host_is_refused_and_the_first_continues(
    fresh_bench: Callable[..., Bench],
) -> None:
    bench = fresh_bench("carousel-38", 1)
    with Shuffler.open(bench.port, key=bench.key) as first:
        with pytest.raises(DeviceError):
            Shuffler.open(bench.port, key=bench.key, deadline=1)
        assert first.status().mode == "empty"


# Resets and events


def test_reset_during_a_session_is_recovered_without_loss(shuffler: Table[Shuffler]) -> None:
    shuffler.device.deal()
    shuffler.bench.settle()
    shuffler.bench.cycle_power()
    shuffler.device.deal()
    assert shuffler.device.reconnections == 1
    assert [type(event) for event in shuffler.events[-3:]] == [CardDealt, Started, CardDealt]
    shuffler.check_counts()


def test_unplugged_cable_is_recovered(shuffler: Table[Shuffler]) -> None:
    shuffler.do("unplug")
    shuffler.do("replug")
    shuffler.device.deal()
    shuffler.check_counts()


def test_events_not_taken_survive_a_reset(dealing: RawLine) -> None:
    assert dealing.bench is not None
    dealing.ask("deal", 3, identity=dealing.next_id())
    outside(dealing)
    dealing.bench.cycle_power()
    dealing.events.clear()
    dealing.begin()
    dealing.ask("status")
    events = [struct.unpack("<IB", event[:5]) for event in dealing.events]
    numbers = [number for number, _ in events]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [code for _, code in events].count(m.EVENT_CODE["card"]) == 3
    dealing.close()


def test_full_event_store_closes_the_gate_and_refuses_to_deal(dealing: RawLine) -> None:
    last = dealing.ask("status")["last_event"]
    dealing.ask("deal", 40, identity=dealing.next_id(), ack=last)
    assert outside(dealing) == m.EVENT_STORE
    dealing.ask("disarm", identity=dealing.next_id(), ack=last)
    dealing.write(dealing.seal("deal", 1, identity=dealing.next_id(), ack=last))
    assert dealing.reply()[0] == "event-store-full"
    assert outside(dealing) == m.EVENT_STORE
    dealing.close()


def test_faces_do_not_cross_the_wire_unencrypted(dealing: RawLine) -> None:
    """The same face ten times never gives the same bytes on the line."""
    assert dealing.bench is not None
    seen = set()
    for _ in range(10):
        dealing.bench.do("swap", with_="As")
        dealing.events.clear()
        dealing.ask("deal", 1, identity=dealing.next_id())
        outside(dealing)
        body = dealing.body()
        assert body is not None
        opened = dealing.device.unseal(body)
        assert opened[2][4] == m.EVENT_CODE["card"]
        seen.add(body[5:-16])
    assert len(seen) == 10
    dealing.close()


# Full flash


def test_full_file_system_does_not_stop_play(table: TableAt) -> None:
    """During play, a device's writes replace earlier data. A test in firmware/tests shows that a
    record without room is refused by name and moves no card."""
    at = loaded(table("carousel"))
    at.bench.cut_power()
    at.do("flash", what="fill")
    at.bench.restore_power()
    dealt = [at.device.deal() for _ in range(20)]
    assert len(dealt) == len(at.bench.cards()["outside"])
    at.bench.return_cards()
    at.bench.settle()
    assert at.status().outside == 0
