"""Write hardware-in-the-loop tests: each gets a fresh device on the bench or at `--port`.

pytest examples/hil
pytest examples/hil --port /dev/ttyACM0       only the tests that need no manual action
"""

from collections.abc import Callable
from typing import Any

from cutcard.devices import AnyDevice, Shuffler
from cutcard.testing import BenchDevice


def test_shuffler_deals_each_card_once(shuffler: BenchDevice[Shuffler]) -> None:
    cards = [shuffler.device.deal().card for _ in range(30)]
    assert len(set(cards)) == 30
    shuffler.check_counts()


def test_simultaneous_draw_of_two_cards_is_a_fault(shuffler: BenchDevice[Shuffler]) -> None:
    shuffler.do("fumble", count=2)  # the next draw takes two cards
    shuffler.device.call_for(1)
    shuffler.expect_fault("simultaneous-draw")
    shuffler.recover()


def test_drum_holds_a_deck_of_52_cards(bench_device: Callable[..., BenchDevice[Any]]) -> None:
    drum = bench_device("drum-60").fill(decks=1)  # or the path of a machine file
    assert drum.status().inside == 52


def test_device_reports_no_fault_at_start(device: AnyDevice) -> None:
    assert device.status().fault is None
