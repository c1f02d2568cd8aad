"""A copied machine is independent of the original: they share no objects."""

from __future__ import annotations

import gc
from copy import deepcopy
from types import FunctionType, ModuleType
from typing import Any

import pytest

from cutcard.bench.plant import works_of
from cutcard.chip.wheel import Wheel
from cutcard.chip.wiring import wiring_of
from cutcard.machines import Machine, load, shipped

MACHINES = [load(file) for file in shipped()]
WITH_PINS = [machine for machine in MACHINES if "pico" in machine.pins]


def reached_from(start: object) -> set[int]:
    """Return every object reachable from there, including values captured by functions."""
    seen: dict[int, Any] = {}
    to_see: list[object] = [start]
    while to_see:
        one = to_see.pop()
        if id(one) in seen or isinstance(one, type | ModuleType):
            continue
        seen[id(one)] = one
        to_see += [one.__closure__] if isinstance(one, FunctionType) else gc.get_referents(one)
    return set(seen)


@pytest.mark.parametrize("machine", WITH_PINS, ids=lambda machine: machine.name)
def test_copy_of_a_machine_does_not_refer_to_the_machine(machine: Machine) -> None:
    works = works_of(machine, "1", Wheel)
    wiring = wiring_of(machine, works)
    copy, copied_wiring = deepcopy((works, wiring), {id(machine): machine})
    assert copied_wiring.works is copy
    reached = reached_from([copy, copied_wiring])
    assert not {id(works), id(wiring), id(works.timeline), id(works.sensors)} & reached
