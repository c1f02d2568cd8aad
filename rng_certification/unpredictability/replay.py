"""Tests that draws do not adapt: the same noise gives the same draws, for any input to a device.

Two devices with identical noise receive different inputs, on the bench: other questions, other
tables, boxes and wagers, meters read or not. Their draws must be the same. Time is excluded from
this: a source cycles while its device is idle, so the moment of a call also decides the card.
Without the noise, a player cannot choose a favourable moment.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from cutcard.devices import Shuffler
from cutcard.devices.controller import Controller
from rng_certification.base.finding import Finding
from rng_certification.collect import benches
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.unpredictability.checks import check

PRIZES = "madness-21"
PRESSES = 25
PACKS = 2
CARDS = 52

Press = tuple[int, int, int, int]


def findings(name: str, presses: int = PRESSES, packs: int = PACKS) -> list[Finding]:
    usual = _prizes(name, presses, benches.press_of)
    others: dict[str, Callable[[int], Press]] = {
        "wagers": lambda n: (*benches.press_of(n)[:3], 100_000_000 - n),
        "players": lambda n: (*benches.press_of(n)[:2], 1, benches.press_of(n)[3]),
        "tables": lambda n: (1, *benches.press_of(n)[1:]),
    }
    found = [
        check(f"replay/prizes/{about}", _prizes(name, presses, press) == usual)
        for about, press in others.items()
    ]
    asked = _prizes(name, presses, benches.press_of, asks=True)
    found.append(check("replay/prizes/meters", asked == usual))
    # If the prizes did not depend on the noise, a constant would pass all of these tests.
    elsewhere = _prizes(f"{name}/other", presses, benches.press_of)
    found.append(check("replay/prizes/other-noise-differs", elsewhere != usual))
    orders = _orders(name, packs, asks=False)
    found.append(check("replay/cards/questions", _orders(name, packs, asks=True) == orders))
    elsewhere_dealt = _orders(f"{name}/other", packs, asks=False)
    found.append(check("replay/cards/other-noise-differs", elsewhere_dealt != orders))
    return found


def _prizes(
    name: str, presses: int, press: Callable[[int], Press], asks: bool = False
) -> list[int]:
    """Return the prizes; with `asks`, displays and counters are read between any two presses."""
    prizes = benches.prize_text(find_prizes(PRIZES))
    with benches.bench_of("controller-4", name) as (bench, device):
        assert isinstance(device, Controller)
        for table in range(1, benches.TABLES + 1):
            device.set_prizes(table, prizes)
        drawn = []
        for number in range(1, presses + 1):
            bench.settle(benches.PATIENCE)
            drawn.append(device.press(*press(number), deadline=benches.PATIENCE).prize)
            if asks:
                device.panel(1 + number % benches.TABLES)
                device.counters()
        return drawn


def _orders(name: str, packs: int, asks: bool) -> list[list[int]]:
    with benches.bench_of("drum-60", name) as (bench, device):
        assert isinstance(device, Shuffler)
        orders = []
        for pack in islice(benches.packs(bench, device, CARDS), packs):
            orders += pack.tolist()
            if asks:
                device.status()
                device.counters()
        return orders
