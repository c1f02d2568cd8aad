"""The slots: the entire permutation is drawn first, and all permutations are equally likely."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import factorial
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from cutcard_firmware.core.cards.batch import Slots
from cutcard_firmware.core.random.health import HealthTests
from cutcard_firmware.core.random.source import RandomSource
from firmware.tests.rig import SMALL_CAROUSEL, PowerCut, Rig


class Script:
    """A random source with prepared numbers, which records the bound of each draw."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = list(numbers)
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        self.asked.append(n)
        return self.numbers.pop(0)


def slots_of(source: object, cards: int) -> tuple[int, ...]:
    """Return the slot of each card, in loading order."""
    mechanism = Slots(SimpleNamespace(source=source), SimpleNamespace(BINS=cards))
    mechanism.begin(cards)
    order = []
    for _ in range(cards):
        chosen = mechanism.choose()
        mechanism.put(chosen)
        order.append(chosen)
    return tuple(order)


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_sequences_of_draws_and_permutations_correspond_one_to_one(cards: int) -> None:
    draws = list(product(*(range(cards - card) for card in range(cards))))
    reached = {slots_of(Script(numbers), cards) for numbers in draws}
    assert len(draws) == len(reached) == factorial(cards)


def test_each_card_has_one_draw() -> None:
    source = Script((0,) * 52)
    slots_of(source, 52)
    assert source.asked == list(range(52, 0, -1))


def test_the_permutations_of_four_cards_are_equally_frequent() -> None:
    """Chi-square with 23 degrees of freedom and fixed noise: P(above 49.7) is 0.001."""
    bits = Random(1)

    def fill(buffer: bytearray) -> None:
        buffer[:] = bytes(bits.getrandbits(1) for _ in buffer)

    seed = SimpleNamespace(read=lambda: None, write=lambda _: None)
    source = RandomSource(SimpleNamespace(fill=fill), seed, HealthTests(61, 810, 819), b"four", 640)
    source.restart()
    times = 4800
    seen = Counter(slots_of(source, 4) for _ in range(times))
    expected = times / 24
    assert len(seen) == 24
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 49.7


def test_the_cards_leave_in_the_order_of_their_slots(tmp_path: Path) -> None:
    """The plant's cards leave in the order of the draws."""
    rig = Rig(tmp_path, "drum-60", seed=5)
    rig.put(1)
    rig.run()
    before = [card.number for card in rig.plant.tray]
    rig.draws.clear()
    assert rig.command("load", decks=1, pack=52).error == "ok"
    order = slots_of(Script(tuple(number for _, number in rig.draws)), 52)
    rig.run()
    by_slot = sorted(range(52), key=lambda card: order[card])
    assert [card.number for card in rig.plant.supply.cards] == [before[card] for card in by_slot]


@pytest.mark.parametrize("before_write", [True, False])
@pytest.mark.parametrize("commits", range(3, 50, 5))
def test_a_bin_drawn_before_a_power_cut_is_not_used_after_it(
    tmp_path: Path, commits: int, before_write: bool
) -> None:
    """Each card that is fed, before the power cut and after it, has its own draw."""
    rig = Rig(tmp_path, SMALL_CAROUSEL, seed=commits)
    rig.put(1)
    rig.run()
    rig.cut_in, rig.cut_before_write = commits, before_write
    fed = rig.plant.counts["enter"]
    rig.command("load", decks=1, pack=52)
    with pytest.raises(PowerCut):
        rig.run()
    rig.power_cycle()
    assert rig.mode == "fault"
    drawn_before = len(rig.draws)
    fed_before = rig.plant.counts["enter"] - fed
    assert fed_before <= drawn_before
    rig.command("recover", outside=rig.outside())
    rig.run()
    rig.return_cards()
    rig.run()
    assert rig.mode == "ready"
    assert rig.plant.counts["enter"] - fed - fed_before <= len(rig.draws) - drawn_before
    rig.check_counts()


def note_arguments(owner: object, name: str) -> list[int]:
    """Record the first argument of every later call of this method."""
    noted: list[int] = []
    method = getattr(owner, name)

    def noting(first: int, *more: object) -> object:
        noted.append(first)
        return method(first, *more)

    setattr(owner, name, noting)
    return noted


def note_results(owner: object, name: str) -> list[int]:
    noted: list[int] = []
    method = getattr(owner, name)

    def noting() -> int:
        noted.append(method())
        return noted[-1]

    setattr(owner, name, noting)
    return noted


def test_every_card_is_put_into_the_bin_of_its_draw(tmp_path: Path) -> None:
    """Each card and each push uses one draw, in order; no draw is skipped or used twice."""
    rig = Rig(tmp_path, SMALL_CAROUSEL, seed=3)
    rig.put(1)
    rig.run()
    mechanism = rig.device.mechanism
    chosen = note_results(mechanism, "choose")
    put = note_arguments(mechanism, "put")
    pushed = note_arguments(rig.device, "push_out")
    rig.draws.clear()
    rig.command("load", decks=1, pack=52)
    rig.run()
    assert put == chosen
    assert len(put) == 52
    assert len(rig.draws) == 52 + len(pushed)
