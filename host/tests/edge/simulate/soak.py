"""Compare a million rounds of every variant between kernel and engine.

    cd host && python -m tests.edge.simulate.soak [--rounds N] [--processes N] [--record]

It plays the last commit in pieces and stores each piece in build/oracle. Ctrl-C prints the table of
the played pieces, and the same command resumes. The table counts every rare event; an event with
less than a hundred occurrences is a failure. `--record` writes the table to
docs/evidence/simulator-oracle.md, with the date and the commit.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from pathlib import Path

from cutcard.rulebooks.book import contents, open_rulebook
from tests.edge.simulate import committed_tree
from tests.edge.simulate.comparing import NOT_PLAYED, Game, compare, games, rare_things

PAGE = committed_tree.ROOT / "docs" / "evidence" / "simulator-oracle.md"
PIECE = 10_000
LEAST = 100
FEWER = 5  # two variants that apply together get a fifth of the rounds, as in `make test`
PICKED = {"lucky-player", "mystery"}  # awards by chance are not simulated
Piece = tuple[Game, int, int]  # the first round and the number of rounds


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--rounds", type=int, default=1_000_000)
    reader.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    reader.add_argument("--record", action="store_true")
    reader.add_argument("--in-export", type=Path, help=argparse.SUPPRESS)
    asked = reader.parse_args()
    if asked.in_export is not None:
        return _play_missing(asked.in_export, asked.rounds, asked.processes)
    if changed := committed_tree.uncommitted():
        print(f"commit first, the record names a commit: {changed}", file=sys.stderr)
        return 2
    tested = committed_tree.commit()  # new commits may follow during the run
    folder = committed_tree.exported()
    ended = _in_export(folder, asked.rounds, asked.processes)
    met, seconds = _kept(folder, asked.rounds)
    lines, missed = _table(met)
    page = _page(tested, lines, met, seconds / 60, committed_tree.is_compiled(folder))
    print(page)
    for name in missed:
        print(f"met less than {LEAST} times: {name}", file=sys.stderr)
    if asked.record and met:
        PAGE.write_text(page, "utf-8")
    return ended or (1 if missed else 0)


def _in_export(folder: Path, rounds: int, processes: int) -> int:
    """Play with the commit's files; Ctrl-C ends the play, and its result is still printed."""
    words = [sys.executable, "-m", "tests.edge.simulate.soak", "--in-export", str(folder)]
    words += ["--rounds", str(rounds), "--processes", str(processes)]
    tree = folder / "tree"
    paths = os.pathsep.join(map(str, (tree / "host", tree)))
    playing = subprocess.Popen(
        words, cwd=tree / "host", env={**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}
    )
    try:
        return playing.wait()
    except KeyboardInterrupt:
        playing.wait()
        return 130


def _pieces(rounds: int) -> Iterator[Piece]:
    """Yield the pieces to play: first a piece of every game, so that an early end has some of
    each."""
    for first in range(0, rounds, PIECE):
        for game in games():
            wanted = rounds if len(game[1]) == 1 else rounds // FEWER
            if first < wanted:
                yield game, first, min(PIECE, wanted - first)


def _play_missing(folder: Path, rounds: int, processes: int) -> int:
    """Play each missing piece; the first difference ends the run."""
    done = {piece for piece, _, _ in _read(folder)}
    missing = [piece for piece in _pieces(rounds) if piece not in done]
    compare(next(games()), 1)  # compiled once, before the others load it
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, context)
    try:
        running = {pool.submit(_piece, *piece): piece for piece in missing}
        for count, future in enumerate(as_completed(running), start=1):
            (rulebook, variants), first, number = running[future]
            seconds, seen = future.result()
            with (folder / "pieces.jsonl").open("a") as kept:
                line = [rulebook, variants, first, number, seconds, seen]
                kept.write(json.dumps(line) + "\n")
            print(f"{count} of {len(missing)} pieces", file=sys.stderr)
    except KeyboardInterrupt:
        return 130
    finally:
        pool.shutdown(cancel_futures=True)
    return 0


def _piece(game: Game, first: int, rounds: int) -> tuple[float, Counter[str]]:
    gc.disable()  # a round leaves no cycles behind, a table few
    began = time.process_time()
    seen = compare(game, rounds, str(first))
    gc.collect()
    return time.process_time() - began, seen


