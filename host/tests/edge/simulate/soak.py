"""A million rounds of every variant through kernel and engine: cd host && python -m
tests.edge.simulate.soak [--rounds N] [--record].

The table at the end says how often everything rare was met; less than a hundred times is a
failure. `--record` writes it to docs/simulator-oracle.md, with the commit that was tested.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from cutcard.rulebooks.book import contents
from tests.edge.simulate.comparing import NOT_PLAYED, Game, compare, games, rare_things

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "simulator-oracle.md"
PIECE = 10_000
LEAST = 100


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rounds", type=int, default=1_000_000)
    reader.add_argument("--record", action="store_true")
    asked = reader.parse_args()
    began = time.monotonic()
    met = _everything(asked.rounds)
    lines, missed = _table(met)
    minutes = (time.monotonic() - began) / 60
    page = _page(asked.rounds, lines, met, minutes)
    print(page)
    for name in missed:
        print(f"met less than {LEAST} times: {name}", file=sys.stderr)
    if asked.record:
        PAGE.write_text(page, "utf-8")
    return 1 if missed else 0


def _everything(rounds: int) -> dict[Game, Counter[str]]:
    """Each game in pieces on all cores; the first difference ends it."""
    met: dict[Game, Counter[str]] = {game: Counter() for game in games()}
    context = multiprocessing.get_context("spawn")
    compare(next(games()), 1)  # compiled once, before the others load it
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), context) as pool:
        running = {
            pool.submit(compare, game, min(PIECE, rounds - first), str(first)): game
            for first in range(0, rounds, PIECE)
            for game in met
        }
        for done, future in enumerate(as_completed(running), start=1):
            met[running[future]].update(future.result())
            print(f"{done} of {len(running)} pieces", file=sys.stderr)
    return met


def _table(met: dict[Game, Counter[str]]) -> tuple[list[str], list[str]]:
    """Lines of the coverage table, and what was met too seldom.

    What is rare is asked of every game that has it; rows of a side wager of all games together.
    """
    lines, missed = [], []
    for game, seen in met.items():
        for name in rare_things(game):
            lines.append(f"| {_named(game)} | {name} | {seen[name]:,} |")
            if seen[name] < LEAST:
                missed.append(f"{_named(game)}: {name}")
    for name, number in sorted(_side_rows(met).items()):
        lines.append(f"| side wager | {name} | {number:,} |")
        if number < LEAST:
            missed.append(name)
    return lines, missed


def _side_rows(met: dict[Game, Counter[str]]) -> Counter[str]:
    """Every row of every side wager that is simulated, with how often it was met."""
    rows: Counter[str] = Counter()
    for rulebook in {game[0] for game in met}:
        for bet, side in contents(rulebook).bets.items():
            if bet in NOT_PLAYED:
                continue
            named = ("first leg", "both legs") if bet == "blackpot" else tuple(side.wins)
            picked = {"lucky-player", "mystery"}  # what a system awards by chance is not simulated
            ours = [seen for game, seen in met.items() if game[0] == rulebook]
            if side.columns[0].prizes.chances:  # one in a hundred thousand, some of them
                drawn = f"{bet}: $"
                rows[f"{rulebook} {bet}: a prize was drawn"] = sum(
                    number for seen in ours for key, number in seen.items() if key.startswith(drawn)
                )
                continue
            for row in set(named) - picked:
                key = f"{bet}: {row}"
                rows[f"{rulebook} {key}"] = sum(seen[key] for seen in ours)
    return rows


def _page(rounds: int, lines: list[str], met: dict[Game, Counter[str]], minutes: float) -> str:
    told = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    )
    played = sum(seen["rounds"] for seen in met.values())
    out = sum(seen["the shoe ran out"] for seen in met.values())
    commit = told.stdout.strip()
    head = f"""# The simulator held against the engine

Written by `python -m tests.edge.simulate.soak --record` in `host/`, at commit {commit}:
{rounds:,} rounds of every variant, {played:,} in all, in {minutes:.0f} minutes. Each was dealt to
the engine and to the simulator's kernel with the same cards, half of them from stacked shoes; every
card's place, every decision with what was allowed, every payment and every side wager was the same
to the cent. Left out: {out:,} rounds in which the shoe ran out.

How often what is rare was met:

| game | what | times |
|---|---|---|
"""
    return head + "\n".join(lines) + "\n"


def _named(game: Game) -> str:
    return f"{game[0]} {'+'.join(game[1])}"


if __name__ == "__main__":
    sys.exit(main())
