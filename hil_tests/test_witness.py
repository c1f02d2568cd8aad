"""The device as the witness of a table's journal: what it took in, nothing takes out of it."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from cutcard.devices import Shuffler
from hil_tests.conftest import loaded
from hil_tests.line import Line
from hil_tests.table import Table

TableAt = Callable[..., Table[Shuffler]]

HEADS = [sha256(bytes((number,))).digest() for number in range(3)]


def test_a_round_that_begins_takes_the_head_of_the_journal_in(
    shuffler: Table[Shuffler],
) -> None:
    before = shuffler.device.witness()
    for head in HEADS:
        shuffler.device.begin_round(head=head)
    expected = before.after(HEADS[0]).after(HEADS[1]).after(HEADS[2])
    assert shuffler.device.witness() == expected


def test_a_round_without_a_journal_leaves_no_witness(shuffler: Table[Shuffler]) -> None:
    before = shuffler.device.witness()
    shuffler.device.begin_round()
    shuffler.device.end_round()
    assert shuffler.device.witness() == before


def test_what_a_device_witnessed_outlasts_power_cards_and_a_new_pack(table: TableAt) -> None:
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


def test_a_command_that_comes_twice_is_witnessed_once(line: Line) -> None:
    line.begin()
    before = line.ask("witness")["count"]
    number = line.next_id()
    for _ in range(2):
        line.ask("round", 1, HEADS[0], identity=number)
    assert line.ask("witness")["count"] == before + 1


def test_half_a_head_and_one_where_no_round_begins_are_refused(line: Line) -> None:
    line.begin()
    before = line.ask("witness")
    for begins, head in ((1, HEADS[0][:31]), (0, HEADS[0]), (2, HEADS[0])):
        line.write(line.seal("round", begins, head, identity=line.next_id()))
        assert line.reply()[0] == "malformed"
    assert line.ask("witness") == before
