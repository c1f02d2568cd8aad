"""Compare the speed of the simulator with a C loop that plays the identical game, on one core.

python -m cutcard.edge.simulate.speed: the C loop is compiled if there is a compiler, and must give
the same sums. Then the cost of boxes, side wagers and decks is measured.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np

from cutcard.edge.simulate import kernel
from cutcard.edge.simulate.drawing import BUFFER, generator
from cutcard.edge.simulate.job import Job, ready, run_shard, whole_pack
from cutcard.edge.simulate.kernel import play
from cutcard.edge.simulate.room import room
from cutcard.edge.strategy import read_strategy
from rng_certification.base.compiled import Counts

ROUNDS = 4_000_000
FEWER = 500_000
REPEATS = 5
LEAST_MILLIONS, LEAST_SHARE = 15.0, 0.8
COMPARED = (kernel.ROUNDS, kernel.CARDS, kernel.ACTION, kernel.MAIN, kernel.MAIN_SQUARED)


def main() -> int:
    basic = (resources.files("cutcard.edge.simulate") / "basic.json").read_text("utf-8")
    read_strategy(basic)
    job = Job("uk-blackjack", ("blackjack",), 6, basic)
    began = time.perf_counter()
    run_shard(vars(job), 0, 1)
    print(f"compiling or loading     {time.perf_counter() - began:8.2f} s; kept for the next time")
    ours, sums = _kernel(job)
    print(f"rounds of one box        {ours:8.2f} million a second (at least {LEAST_MILLIONS:.0f})")
    good = ours >= LEAST_MILLIONS
    theirs = _yardstick(job)
    if theirs is None:
        print("a C loop                 not measured: there is no C compiler here")
    else:
        rate, other = theirs
        share = ours / rate
        same = "the same sums" if other == sums else "OTHER SUMS"
        print(
            f"the same game in C       {rate:8.2f} million a second: {share:.2f} of it "
            f"(at least {LEAST_SHARE}), {same}"
        )
        good = good and share >= LEAST_SHARE and other == sums
    print("draws                    exactly uniform over the cards left (Lemire, with rejection)")
    _print_speeds(job)
    return 0 if good else 1


def _a_second(amount: int, work: Callable[[], object]) -> float:
    """Return millions per second of processor time, the best of several runs."""
    times = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return amount / min(times) / 1e6


def _kernel(job: Job) -> tuple[float, list[int]]:
    made = ready(job)
    tally = np.zeros(kernel.TALLY, dtype=np.int64)

    def work() -> None:
        tally[:] = 0
        play(
            made.game,
            made.bonus,
            made.play,
            made.sides,
            whole_pack(job.decks, 52),
            True,
            0,
            generator(job.seed, 0),
            np.zeros(BUFFER, dtype=np.uint32),
            np.array([BUFFER, 0, 0], dtype=np.int64),
            ROUNDS,
            room(),
            tally,
            np.zeros(0, dtype=np.int64),
            np.zeros(0, dtype=np.int64),
            np.zeros(0, dtype=np.int64),
        )

    rate = _a_second(ROUNDS, work)
    return rate, [int(tally[place]) for place in COMPARED]


def _yardstick(job: Job) -> tuple[float, list[int]] | None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "yardstick.c"), Path(folder, "yardstick.so")
        code = resources.files("cutcard.edge.simulate") / "yardstick.c"
        source.write_text(code.read_text("utf-8"), "utf-8")
        flags = ["-O3", "-march=native", "-shared", "-fPIC"]
        subprocess.run([compiler, *flags, "-o", library, source], check=True)
        rounds = ctypes.CDLL(str(library)).rounds
        actions = np.ascontiguousarray(ready(job).play.actions[0])
        sums: Counts = np.zeros(len(COMPARED), dtype=np.int64)

        def work() -> None:
            state, shoe = generator(job.seed, 0), whole_pack(job.decks, 52)
            rounds(
                ctypes.c_int64(ROUNDS),
                ctypes.c_int64(job.stake),
                ctypes.c_void_p(shoe.ctypes.data),
                ctypes.c_int(len(shoe)),
                ctypes.c_void_p(actions.ctypes.data),
                ctypes.c_void_p(state.ctypes.data),
                ctypes.c_void_p(sums.ctypes.data),
            )

        return _a_second(ROUNDS, work), sums.tolist()


def _print_speeds(job: Job) -> None:
    sides = {"perfect-pairs": ("", 100), "21-plus-3": ("", 100), "top-3": ("", 100)}
    tables: Mapping[str, Job] = {
        **{f"{decks} decks": replace(job, decks=decks) for decks in (1, 2, 8)},
        **{f"{boxes} boxes": replace(job, boxes=boxes) for boxes in (3, 5, 9)},
        **{
            f"{number} side wagers": replace(job, sides=dict(list(sides.items())[:number]))
            for number in (1, 2, 3)
        },
        "a shoe cut at 75 %": replace(job, dealing="shoe"),
    }
    for name, table in tables.items():
        data = vars(table)
        run_shard(data, 0, 1)
        rate = _a_second(FEWER, lambda data=data: run_shard(data, 0, FEWER))  # type: ignore[misc]
        print(f"  {name:<22} {rate:8.2f} million rounds a second")


if __name__ == "__main__":
    sys.exit(main())
