"""A saved moment of a machine: board, flash, key and cards.

A deck takes half a minute of the board's time to load. To use many machines with the same deck,
load one, save that moment, and restore it (`keep` and `recall`).
"""

from __future__ import annotations

from array import array
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutcard.bench.noise import BenchNoise
from cutcard.bench.person.words import WordError
from cutcard.bench.plant import Works
from cutcard.chip.wiring import Wiring

if TYPE_CHECKING:
    from cutcard.chip.chip_bench import ChipBench


@dataclass(frozen=True)
class Moment:
    seed: int
    board: Path
    known: dict[str, Any]  # of the board, outside of it
    works: Works
    wiring: Wiring
    noise: BenchNoise
    flash: bytes
    programs: array[int]
    erases: array[int]
    key: bytes


def kept(bench: ChipBench, board: Path) -> Moment:
    """Save the machine of a bench, which must be at rest."""
    kit, device = bench.kit, bench.device
    if kit.plant.armed:
        raise WordError("something waits to go wrong", "keep a machine before that is asked for")
    works, wiring = _copied(kit.plant, device.wiring)
    device.save(board)
    return Moment(
        seed=bench.seed,
        board=board,
        known=device.known(),
        works=works,
        wiring=wiring,
        noise=deepcopy(kit.noise),
        flash=kit.flash.image.read_bytes(),
        programs=array("L", kit.flash.programs),
        erases=array("L", kit.flash.erases),
        key=bench.folder.key.read_bytes(),
    )


def put_back(bench: ChipBench, moment: Moment) -> None:
    """Restore the machine; the moment can be used again."""
    if moment.seed != bench.seed:
        raise WordError(f"that was the device of seed {moment.seed}", f"factory seed={moment.seed}")
    works, wiring = _copied(moment.works, moment.wiring)
    bench.kit = replace(bench.kit, plant=works, noise=deepcopy(moment.noise))
    bench.device.power_off()
    flash = bench.kit.flash
    flash.image.write_bytes(moment.flash)
    flash.programs, flash.erases = array("L", moment.programs), array("L", moment.erases)
    bench.folder.key.write_bytes(moment.key)
    bench.device.put_back(bench.kit, wiring, moment.board, moment.known)


def _copied(works: Works, wiring: Wiring) -> tuple[Works, Wiring]:
    """Copy both together, because they refer to each other; a machine file never changes."""
    return deepcopy((works, wiring), {id(works.machine): works.machine})
