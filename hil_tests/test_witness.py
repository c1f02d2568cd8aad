"""The device as the witness of a table's journal: no event removes a head that it took in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest

from cutcard.devices import CommandRefusedError, Shuffler
from cutcard.devices.card_device import Chains, Sent, Witness
from cutcard_firmware.core.schema import messages
from hil_tests.conftest import loaded
from hil_tests.line import RawLine
from hil_tests.table import Table

TableAt = Callable[..., Table[Shuffler]]

HEADS = [sha256(bytes((number,))).digest() for number in range(3)]


def test_start_of_a_round_takes_in_the_head_of_the_journal(
    shuffler: Table[Shuffler],
) -> None:
    before = shuffler.device.witness()
    for head in HEADS:
        shuffler.device.begin_round(head=head)
    expected = before.after(HEADS[0]).after(HEADS[1]).after(HEADS[2])
    assert shuffler.device.witness() == expected


def test_round_without_a_journal_leaves_no_witness(shuffler: Table[Shuffler]) -> None:
    before = shuffler.device.witness()
    shuffler.device.begin_round()
    shuffler.device.end_round()
    assert shuffler.device.witness() == before


def test_witnessed_head_survives_power_cuts_cards_and_a_new_pack(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.device.begin_round(head=HEADS[0])
    known = at.device.witness()
    at.do("power", how="cycle")
    assert at.device.witness() == known
    at.device.unload()
    at.bench.return_cards()
    at.bench.settle()
    at.device.load(1)
    assert at.device.witness() == known


def test_duplicate_command_is_witnessed_once(line: RawLine) -> None:
    line.begin()
    before = line.ask("witness")["count"]
    number = line.next_id()
    for _ in range(2):
        line.ask("round", 1, HEADS[0], identity=number)
    assert line.ask("witness")["count"] == before + 1


def test_half_a_head_and_a_head_without_a_round_are_refused(line: RawLine) -> None:
    line.begin()
    before = line.ask("witness")
    for begins, head in ((1, HEADS[0][:31]), (0, HEADS[0]), (2, HEADS[0])):
        line.write(line.seal("round", begins, head, identity=line.next_id()))
        assert line.reply()[0] == "malformed"
    assert line.ask("witness") == before


def test_numbered_command_takes_in_a_head_once(line: RawLine) -> None:
    line.begin()
    before = line.ask("witness")
    number = line.next_id()
    for _ in range(2):
        line.ask("witnessed", HEADS[0], messages.OP["round"], b"\1", identity=number)
    after = Witness(before["count"], before["value"]).after(HEADS[0])
    chains = line.ask("chains")
    assert Witness(chains["count"], chains["value"]) == after
    assert line.ask("status")["last_command"] == number


def test_refused_command_takes_in_no_head(line: RawLine) -> None:
    line.begin()
    before = line.ask("chains")
    refused = {
        "wrong-mode": (HEADS[0], messages.OP["deal"], b"\1"),
        "unknown-command": (HEADS[0], 255, b""),
        "other-device": (HEADS[0], messages.OP["renew"], b""),
        "malformed": (HEADS[0], messages.OP["status"], b""),
    }
    for error, arguments in refused.items():
        line.write(line.seal("witnessed", *arguments, identity=line.next_id()))
        assert line.reply()[0] == error
    inner = messages.pack("head:32s op:B arguments:*", (HEADS[0], messages.OP["disarm"], b""))
    line.write(line.seal("witnessed", HEADS[0], messages.OP["witnessed"], inner, identity=1))
    assert line.reply()[0] in ("malformed", "stale-command")
    assert line.ask("chains") == before


def test_head_bypasses_no_fault(line: RawLine) -> None:
    """A device in a fault obeys `recover` and `unload`, with a head and without one."""
    line.begin()
    assert line.bench is not None
    line.bench.do("door", how="open")
    line.bench.settle()
    line.bench.do("door", how="close")
    line.bench.settle()
    before = line.ask("witness")
    number = line.next_id()
    for command, arguments, error in (("round", b"\1", "in-fault"), ("unload", b"", "ok")):
        line.write(
            line.seal("witnessed", HEADS[0], messages.OP[command], arguments, identity=number)
        )
        assert line.reply()[0] == error
    assert line.ask("witness")["count"] == before["count"] + 1


def test_chain_of_events_covers_the_sent_bytes_and_survives_power_cuts(table: TableAt) -> None:
    at = loaded(table("carousel"))
    chains = at.device.chains()
    assert chains.sent is not None
    sent = Sent(0, bytes(32))
    for number in range(1, chains.sent.event + 1):
        payload = at.device.payload(number)
        assert payload is not None
        sent = sent.after(payload)
    assert chains.sent == sent
    at.do("power", how="cycle")
    started = at.device.chains().sent
    assert started is not None
    payload = at.device.payload(sent.event + 1)
    assert payload is not None
    assert payload[0] == messages.EVENT_CODE["started"]
    assert started == sent.after(payload)


def test_machine_signs_its_chains_with_its_own_key(table: TableAt) -> None:
    at = loaded(table("carousel"))
    first = at.device.signed(HEADS[0])
    assert first is not None
    assert first.holds()
    assert Chains(first.witness, first.sent) == at.device.chains()
    assert (first.serial, first.head) == (at.device.serial, HEADS[0])
    at.do("power", how="cycle")
    second = at.device.signed(HEADS[1])
    assert second is not None
    assert second.holds()
    assert second.key == first.key
    assert second.sent.event > first.sent.event


@pytest.mark.parametrize(
    "change",
    [
        {"serial": "00" * 8},
        {"witness": Witness(1, bytes(32))},
        {"sent": Sent(1, bytes(32))},
        {"head": HEADS[1]},
        {"key": bytes(32)},
    ],
)
def test_changed_statement_is_rejected(
    shuffler: Table[Shuffler], change: dict[str, object]
) -> None:
    statement = shuffler.device.signed(HEADS[0])
    assert statement is not None
    assert statement.holds()
    assert not replace(statement, **change).holds()  # type: ignore[arg-type]


def test_machine_does_not_sign_while_a_card_is_called(table: TableAt) -> None:
    at = loaded(table("carousel"))
    at.do("hand", on=False)
    at.device.call_for(1)
    with pytest.raises(CommandRefusedError, match="still called for"):
        at.device.signed(HEADS[0])
    at.device.disarm()
    assert at.device.signed(HEADS[0]) is not None


def test_commands_of_an_older_driver_take_in_no_head(shuffler: Table[Shuffler]) -> None:
    """It reads the same count and value as before, with the question that it knows."""
    before = shuffler.device.chains().witness
    shuffler.device.end_round()
    assert shuffler.device.chains().witness == shuffler.device.witness() == before
    shuffler.device.begin_round(head=HEADS[0])
    assert shuffler.device.chains().witness == shuffler.device.witness() == before.after(HEADS[0])
