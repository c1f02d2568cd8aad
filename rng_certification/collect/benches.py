"""Collect outcomes of the firmware in MicroPython with the bench's mechanics.

The name of the collection determines the device's noise and serial number, and the host's share of
the randomness. The same name gives the same bytes, on an idle and on a busy computer. To ensure
this, a command is sent only when the machine is at rest. During a movement its arrival time by the
bench's own clock would vary, and the source cycles by that clock.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count, cycle
from random import Random

import numpy as np

from cutcard.bench.client import Bench
from cutcard.devices import Shoe, Shuffler, UnloggedDeviceWarning
from cutcard.devices.controller import Controller
from cutcard.devices.device import Device
from cutcard.machines import find
from rng_certification.base.compiled import Decks
from rng_certification.continuous.steps import (
    BIN_SHIFT,
    DEALT,
    FED,
    ROUND,
    STEP_SHIFT,
    UNSEEN_BIN,
    Steps,
)
from rng_certification.jackpot.prizes import Prizes

ROUNDS = (12, 17, 9, 21, 14, 7, 19, 11, 16, 5, 23, 13)  # cards of each round, in a cycle
PATIENCE = 120.0  # seconds: a second handshake would mix in the host's bytes once more
PACK = 52
TABLES = 4
DRIVERS: dict[str, type[Device]] = {
    "shuffler": Shuffler,
    "shoe": Shoe,
    "controller": Controller,
}


class DisturbedError(Exception):
    """A session was reopened, so later data no longer depends only on the name."""


@contextmanager
def bench_of(machine: str, name: str) -> Iterator[tuple[Bench, Device]]:
    """Open a bench with a new device, and the host driver that controls it."""
    with _bench(machine, name) as bench, held(bench, machine, name) as device:
        yield bench, device


def _bench(machine: str, name: str) -> Bench:
    return Bench.start(machine, seed=seed_of(name), timeout=PATIENCE)


def seed_of(name: str) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big")


@contextmanager
def held(bench: Bench, machine: str, name: str) -> Iterator[Device]:
    """Open a session with the bench's device; the name determines the host's random bytes.

    `machine` is a name or a file; the bench itself only has the name in the file.
    """
    with warnings.catch_warnings():  # a bench needs no log: its cards and prizes do not count
        warnings.simplefilter("ignore", UnloggedDeviceWarning)
        opened = DRIVERS[find(machine).kind].open(
            bench.port,
            key=bench.key,
            deadline=PATIENCE,
            randomness=Random(name).randbytes,
            retry=PATIENCE,
        )
    with opened as device:
        bench.settle(PATIENCE)
        yield device
        require_undisturbed(device)


def require_undisturbed(device: Device) -> None:
    if device.reconnections:
        raise DisturbedError(f"{device.port.text}: the session broke {device.reconnections} times")


def packs(bench: Bench, device: Shuffler, cards: int) -> Iterator[Decks]:
    """Yield shuffles of a batch machine: for each, the tray position of every card as it leaves.

    Each pack is loaded as it lies in the tray and leaves through the mouth.
    """
    bench.put(cards // PACK)
    while True:
        bench.settle(PATIENCE)
        lay = {card["number"]: place for place, card in enumerate(bench.cards()["tray"])}
        device.load(cards // PACK)
        bench.settle(PATIENCE)
        device.unload()
        left = [card["number"] for card in bench.cards()["outside"]]
        yield np.array([[lay[number] for number in left]], dtype=np.uint16)
        bench.return_cards()


def history(bench: Bench, device: Shuffler, decks: int) -> Iterator[Steps]:
    """Yield the history of a carousel at a table, in the format of `continuous.steps`, without
    bins.

    Each card is requested separately, and all cards return when the round is over.
    """
    bench.put(decks)
    bench.settle(PATIENCE)
    fed = [card["number"] for card in bench.cards()["tray"]]
    first = min(fed)
    device.load(decks)
    bench.settle(PATIENCE)
    steps = [_step(FED, number - first, UNSEEN_BIN) for number in fed]
    for length in cycle(ROUNDS):
        device.begin_round()
        for _ in range(length):
            bench.settle(PATIENCE)
            device.deal()
        bench.settle(PATIENCE)
        dealt = [card["number"] - first for card in bench.cards()["outside"]]
        bench.return_cards()
        bench.settle(PATIENCE)
        steps.append(_step(ROUND, 0))
        steps += [_step(DEALT, number) for number in dealt]
        steps += [_step(FED, number, UNSEEN_BIN) for number in dealt]
        yield np.array(steps, dtype=np.uint32)
        steps = []


def first_draws(machine: str, name: str, span: int, number: int) -> Iterator[bytes]:
    """Yield the first draws of a device after each of its power cuts, one byte each, endlessly.

    The host sends identical bytes every time, so that any difference comes from the device.
    """
    with _bench(machine, name) as bench:
        while True:
            with held(bench, machine, name) as device:
                laboratory = device.laboratory()
                laboratory.enter()
                drawn = [n for piece in laboratory.draws(span, number) for n in piece]
            bench.cycle_power()  # before the device leaves laboratory mode
            bench.settle(PATIENCE)
            yield bytes(drawn)


def presses(bench: Bench, controller: Controller, prizes: Prizes) -> Iterator[int]:
    """Yield prize numbers from 0, as drawn and signed by a controller.

    Each is in a separate round, at any of its tables, for any box and wager.
    """
    for table in range(1, TABLES + 1):
        controller.set_prizes(table, prize_text(prizes))
    for number in count(1):
        press = press_of(number)
        bench.settle(PATIENCE)
        yield controller.press(*press, deadline=PATIENCE).prize - 1


def prize_text(prizes: Prizes) -> str:
    rows = zip(prizes.numbers, prizes.amounts, strict=True)
    return "".join(f"{numbers} {amount}\n" for numbers, amount in rows)


def press_of(number: int) -> tuple[int, int, int, int]:
    """Return table, round, box and wager of a press; the draw must not depend on them."""
    return number % TABLES + 1, number, number % 7 + 1, 500 * (1 + number % 20)


def _step(kind: int, card: int, bin_: int = 0) -> int:
    return kind << STEP_SHIFT | bin_ << BIN_SHIFT | card
