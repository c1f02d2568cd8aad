"""`python -m tests.fuzz.run [TARGET ...] --seconds 60`: search for inputs that break a target.

The search is guided by coverage if atheris is installed. Otherwise it mutates inputs of the corpus
at random. `--keep` adds inputs that reach new code to `corpus/`. An input that breaks a target is
saved in `build/fuzz/` and reported.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from tests.fuzz.targets import TARGETS

CORPUS = Path(__file__).parent / "corpus"
FOUND = Path(__file__).parents[3] / "build" / "fuzz"
HOST = Path(__file__).parents[2]
SLOW_SECONDS = 20  # an input that takes longer counts as a hang
MOST_MEGABYTES = 1500  # allocated by one target, without its process's start
OURS = tuple(
    str(HOST.parent / part)
    for part in ("host/cutcard", "firmware/cutcard_firmware/core", "rng_cert")
)
REACHED = "reached-"  # prefix of files in the corpus that were added for the code they reach


def corpus(name: str) -> list[bytes]:
    """Return the stored inputs and the valid seeds of a target."""
    kept = sorted((CORPUS / name).glob("*"))
    return [*TARGETS[name].seeds(), *(file.read_bytes() for file in kept)]


def guided(
    name: str,
    start: list[bytes],
    seed: int,
    *,
    runs: int = -1,
    seconds: int = 0,
    keep: bool = False,
) -> bool:
    """Fuzz one target under atheris in a separate process; return whether no input broke it.

    It ends after `runs` inputs or after `seconds`. A negative `runs` and zero `seconds` set no
    limit. The same `seed`, `start` and `runs` give the same inputs.
    """
    FOUND.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work, begin = Path(folder) / "work", Path(folder) / "begin"
        work.mkdir()
        begin.mkdir()
        for number, data in enumerate(start):
            (begin / str(number)).write_bytes(data)
        limits = [f"-runs={runs}", f"-max_total_time={seconds}"]
        options = [*limits, "-print_final_stats=1", f"-seed={seed}"]
        held = _engine(name, *options, str(work), str(begin))
        if keep:
            _keep(name, [file.read_bytes() for file in work.iterdir()])
    return held


def _engine(name: str, *arguments: str) -> bool:
    most = TARGETS[name].most if name in TARGETS else 16
    # The engine's own limit is off: it uses the peak of `getrusage`, and a process inherits the
    # peak of its parent. `guided` limits its own memory.
    limits = ["-rss_limit_mb=0", f"-timeout={SLOW_SECONDS}", f"-max_len={most}"]
    place = f"-artifact_prefix={FOUND}/{name}-"
    engine = [sys.executable, "-m", "tests.fuzz.guided", name, str(MOST_MEGABYTES)]
    command = [*engine, *limits, place, *arguments]
    repeatable = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, cwd=HOST, env=repeatable, capture_output=True, text=True)
    said = (done.stdout + done.stderr).splitlines()
    if done.returncode:
        print("\n".join(said[-60:]))
    else:
        print("\n".join(line for line in said if "number_of_exec" in line or "new_units" in line))
    return done.returncode == 0


def _keep(name: str, found: list[bytes]) -> None:
    """Add the shortest inputs that reach lines not reached by the corpus."""
    kept = CORPUS / name
    kept.mkdir(parents=True, exist_ok=True)
    known: set[tuple[str, int]] = set()
    for data in corpus(name):
        known |= _lines(name, data)
    for data in sorted(found, key=len):
        reached = _lines(name, data)
        if reached - known:
            known |= reached
            (kept / f"{REACHED}{sha256(data).hexdigest()[:12]}").write_bytes(data)


def _lines(name: str, data: bytes) -> set[tuple[str, int]]:
    """Return the lines of this project that the target executes with this input."""
    found: set[tuple[str, int]] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(OURS):
            return None
        found.add((file, frame.f_lineno))
        return trace

    sys.settrace(trace)
    try:
        TARGETS[name].run(data)
    except Exception:
        return set()  # a finding, which was reported before
    finally:
        sys.settrace(None)
    return found


def by_chance(name: str, seed: int, *, runs: int = -1, seconds: float = 0) -> int:
    """Mutate inputs of the corpus at random, without an engine; return the number of inputs.

    Limits and `seed` are those of `guided`.
    """
    random = Random(seed)
    known = corpus(name)
    target = TARGETS[name]
    end = time.monotonic() + seconds if seconds else float("inf")
    tried = 0
    while tried != runs and time.monotonic() < end:
        data = mutated(random, random.choice(known), random.choice(known))[: target.most]
        try:
            target.run(data)
        except BaseException:
            FOUND.mkdir(parents=True, exist_ok=True)
            broken = FOUND / f"{name}-by-chance"
            broken.write_bytes(data)
            print(f"{name}: broken by the input in {broken}")
            raise
        tried += 1
    return tried


def mutated(random: Random, data: bytes, other: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(changed) + 1)
        what = random.randrange(5)
        if what == 0 and changed:
            changed[at % len(changed)] ^= 1 << random.randrange(8)
        elif what == 1:
            changed[at : at + random.randint(1, 8)] = b""
        elif what == 2:
            changed[at:at] = random.randbytes(random.randint(1, 8))
        elif what == 3:
            from_ = random.randrange(len(other) + 1)
            changed[at:] = other[from_:]
        elif changed:
            changed[at % len(changed)] = random.choice((0, 1, 127, 128, 255))
    return bytes(changed)


def has_engine() -> bool:
    try:
        import atheris  # noqa: F401
    except ImportError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=60, help="in all, shared among the targets")
    parser.add_argument("--seed", type=int, default=0, help="0: another each time")
    parser.add_argument("--keep", action="store_true", help="keep what reaches new code")
    given = parser.parse_args()
    names = given.targets or list(TARGETS)
    each = max(1, given.seconds // len(names))
    seed = given.seed or int(time.time())
    broken = []
    for name in names:
        print(f"{name}: {each} s, seed {seed}", flush=True)
        if has_engine():
            if not guided(name, corpus(name), seed, seconds=each, keep=given.keep):
                broken.append(name)
        else:
            print(f"{by_chance(name, seed, seconds=each)} inputs")
    if broken:
        print(f"broken: {', '.join(broken)}; the inputs are in {FOUND}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