def _read(folder: Path) -> Iterator[tuple[Piece, float, Counter[str]]]:
    """Yield each piece once, even if two processes have played it."""
    kept = folder / "pieces.jsonl"
    counted: set[Piece] = set()
    for line in kept.read_text().splitlines() if kept.exists() else ():
        rulebook, variants, first, number, seconds, seen = json.loads(line)
        piece = (rulebook, tuple(variants)), first, number
        if piece not in counted:
            counted.add(piece)
            yield piece, seconds, Counter(seen)


def _kept(folder: Path, rounds: int) -> tuple[dict[Game, Counter[str]], float]:
    """Return the events in the pieces of this length; a shorter run has played some of the same."""
    wanted = set(_pieces(rounds))
    met: dict[Game, Counter[str]] = {game: Counter() for game in games()}
    spent = 0.0
    for piece, seconds, seen in _read(folder):
        if piece in wanted:
            met[piece[0]].update(seen)
            spent += seconds
    return met, spent


def _table(met: dict[Game, Counter[str]]) -> tuple[list[str], list[str]]:
    """Return the lines of the coverage table, and the events that were too rare.

    Rare events are required of every game that has them; rows of a side wager of all games
    together.
    """
    lines, missed = [], []
    for game, seen in met.items():
        for name in (*rare_things(game), *_more_tokens(game)):
            lines.append(f"| {_named(game)} | {name} | {seen[name]:,} |")
            if seen[name] < LEAST:
                missed.append(f"{_named(game)}: {name}")
    for name, number in sorted(_side_rows(met).items()):
        lines.append(f"| side wager | {name} | {number:,} |")
        if number < LEAST:
            missed.append(name)
    return lines, missed


def _more_tokens(game: Game) -> list[str]:
    """Return free bets beyond five: one for each split, and one for each resulting hand."""
    book = open_rulebook(*game)
    if book.says("split.free", "never"):
        return []
    return [f"{tokens} tokens" for tokens in range(6, 2 * book["split.hands"].value)]


def _side_rows(met: dict[Game, Counter[str]]) -> Counter[str]:
    """Return every row of every simulated side wager, with its frequency."""
    rows: Counter[str] = Counter()
    for rulebook in {game[0] for game in met}:
        for bet, side in contents(rulebook).bets.items():
            if bet in NOT_PLAYED:
                continue
            ours = [seen for game, seen in met.items() if game[0] == rulebook]
            if side.columns[0].prizes.chances:  # some have a chance of one in a hundred thousand
                drawn = f"{bet}: $"
                rows[f"{rulebook} {bet}: a prize was drawn"] = sum(
                    number for seen in ours for key, number in seen.items() if key.startswith(drawn)
                )
                continue
            for row in set(side.wins) - PICKED:
                key = f"{bet}: {row}"
                rows[f"{rulebook} {key}"] = sum(seen[key] for seen in ours)
    return rows


def _page(
    commit: str,
    lines: Sequence[str],
    met: dict[Game, Counter[str]],
    minutes: float,
    compiled: bool,
) -> str:
    played = [seen["rounds"] + seen["the shoe ran out"] for seen in met.values()]
    alone = min(number for number, game in zip(played, met, strict=True) if len(game[1]) == 1)
    out = sum(seen["the shoe ran out"] for seen in met.values())
    how = "compiled by mypyc without changes" if compiled else "uncompiled"
    head = f"""# The simulator compared with the engine

This page shows that the simulator plays as the engine does, and how often each rare event
occurred in the comparison.
On {date.today():%-d %B %Y} at commit {commit},
`python -m tests.edge.simulate.soak --record` in `host/` played
{alone:,} rounds of every variant, {sum(played):,} in all with variants
that apply together, in {minutes:.0f} minutes of one processor, the engine {how}.

The engine and the simulator's kernel dealt each round with the same cards, half of them from
stacked shoes. Every card's place, every decision with its allowed actions, every payment and every
side wager was the same to the cent. Left out: {out:,} rounds in which the shoe ran out.

The simulator does not play these, so the table lacks them: {", ".join(NOT_PLAYED)}, and the awards
{" and ".join(sorted(PICKED))}, which a system gives by chance. If a button draws, one row counts
the drawn prizes together.

| game | event | times |
|---|---|---|
"""
    return head + "\n".join(lines) + "\n"


def _named(game: Game) -> str:
    return f"{game[0]} {'+'.join(game[1])}"


if __name__ == "__main__":
    sys.exit(main())
