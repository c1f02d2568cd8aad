"""The slots: the whole permutation is drawn first, and each is as likely as any other."""

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
    """A source that gives the numbers it was told to, and notes what was asked of it."""

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = list(numbers)
        self.asked: list[int] = []

    def below(self, n: int) -> int:
        self.asked.append(n)
        return self.numbers.pop(0)


def slots_of(source: object, cards: int) -> tuple[int, ...]:
    """The slot of each card, in the order in which they go in."""
    mechanism = Slots(SimpleNamespace(source=source), SimpleNamespace(BINS=cards))
    mechanism.begin(cards)
    order = []
    for _ in range(cards):
        chosen = mechanism.choose()
        mechanism.put(chosen)
        order.append(chosen)
    return tuple(order)


@pytest.mark.parametrize("cards", [4, 5, 6])
def test_each_sequence_of_draws_gives_another_permutation_and_all_are_reached(cards: int) -> None:
    draws = list(product(*(range(cards - card) for card in range(cards))))
    reached = {slots_of(Script(numbers), cards) for numbers in draws}
    assert len(draws) == len(reached) == factorial(cards)


def test_there_is_one_draw_a_card() -> None:
    source = Script((0,) * 52)
    slots_of(source, 52)
    assert source.asked == list(range(52, 0, -1))


def test_the_permutations_of_four_cards_are_equally_frequent() -> None:
    """Chi-square with 23 degrees of freedom, fixed noise: 49.7 is passed once in a thousand."""
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
    """What was drawn is what happens: the plant's cards come out as the draws say."""
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
    """Each card that goes in, before the cut and after it, goes where a draw of its own says."""
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
    """Every first argument that this method is called with from now on."""
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


def test_every_card_is_put_where_its_own_draw_says(tmp_path: Path) -> None:
    """One draw a card and one a push, in order: none is skipped and none used twice."""
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
