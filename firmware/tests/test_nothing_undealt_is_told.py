"""Every command in every mode: nothing that crosses the wire depends on what nobody may know.

Not the reply, nor its length, nor a refusal's numbers, nor an event, nor its order. The table of
messages is walked, so that a new command, mode or fault is here before anybody thinks of it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cutcard.machines import Machine
from firmware.core import messages as m
from firmware.core import state as st
from firmware.core.shuffler import Shuffler
from firmware.tests.rig import SMALL_CAROUSEL, machine_with
from firmware.tests.twins import Host, Tape, Twin, arguments

MACHINES: dict[str, Machine | str] = {
    "carousel": SMALL_CAROUSEL,
    "slots": "drum-60",
    "shelves": machine_with("shelves-10"),
    "shoe": "shoe-8",
}
UNKNOWN_OP = 255
# Commands that take a device into another mode come last, one of them in each run.
GREAT = ("load", "stack", "unload", "recover")

Reach = Callable[[Twin], None]


def load(twin: Twin) -> None:
    twin.put(1)
    twin.run()
    word = "stack" if twin.plant.is_shoe else "load"
    assert twin.command(word, decks=1, pack=52).error == "ok"


def empty(twin: Twin) -> None:
    twin.run()


def loading(twin: Twin) -> None:
    load(twin)
    run_until(twin, "enter", 20)


def ready(twin: Twin) -> None:
    load(twin)
    twin.run()


def dealing(twin: Twin) -> None:
    """Three cards called, one of them drawn."""
    ready(twin)
    twin.command("deal", cards=3)
    run_until(twin, "draw", 1)
    twin.plant.mouth.hand = False


def unloading(twin: Twin) -> None:
    ready(twin)
    twin.command("unload")
    run_until(twin, "draw", 3)


def in_fault(name: str) -> Reach:
    def reach(twin: Twin) -> None:
        ready(twin)
        twin.command("deal", cards=1)
        twin.run()
        twin.device.fault(name)
        twin.run()

    return reach


def recovering(twin: Twin) -> None:
    """Out of a fault that came with the chute uncounted, so that the recovery takes its time."""
    ready(twin)
    twin.device.state.set(st.UNKNOWN, 1)
    twin.device.fault("extra-card")
    twin.run()
    twin.command("recover", outside=0)
    if twin.mode == "recovering":
        run_until(twin, "draw", 2)


def run_until(twin: Twin, step: str, times: int) -> None:
    """So many cards have passed there: the same moment in both twins, whatever the clock says."""
    reached: list[bool] = []
    twin.plant.arm(step, times, lambda: reached.append(True))
    for _ in range(100_000):
        if reached or twin._once():
            return
    raise AssertionError(f"{step} never came")


REACHED: dict[str, Reach] = {
    "empty": empty,
    "loading": loading,
    "ready": ready,
    "dealing": dealing,
    "unloading": unloading,
    "recovering": recovering,
    **{f"fault: {name}": in_fault(name) for name in m.FAULTS[1:]},
}
# While it is emptied, a count tells how many cards came out of each bin in its order, and they
# are out: there the twins differ in faces, order and generator, not in the bins.
SAME_BINS = ("unloading", "recovering")


def told(
    root: Path, machine: str, reach: str, great: str, follows: Tape | None
) -> tuple[Twin, list[tuple[int, int, bytes]]]:
    """Everything a host hears that says every command in that mode, `great` at the end."""
    twin = Twin(root, MACHINES[machine], follows, reach not in SAME_BINS)
    host = Host(twin)
    host.begin()
    REACHED[reach](twin)
    host.listen()
    for op in (*sorted(m.COMMANDS), UNKNOWN_OP):
        if op in m.COMMANDS and m.COMMANDS[op][0] in GREAT:
            continue
        say(host, op)
    say(host, m.OP[great])
    twin.run()
    host.listen()
    host.begin()
    for op in m.QUESTIONS:
        host.command(op, arguments(op)[0])
    return twin, host.heard


def say(host: Host, op: int) -> None:
    for given in reversed(arguments(op)):
        host.command(op, given)
        host.twin.step()
        host.listen()


def check(tmp_path: Path, machine: str, reach: str, great: str) -> None:
    first, by_first = told(tmp_path / f"{great}1", machine, reach, great, None)
    second, by_second = told(tmp_path / f"{great}2", machine, reach, great, first.tape)
    for number, (one, two) in enumerate(zip(by_first, by_second, strict=False)):
        assert one == two, f"frame {number} tells the twins apart"
    assert len(by_first) == len(by_second)


def situations() -> list[tuple[str, str, str]]:
    found = []
    for machine in MACHINES:
        for reach in REACHED:
            greats = ("recover",) if reach.startswith("fault") else GREAT
            found += [
                (machine, reach, great)
                for great in greats
                if not (machine == "shoe" and reach == "loading")  # a stack is there at once
            ]
    return found


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("reach", REACHED)
def test_no_frame_depends_on_what_nobody_may_know(
    tmp_path: Path, machine: str, reach: str
) -> None:
    for given, situation, great in situations():
        if (given, situation) == (machine, reach):
            check(tmp_path, machine, reach, great)
