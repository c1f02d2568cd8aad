"""Drivers and devices with different message schemas: which pairs work, and with which limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cutcard.devices import handshake
from cutcard.devices.errors import (
    AuthenticationFailedError,
    CommandRefusedError,
    InFaultError,
    SchemaMismatchError,
)
from cutcard.devices.event_codec import from_plain, plain
from cutcard.devices.events import CardDealt, Event, Started, UnknownEvent
from cutcard_firmware.core.link import sessions
from cutcard_firmware.core.schema import messages
from tests.devices import peer as peers
from tests.devices.conftest import Opener
from tests.devices.peer import SocketPeer

Change = tuple[str, str]


def last_row(rows: Any) -> str:
    return rf'"\n{list(rows.lines())[-1]}"'


LAST_COMMAND = last_row(messages.COMMANDS)
LAST_EVENT = last_row(messages.EVENTS)
LAST_FAULT = f'"{messages.FAULTS[-1]}",'
# Rows of the first schema with these rules.
FIRST_COMMAND = r'"\n99|scrub|every||"'
FIRST_EVENT = r'"\n24|laboratory|entered:B"'
FIRST_FAULT = '"image-changed",'

NEW_COMMAND = max(messages.COMMANDS) + 1
NEW_EVENT = max(messages.EVENTS) + 1
NEW_FAULT = len(messages.FAULTS) + 4
COMMAND = (LAST_COMMAND, LAST_COMMAND + rf' "\n{NEW_COMMAND}|cool|shuffler|degrees:H|"')
WITHOUT_LAST_COMMAND = (LAST_COMMAND, '""')  # firmware or a driver without that command
EVENT = (LAST_EVENT, LAST_EVENT + rf' "\n{NEW_EVENT}|cooled|degrees:H"')
FAULT = (LAST_FAULT, LAST_FAULT + '"too-warm",')
OTHER_FAULT = (LAST_FAULT, LAST_FAULT + '"too-cold",')
FIVE_FAULTS = (LAST_FAULT, LAST_FAULT + '"too-warm", "too-cold", "too-dry", "too-wet", "smoke",')


def schema(*changes: Change) -> Any:
    """Return the message schema with these changes to its source."""
    assert messages.__file__
    text = Path(messages.__file__).read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    module = ModuleType(messages.__name__)
    module.__package__ = messages.__package__
    exec(compile(text, messages.__file__, "exec"), module.__dict__)
    return module


def are_compatible(one: Any, other: Any) -> bool:
    """Return whether both sides accept, as a session needs."""
    return bool(one.is_compatible(other.fingerprint()) and other.is_compatible(one.fingerprint()))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ([], []),
        ([], [FAULT]),
        ([], [EVENT]),
        ([], [COMMAND]),
        ([WITHOUT_LAST_COMMAND], []),
        ([], [COMMAND, EVENT, FAULT]),
        ([FAULT], [EVENT, FAULT]),
        ([FAULT], [FIVE_FAULTS]),
        ([EVENT, FAULT], [COMMAND, EVENT, FIVE_FAULTS]),
    ],
)
def test_schemas_with_rows_added_at_the_end_are_compatible(
    older: list[Change], newer: list[Change]
) -> None:
    assert are_compatible(schema(*older), schema(*newer))


@pytest.mark.parametrize(
    "change",
    [
        (FIRST_EVENT, r'"\n24|laboratory|entered:H"'),
        (FIRST_EVENT, '""'),
        (r'"\n5|unloaded|cards:H"', '""'),
        (r'"\n5|unloaded|cards:H"', r'"\n200|cooled|degrees:H" "\n5|unloaded|cards:H"'),
        (FIRST_COMMAND, '""'),
        (r'"\n17|deal|shuffler shoe|cards:B|"', r'"\n17|deal|shuffler shoe|cards:H|"'),
        (FIRST_COMMAND, r'"\n99|scrub|?every||"'),
        (FIRST_FAULT, ""),
        ('"door-open",', '"door-ajar",'),
        ('"door-open",', '"too-warm", "door-open",'),
        (r'"\n2|malformed op"', r'"\n2|malformed"'),
        (r'"\n6|provision|key:32s"', r'"\n6|provision|key:16s"'),
        ('"unloading", "fault"', '"fault", "unloading"'),
        ("VERSION = 2\n", "VERSION = 3\n"),
    ],
)
@pytest.mark.parametrize("more", [[], [COMMAND], [FIVE_FAULTS]])
def test_schemas_with_a_changed_or_removed_row_are_a_mismatch(
    change: Change, more: list[Change]
) -> None:
    """The other side may also have more rows after the changed one."""
    if more and change[0] == more[0][0]:
        more = []
    assert not are_compatible(schema(change), schema(*more))
    assert not are_compatible(schema(), schema(change, *more))


@pytest.mark.parametrize(
    ("one", "other"),
    [([FAULT], [OTHER_FAULT]), ([FAULT], [EVENT]), ([OTHER_FAULT], [FIVE_FAULTS])],
)
def test_schemas_with_different_added_rows_are_a_mismatch(
    one: list[Change], other: list[Change]
) -> None:
    assert not are_compatible(schema(*one), schema(*other))


def test_fingerprint_from_before_the_rules_is_a_mismatch_for_at_least_one_side() -> None:
    """Firmware and drivers from before the rules compare all eight bytes for equality."""
    before = bytes.fromhex("a402dbb86f8eb3e7")
    assert not messages.is_compatible(before)
    assert messages.fingerprint() != before


@pytest.fixture
def device_with(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., SocketPeer]]:
    """Start a device whose firmware has the schema with these changes."""
    started = []

    def start(*changes: Change) -> SocketPeer:
        of_the_device = schema(*changes)
        monkeypatch.setattr(sessions, "m", of_the_device)
        monkeypatch.setattr(peers, "m", of_the_device)
        started.append(SocketPeer())
        return started[-1]

    yield start
    for each in started:
        each.close()


def driver_with(monkeypatch: pytest.MonkeyPatch, *changes: Change) -> None:
    """Give the driver's handshake the schema with these changes."""
    monkeypatch.setattr(handshake, "messages", schema(*changes))


