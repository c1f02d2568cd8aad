"""Write a hardware-in-loop test: a fresh device for each, on the bench or at `--port`.

pytest examples/hil
pytest examples/hil --port /dev/ttyACM0       those that need no hands
"""

from collections.abc import Callable
from typing import Any

from cutcard.devices import AnyDevice, Shuffler
from cutcard.testing import BenchDevice


def test_every_card_comes_out_once(shuffler: BenchDevice[Shuffler]) -> None:
    cards = [shuffler.device.deal().card for _ in range(30)]
    assert len(set(cards)) == 30
    shuffler.check_counts()


def test_two_cards_drawn_at_once_are_noticed(shuffler: BenchDevice[Shuffler]) -> None:
    shuffler.do("fumble", count=2)  # the hand takes two with the next draw
    shuffler.device.call_for(1)
    shuffler.expect_fault("simultaneous-draw")
    shuffler.recover()


def test_my_drum_takes_a_deck(bench_device: Callable[..., BenchDevice[Any]]) -> None:
    drum = bench_device("drum-60").fill(decks=1)  # or the path of a machine file
    assert drum.status().inside == 52


def test_it_answers(device: AnyDevice) -> None:
    assert device.status().fault is None
