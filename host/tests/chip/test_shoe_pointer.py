"""A shoe's pointer on the emulated chip: pulses in, a depth out, and the hand acts."""

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


def test_pointer_against_its_stop_is_at_zero_from_any_position() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    assert works.pointer == 0


def test_pointer_shows_the_number_of_cards_of_its_pulses() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    step(wiring, 20 * CARD)
    assert works.pointer == 20
    step(wiring, 5 * CARD, back=True)
    assert works.pointer == 15


def test_pointer_position_is_restored_from_a_snapshot() -> None:
    works, wiring = wired()
    step(wiring, 417 * CARD, back=True)
    step(wiring, 20 * CARD)
    other, resumed = wired()
    resumed.see(0, wiring.seen())
    assert other.pointer == works.pointer == 20
