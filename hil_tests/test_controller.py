"""The jackpot controller: draws, refusals, and verification by third parties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cutcard.devices import Controller
from cutcard.devices.errors import BadArgumentError, CommandRefusedError
from cutcard.devices.events import IdlePress, PrizeDrawn, ReadingsDiffer
from cutcard.prizes.draw import Draw
from cutcard.prizes.tables import rulebook_tables
from cutcard.testing.plugin import CHIP, Benches
from cutcard_firmware.core.devices.sensors import WRAP
from hil_tests.conftest import PRIZES
from hil_tests.line import RawLine
from hil_tests.table import Table

AMOUNTS = {1: 1000, 2: 100, 3: 100, 4: 5, 5: 5, 6: 5}


def pressed(there: Table[Controller], table: int = 1, round: int = 1, box: int = 1) -> Draw:
    """Offer a press, press by hand, and return the draw."""
    there.device.offer(table, round, box, wager=500)
    there.do("press", table=table)
    there.bench.settle()
    return there.device.wait_for_press(table, round, box)


def shown(there: Table[Controller], table: int = 1) -> dict[str, Any]:
    there.bench.settle()
    found: dict[str, Any] = there.bench.status()["tables"][table - 1]
    return found


def holds(draw: Draw, public_key: bytes) -> bool:
    """Return whether a third party accepts the record with only the public key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(draw.signature, draw.message)
    except InvalidSignature:
        return False
    return True


# drawing


def test_press_draws_one_prize_and_meter_and_panel_show_it(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=17, box=3, wager=500)
    assert shown(controller) == {"meter": None, "panel": None, "lit": True}
    controller.do("press", table=1)
    controller.bench.settle()
    draw = controller.device.wait_for_press(1, round=17, box=3)
    assert (draw.kind, draw.table, draw.round, draw.box, draw.wager) == ("prize", 1, 17, 3, 500)
    assert (draw.prizes, draw.amount) == (6, AMOUNTS[draw.prize])
    assert draw.digest == sha256(PRIZES.encode()).digest()
    assert shown(controller) == {"meter": draw.amount, "panel": draw.amount, "lit": False}


def test_draws_return_every_prize_of_the_table_and_no_other(controller: Table[Controller]) -> None:
    prizes = []
    for round in range(1, 61):
        draw = controller.device.press(1, round, box=1, wager=100)
        assert draw.amount == AMOUNTS[draw.prize]
        prizes.append(draw.prize)
    assert set(prizes) == set(AMOUNTS)


def test_every_prize_table_of_the_rulebooks_can_be_drawn_from(
    controller: Table[Controller],
) -> None:
    tables = rulebook_tables()
    assert len(tables) == 11
    for round, (text, total) in enumerate(tables.values(), 1):
        controller.device.set_prizes(1, text)
        draw = controller.device.press(1, round, box=1, wager=100)
        assert draw.prizes == total
        assert 1 <= draw.prize <= total


def test_one_wager_of_a_list_is_selected(controller: Table[Controller]) -> None:
    """Lucky Player and the Mystery Jackpot: without a press, and without a displayed prize."""
    wagers = sha256(b"1 1 0\n1 4 0\n2 7 1\n").digest()
    draw = controller.device.select(3, round=5, among=3, digest=wagers)
    assert (draw.kind, draw.digest, draw.prizes, draw.amount) == ("selection", wagers, 3, 0)
    assert 1 <= draw.prize <= 3
    assert controller.device.select(3, round=5, among=3, digest=wagers) == draw
    assert holds(draw, controller.device.identity().public_key)
    with pytest.raises(CommandRefusedError, match=r"with 3 and not with 2"):
        controller.device.select(3, round=5, among=2, digest=wagers)


def test_tables_are_independent(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=9, box=1, wager=500)
    controller.device.offer(2, round=4, box=2, wager=300)
    controller.do("press", table=2)
    controller.bench.settle()
    draw = controller.device.wait_for_press(2, round=4, box=2)
    assert draw.wager == 300
    assert controller.device.panel(1).offered
    assert shown(controller, 1) == {"meter": None, "panel": None, "lit": True}
    assert len(controller.events_of(PrizeDrawn)) == 1


# Repetition


def test_repeated_press_returns_the_same_prize(controller: Table[Controller]) -> None:
    draw = pressed(controller)
    assert controller.device.press(1, round=1, box=1, wager=500) == draw
    controller.device.offer(1, round=1, box=1, wager=500)
    assert not controller.device.panel(1).offered
    controller.reopen()
    controller.bench.cycle_power()
    assert controller.device.press(1, round=1, box=1, wager=500) == draw
    assert controller.device.identity().draws == 1
    assert {event.draw for event in controller.events_of(PrizeDrawn)} == {draw}


