"""Laboratory mode: entered empty, reported, and always left with a newly seeded source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cutcard.bench.client import Bench
from cutcard.bench.noise import BenchNoise
from cutcard.devices.connection import Connection
from cutcard.devices.controller import Controller
from cutcard.devices.deadline import Deadline
from cutcard.devices.errors import CommandRefusedError, DeviceError, InFaultError
from cutcard.devices.events import LaboratoryMode
from hil_tests.conftest import loaded
from hil_tests.table import Table

TableAt = Callable[..., Table[Any]]
machines = pytest.mark.parametrize("machine", ["carousel", "slots", "shelves", "shoe-8"])
EVERYTHING = (("raw_noise", 8), ("raw_output", 8), ("scaled_draws", 38, 8))


@pytest.fixture
def table(table: TableAt) -> TableAt:
    """Return devices that were in laboratory mode once.

    An interpreter keeps the names that it has seen, two kilobytes here; the tests detect any
    further growth.
    """

    def at(machine: str, seed: int = 1, entropy: int = 0) -> Table[Any]:
        there = table(machine, seed, entropy)
        with there.device.laboratory():
            pass
        there._first_heap = there.heap()
        there.events.clear()
        return there

    return at


def ask(at: Table[Any], name: str, *arguments: int) -> dict[str, Any]:
    """Send a question without the driver's own checks."""
    connection: Connection = at.device._connection
    return connection.ask(name, *arguments, deadline=Deadline(5))


def enter(at: Table[Any], enters: int = 1) -> None:
    at.device._connection.command("laboratory", enters, deadline=Deadline(10))


def order_of(at: Table[Any]) -> list[int]:
    loaded(at).device.unload()
    return [card["number"] for card in at.bench.cards()["outside"]]


@machines
def test_empty_device_enters_reports_and_leaves_laboratory_mode(
    table: TableAt, machine: str
) -> None:
    at = table(machine)
    with at.device.laboratory():
        assert at.status().mode == "laboratory"
        assert at.bench.status()["light"] == "laboratory"
    assert at.status().mode == "empty"
    assert at.bench.status()["light"] == "off"
    assert [event.entered for event in at.events_of(LaboratoryMode)] == [True, False]
    assert at.status().boots == 1


@machines
def test_other_modes_refuse_laboratory_questions_by_name(table: TableAt, machine: str) -> None:
    at = table(machine)
    for name, *arguments in EVERYTHING:
        with pytest.raises(CommandRefusedError) as call:
            ask(at, name, *arguments)
        assert call.value.error == "laboratory-only"
    with pytest.raises(CommandRefusedError, match="laboratory mode only; it is empty"):
        enter(at, 0)


@machines
def test_device_with_cards_inside_does_not_enter(table: TableAt, machine: str) -> None:
    at = loaded(table(machine))
    with pytest.raises(CommandRefusedError) as call:
        enter(at)
    assert (call.value.error, call.value.a) == ("wrong-mode", 2)
    assert at.status().mode == "ready"


@machines
def test_cards_seen_only_by_a_sensor_prevent_entry(table: TableAt, machine: str) -> None:
    at = table(machine)
    at.bench.put(1)
    at.bench.settle()
    with pytest.raises(CommandRefusedError) as call:
        enter(at)
    assert call.value.error == "not-clear"


def test_device_in_laboratory_mode_deals_no_card(table: TableAt) -> None:
    at = table("carousel")
    with at.device.laboratory():
        at.bench.put(1)
        at.bench.settle()
        with pytest.raises(CommandRefusedError, match="laboratory"):
            at.device.load(1)
        assert at.status().mode == "laboratory"
    at.device.load(1)
    assert at.status().inside == 52


def test_device_in_a_fault_gives_no_output(table: TableAt) -> None:
    at = table("carousel")
    enter(at)
    at.do("door", how="open")
    at.bench.settle()
    for name, *arguments in EVERYTHING:
        with pytest.raises(CommandRefusedError, match="laboratory mode only; it is fault"):
            ask(at, name, *arguments)
    at.do("door", how="close")
    at.bench.settle()
    at.device.recover(0)
    assert at.status().mode == "empty"


@pytest.mark.usefixtures("alike")
def test_output_is_the_input_of_the_draws(table: TableAt) -> None:
    """Of two identical devices, one returns raw bytes, and the other draws made of them."""
    with table("carousel", seed=3).device.laboratory() as laboratory:
        raw = b"".join(laboratory.output(600))
    with table("carousel", seed=3).device.laboratory() as laboratory:
        drawn = [number for piece in laboratory.draws(38, 250) for number in piece]
    expected: list[int] = []
    at = 0
    while len(expected) < 250:
        number = int.from_bytes(raw[at : at + 2], "big") // (65536 // 38)
        at += 2
        if number < 38:
            expected.append(number)
    assert drawn == expected


