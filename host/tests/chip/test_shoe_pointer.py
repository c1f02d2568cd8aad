"""A shoe's pointer on the emulated chip: pulses in, a depth out, and the hand does the rest."""

from __future__ import annotations

from cutcard.bench.plant import Plant, works_of
from cutcard.chip.wheel import Wheel
from cutcard.chip.wiring import HIGH, LOW, ShoeWiring, wiring_of
from cutcard.machines import find

SHOE = find("shoe-8")
PINS = SHOE.pins["pico"]
CARD = SHOE.whole("motor.steps_card")


def wired() -> tuple[Plant, ShoeWiring]:
    works = works_of(SHOE, "1", Wheel)
    wiring = wiring_of(SHOE, works)
    assert isinstance(works, Plant)
    assert isinstance(wiring, ShoeWiring)
    return works, wiring


def step(wiring: ShoeWiring, times: int, back: bool = False) -> None:
    wiring.output(0, PINS["pointer_direction"], HIGH if back else LOW)
    for _ in range(times):
        wiring.output(0, PINS["pointer_step"], HIGH)
        wiring.output(0, PINS["pointer_step"], LOW)


def test_against_its_stop_it_stands_at_zero_wherever_it_was() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    assert works.pointer == 0


def test_it_shows_as_many_cards_as_its_pulses_make() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    step(wiring, 20 * CARD)
    assert works.pointer == 20
    step(wiring, 5 * CARD, back=True)
    assert works.pointer == 15


def test_it_is_where_it_was_when_the_board_was_written_down() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    step(wiring, 20 * CARD)
    other, resumed = wired()
    resumed.see(0, wiring.seen())
    assert other.pointer == works.pointer == 20