def test_replayed_command_draws_no_prize(controller: Table[Controller]) -> None:
    """This covers the identical frame, and the same command in another frame."""
    controller.device.close()
    line = RawLine.to_bench(controller.bench)
    line.begin()
    identity = line.next_id()
    frame = line.seal("press", 1, 1, 1, 0, 0, 500, identity=identity)
    for _ in range(2):
        line.write(frame)
        assert line.reply()[0] == "ok"
    line.ask("press", 1, 1, 1, 0, 0, 500, identity=identity)
    assert line.ask("signer")["draws"] == 1
    line.close()
    controller.device = controller.open()


def test_press_again_ruling_makes_the_next_attempt(
    controller: Table[Controller],
) -> None:
    first = pressed(controller)
    second = controller.device.press(1, round=1, box=1, wager=500, attempt=1)
    assert (second.attempt, second.counter) == (1, first.counter + 1)
    assert controller.device.draws() == [first, second]


def test_each_player_on_a_box_has_a_press(controller: Table[Controller]) -> None:
    draws = [controller.device.press(1, 1, box=4, wager=100, seat=seat) for seat in range(3)]
    assert [draw.counter for draw in draws] == [1, 2, 3]
    assert [draw.seat for draw in draws] == [0, 1, 2]


# Verification


def test_third_party_verifies_a_draw_with_only_the_public_key(
    controller: Table[Controller],
) -> None:
    public_key = controller.device.identity().public_key
    draw = pressed(controller)
    assert holds(draw, public_key)
    for change in (
        {"prize": draw.prize % 6 + 1},
        {"amount": draw.amount + 1},
        {"wager": draw.wager + 1},
        {"table": 2},
        {"round": 2},
        {"counter": 2},
        {"serial": bytes(8)},
        {"digest": bytes(32)},
        {"kind": "selection"},
    ):
        assert not holds(replace(draw, **change), public_key)
    assert not holds(draw, bytes(32))


def test_each_record_names_its_predecessor(controller: Table[Controller]) -> None:
    draws = [pressed(controller, round=round) for round in (1, 2, 3)]
    assert draws[0].previous == bytes(32)
    for before, after in pairwise(draws):
        assert after.previous == before.record_digest
        assert after.counter == before.counter + 1
    assert controller.device.identity().chain == draws[-1].record_digest


def test_every_controller_has_a_different_key(table: Callable[..., Table[Controller]]) -> None:
    keys = {table("controller-4", seed).device.identity().public_key for seed in (1, 2)}
    assert len(keys) == 2


# Presses without an offer


def test_press_without_an_offer_draws_no_prize_and_reports_its_time(
    controller: Table[Controller],
) -> None:
    began = controller.bench.settle()
    controller.do("press", table=1)
    controller.bench.settle()
    controller.bench.advance(1000)
    controller.do("press", table=1)
    passed = controller.bench.settle() - began
    first, second = controller.events_of(IdlePress)
    assert (first.table, first.shown) == (1, 0)
    assert 1000 <= (second.time - first.time) % WRAP <= passed
    assert controller.device.identity().draws == 0


def test_second_press_after_the_draw_draws_no_prize(controller: Table[Controller]) -> None:
    draw = pressed(controller)
    controller.do("press", table=1)
    [vain] = controller.events_of(IdlePress)
    assert vain.shown == draw.counter
    assert controller.device.identity().draws == 1
    assert shown(controller)["meter"] == draw.amount


def test_press_after_a_withdrawn_offer_draws_no_prize(controller: Table[Controller]) -> None:
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.device.withdraw(1)
    assert not shown(controller)["lit"]
    controller.do("press", table=1)
    assert len(controller.events_of(IdlePress)) == 1
    assert not controller.events_of(PrizeDrawn)


def test_clock_may_wrap_while_a_button_is_on_offer(
    controller: Table[Controller], benches: Benches
) -> None:
    """The bench's clock starts three seconds before its wrap."""
    if benches.kind == CHIP:
        pytest.skip("a board's clock starts at zero: twelve days pass before it wraps")
    controller.device.offer(1, round=1, box=1, wager=500)
    controller.bench.advance(4000)
    controller.do("press", table=1)
    controller.bench.settle()
    assert controller.device.wait_for_press(1, round=1, box=1).counter == 1
    controller.do("press", table=1)
    assert controller.events_of(IdlePress)[0].time < 10_000


# Readings of meter and panel


@pytest.mark.parametrize("which", ["meter", "panel"])
def test_differing_readings_are_reported(controller: Table[Controller], which: str) -> None:
    draw = pressed(controller)
    controller.do("display", how="set", table=1, which=which, amount=77)
    [differ] = controller.events_of(ReadingsDiffer)
    assert (differ.table, differ.counter, differ.drawn) == (1, draw.counter, draw.amount)
    assert {which: 77} == {
        name: amount
        for name, amount in (("meter", differ.meter), ("panel", differ.panel))
        if amount != draw.amount
    }
    assert controller.status().mode == "ready"