def test_old_driver_reports_a_fault_of_a_new_device_by_its_number(
    device_with: Callable[..., SocketPeer], opened: Opener
) -> None:
    device = device_with(FIVE_FAULTS)
    device.after_deal = lambda: device.event("fault", NEW_FAULT, 5, b"")
    with pytest.raises(InFaultError) as raised:
        opened(device.port).deal()
    assert raised.value.fault == f"unknown-fault-{NEW_FAULT}"
    assert raised.value.hint.startswith(f"Unknown fault {NEW_FAULT}: update cutcard.")


def test_old_driver_reports_a_refusal_in_a_fault_of_a_new_device_by_its_number(
    device_with: Callable[..., SocketPeer], opened: Opener
) -> None:
    device = device_with(FIVE_FAULTS)
    device.refuse_with = ("in-fault", NEW_FAULT, 5)
    with pytest.raises(InFaultError) as raised:
        opened(device.port).deal()
    assert raised.value.fault == f"unknown-fault-{NEW_FAULT}"


def test_old_driver_records_and_acknowledges_an_event_of_a_new_device(
    device_with: Callable[..., SocketPeer], opened: Opener
) -> None:
    device = device_with(EVENT, COMMAND)
    recorded: list[Event] = []

    def cool_and_deal() -> None:
        device.event("cooled", 300)
        device.card()

    device.after_deal = cool_and_deal
    driver = opened(device.port, record=recorded.append)
    dealt = driver.deal()
    unknown = UnknownEvent(2, NEW_EVENT, b"\x2c\x01")
    assert recorded == [Started(1, 1, "power"), unknown, dealt]
    assert isinstance(dealt, CardDealt)
    assert dealt.number == 3
    driver.acknowledge()
    assert device.memory.events == []
    assert list(driver.events(0)) == [recorded[0], unknown]
    assert from_plain(2, plain(unknown)) == unknown


def test_new_driver_with_an_old_device_works(
    device_with: Callable[..., SocketPeer], opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver_with(monkeypatch, COMMAND, EVENT, FIVE_FAULTS)
    assert opened(device_with().port).deal().card is not None


def test_new_driver_explains_that_an_old_device_does_not_know_a_command(
    device_with: Callable[..., SocketPeer], opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver_with(monkeypatch, COMMAND)
    device = device_with()
    device.refuse_with = ("unknown-command", NEW_COMMAND, 0)
    with pytest.raises(
        CommandRefusedError, match=f"does not know the command {NEW_COMMAND}"
    ) as refused:
        opened(device.port).deal()
    assert "older than this driver" in refused.value.hint


@pytest.mark.parametrize(
    ("of_driver", "of_device"),
    [
        ([], [(FIRST_EVENT, r'"\n24|laboratory|entered:H"')]),
        ([], [(FIRST_EVENT, r'"\n24|laboratory|entered:H"'), FAULT]),
        ([(FIRST_EVENT, r'"\n24|laboratory|entered:H"'), FAULT], []),
        ([], [(FIRST_COMMAND, '""')]),
        ([(FIRST_COMMAND, '""')], []),
        ([FAULT], [EVENT]),
    ],
)
def test_driver_and_device_with_a_changed_or_removed_message_refuse_each_other(
    of_driver: list[Change],
    of_device: list[Change],
    device_with: Callable[..., SocketPeer],
    opened: Opener,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    driver_with(monkeypatch, *of_driver)
    device = device_with(*of_device)
    with pytest.raises(SchemaMismatchError, match="schema"):
        opened(device.port)
    assert device.commands == []


def test_device_refuses_a_proof_after_receiving_another_fingerprint_than_the_host_sent(
    device_with: Callable[..., SocketPeer], opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that makes the host look older changes only the proof."""
    newer = schema(FAULT)
    driver_with(monkeypatch, FAULT)
    device = device_with(FAULT)
    hello = device.link._hello

    def older(payload: bytes, fields: dict[str, Any]) -> None:
        changed = payload[:1] + messages.fingerprint() + payload[9:]
        assert payload[1:9] == newer.fingerprint()
        hello(changed, fields | {"table": messages.fingerprint()})

    monkeypatch.setattr(device.link, "_hello", older)
    with pytest.raises(AuthenticationFailedError, match="did not accept"):
        opened(device.port)