@pytest.mark.parametrize("span", [2, 38, 256, 257, 3750, 65536, 65537, 1 << 32])
def test_draws_of_any_range_are_in_range(table: TableAt, span: int) -> None:
    with table("carousel").device.laboratory() as laboratory:
        drawn = [number for piece in laboratory.draws(span, 300) for number in piece]
    assert len(drawn) == 300
    assert max(drawn) < span
    assert len(set(drawn)) > 1


def test_noise_is_the_boards_own_samples_in_order(table: TableAt) -> None:
    """Each reply has consecutive samples. Between two replies, the board itself may use some."""
    at = table("carousel", seed=5)
    with at.device.laboratory() as laboratory:
        pieces = list(laboratory.noise(4096))
    noise, end = BenchNoise("5/1").take(at.bench.status()["noise_taken"]), 0
    for piece in pieces:
        begin = noise.find(piece, end)
        assert begin >= 0
        end = begin + len(piece)
    assert sum(map(len, pieces)) == 4096


def test_noise_failure_in_laboratory_mode_is_a_fault(table: TableAt) -> None:
    at = table("carousel")
    enter(at)
    at.do("noise", how="stuck")
    with pytest.raises(InFaultError, match="random-source"):
        ask(at, "raw_noise", 192)
    at.expect_fault("random-source")
    with pytest.raises(DeviceError):
        at.device.recover(0)
    at.do("noise", how="good")
    at.device.recover(0)
    assert at.status().mode == "empty"


@pytest.mark.parametrize("way", ["leave", "power", "fault"])
def test_source_is_seeded_again_at_every_exit_from_laboratory_mode(
    table: TableAt, way: str
) -> None:
    """Before any card is dealt, the seed in flash is replaced and new noise is mixed in."""
    at = table("carousel", seed=9)
    enter(at)
    ask(at, "raw_output", 192)
    taken = at.bench.status()["noise_taken"]
    if way == "leave":
        enter(at, 0)
    elif way == "power":
        at.bench.cycle_power()
        at.device.status()
    else:
        at.do("door", how="open")
        at.bench.settle()
        at.do("door", how="close")
        at.bench.settle()
        at.device.recover(0)
    assert at.status().mode == "empty"
    assert at.bench.status()["noise_taken"] - taken >= 1088 + 8000 + 4800


@pytest.mark.usefixtures("alike")
@pytest.mark.parametrize("way", ["leave", "power"])
def test_output_does_not_reveal_later_cards(table: TableAt, way: str) -> None:
    """Two devices are identical up to the end of their output; then their noise differs, and so
    does every card."""
    orders, given = [], []
    for other_noise in (False, True):
        at = table("slots", seed=11, entropy=4)
        enter(at)
        given.append([ask(at, "raw_output", 192)["data"] for _ in range(5)])
        if other_noise:
            at.do("noise", how="biased", value=0.5)
        if way == "power":
            at.bench.cycle_power()
            at.device.status()
        else:
            enter(at, 0)
        orders.append(order_of(at))
    assert given[0] == given[1]
    assert orders[0] != orders[1]


@pytest.mark.parametrize("machine", ["carousel", "shoe-8"])
def test_repeated_visits_leak_no_memory(table: TableAt, machine: str) -> None:
    at = table(machine)
    _, free = at.heap()
    for _ in range(5):
        with at.device.laboratory() as laboratory:
            list(laboratory.output(400))
    assert free - at.heap()[1] < 256


# A controller has no cards: it is at rest while no press is on offer.


@pytest.fixture
def controller(fresh_bench: Callable[..., Bench]) -> Iterator[tuple[Bench, Controller]]:
    bench = fresh_bench("controller-4", 1)
    with Controller.open(bench.port, key=bench.key) as device:
        device.set_prizes(1, "1 1000\n99 5\n")
        yield bench, device
    assert bench.status()["crashes"] == 0


def test_controller_without_an_offer_enters_and_returns_to_work(
    controller: tuple[Bench, Controller],
) -> None:
    bench, device = controller
    with device.laboratory() as laboratory:
        assert device.status().mode == "laboratory"
        assert bench.status()["light"] == "laboratory"
        assert len(b"".join(laboratory.output(300))) == 300
        with pytest.raises(CommandRefusedError, match="laboratory"):
            device.press(1, 1, 1, 500)
    assert device.status().mode == "ready"
    assert device.press(1, 1, 1, 500).prizes == 100


def test_controller_does_not_enter_while_a_press_is_possible(
    controller: tuple[Bench, Controller],
) -> None:
    _, device = controller
    device.offer(1, 1, 1, 500)
    with pytest.raises(CommandRefusedError) as call, device.laboratory():
        pass
    assert call.value.error == "wrong-mode"


def test_controller_after_a_power_cut_in_laboratory_mode_works_with_a_new_seed(
    controller: tuple[Bench, Controller],
) -> None:
    bench, device = controller
    device._connection.command("laboratory", 1, deadline=Deadline(10))
    taken = bench.status()["noise_taken"]
    bench.cycle_power()
    assert device.status().mode == "ready"
    assert bench.status()["noise_taken"] - taken >= 1088 + 8000 + 4800