# Refusals


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("", 0),
        ("0 5\n", 1),
        ("1 5", 1),
        ("1 5\n\n", 2),
        ("1 5\n2 x\n", 2),
        ("1 5\n-2 7\n", 2),
        ("1 5\n02 7\n", 2),
        ("1  5\n", 1),
        ("1 5 6\n", 1),
        ("10 0\n", 0),
        ("1 5\n4294967294 7\n", 0),
        ("1 5\n9999999999999999999 7\n", 2),
    ],
)
def test_invalid_prize_table_is_refused_and_the_old_one_stays(
    controller: Table[Controller], text: str, row: int
) -> None:
    with pytest.raises(CommandRefusedError) as refused:
        controller.device.set_prizes(1, text)
    assert (refused.value.error, refused.value.a) == ("bad-prizes", row)
    assert controller.device.panel(1).prizes == 6


@pytest.mark.parametrize("wager", [-500, 1 << 32])
def test_wager_too_large_for_a_message_is_not_sent(
    controller: Table[Controller], wager: int
) -> None:
    with pytest.raises(BadArgumentError, match="wager cannot be"):
        controller.device.press(1, round=1, box=1, wager=wager)
    assert controller.device.identity().draws == 0
    assert controller.device.press(1, round=1, box=1, wager=500).counter == 1


def test_list_is_identified_by_all_32_bytes_of_its_digest(controller: Table[Controller]) -> None:
    with pytest.raises(BadArgumentError, match="32 bytes"):
        controller.device.select(1, round=1, among=3, digest=b"short")
    assert controller.device.identity().draws == 0


def test_prize_table_too_large_for_a_frame_is_not_sent(
    controller: Table[Controller],
) -> None:
    with pytest.raises(BadArgumentError, match="218"):
        controller.device.set_prizes(1, "1 1\n" * 60)
    assert controller.device.panel(1).prizes == 6


@pytest.mark.parametrize("number", [0, 5, 255])
def test_fifth_table_is_refused(controller: Table[Controller], number: int) -> None:
    for call in (
        lambda: controller.device.set_prizes(number, PRIZES),
        lambda: controller.device.offer(number, 1, 1, 500),
        lambda: controller.device.press(number, 1, 1, 500),
        lambda: controller.device.select(number, 1, 3, bytes(32)),
        lambda: controller.device.panel(number),
    ):
        with pytest.raises(CommandRefusedError) as refused:
            call()
        assert (refused.value.error, refused.value.b) == ("no-such-table", 4)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(CommandRefusedError) as refused:
        call()
    return refused.value.error


def test_refused_command_neither_draws_nor_loses_a_prize(controller: Table[Controller]) -> None:
    device = controller.device
    draw = pressed(controller, round=7)
    assert refusal(lambda: device.press(1, 7, 2, wager=0)) == "no-wager"
    assert refusal(lambda: device.offer(1, 7, 2, wager=0)) == "no-wager"
    assert refusal(lambda: device.press(3, 1, 1, wager=500)) == "no-prizes"
    assert refusal(lambda: device.press(1, 6, 1, wager=500)) == "old-round"
    assert refusal(lambda: device.press(1, 7, 1, wager=400)) == "other-wager"
    assert refusal(lambda: device.select(1, 7, 0, bytes(32))) == "nothing-to-select"
    device.offer(1, 7, 2, wager=100)
    assert refusal(lambda: device.press(1, 7, 3, wager=500)) == "on-offer"
    assert refusal(lambda: device.offer(1, 8, 2, wager=100)) == "on-offer"
    assert refusal(lambda: device.set_prizes(1, PRIZES)) == "on-offer"
    assert device.draws() == [draw]
    assert device.panel(1).offered


def test_controller_stores_sixteen_draws_and_refuses_more(controller: Table[Controller]) -> None:
    device = controller.device
    first = [device.press(1, 1, box, wager=100) for box in range(1, 17)]
    assert refusal(lambda: device.press(1, 1, 17, wager=100)) == "draws-full"
    assert refusal(lambda: device.press(2, 1, 1, wager=100)) == "draws-full"
    assert device.draws() == first
    assert device.press(1, 2, 1, wager=100).counter == 17
    assert len(device.draws()) == 1


def test_host_that_takes_no_events_gets_no_more_draws(controller: Table[Controller]) -> None:
    """Each press without an offer is an event; after two dozen stored events, no prize is drawn."""
    controller.device.offer(1, 1, 1, wager=100)
    controller.device.close()
    for _ in range(30):
        controller.do("press", table=2)
        controller.bench.settle()
    assert not shown(controller)["lit"]
    controller.do("press", table=1)
    controller.bench.settle()
    controller.device = controller.open()
    assert len(controller.events_of(IdlePress)) < 30
    assert controller.device.identity().draws == 0
    controller.device.acknowledge()
    controller.bench.advance(5000)
    assert shown(controller)["lit"]
