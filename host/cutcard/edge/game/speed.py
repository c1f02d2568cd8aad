"""Measure the time of `cutcard edge game`, once compiled.

python -m cutcard.edge.game.speed: processor time of the entire command, from its start to its end,
the best of several calls, and for comparison the loading time of the compiler.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence

REPEATS = 5
COMMAND = ("-c", "from cutcard.cli.main import main; main()", "edge", "game")
# The command, and its time limit in seconds.
GAMES = {
    "uk-blackjack --decks 6": 1.0,
    "uk-blackjack --decks 6 --json": 1.0,
    "nz-division-2 style-a --decks 8": 1.0,
    "crown-melbourne-26 crown-pontoon --decks 8": 10.0,
    "mbs-free-bet-3 --decks 6": 10.0,
}


def main() -> int:
    bare = _seconds(["-c", "import numba"])
    print(f"loading the compiler alone                         {bare:5.2f} s")
    good = True
    for typed, limit in GAMES.items():
        took = _seconds([*COMMAND, *typed.split()])
        print(f"edge game {typed:<41}{took:5.2f} s (at most {limit:.0f})")
        good = good and took <= limit
    return 0 if good else 1


def _seconds(arguments: Sequence[str]) -> float:
    """Return the processor time of a call; the first call may compile and is not counted."""
    times = []
    for _ in range(1 + REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times[1:])


if __name__ == "__main__":
    sys.exit(main())
