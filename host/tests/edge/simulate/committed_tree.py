"""The commit of a long comparison: its files apart from the working folder, compiled.

The working folder may change during the hours of a comparison, so an export of the commit is
played. The engine and its caller are compiled with mypyc if there is a C compiler, which saves half
of the time and does not change their results.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[4]
EXPORTED = ("host/cutcard", "host/tests/edge/simulate", "rng_certification")
_KERNEL = ("drawing", "game", "kernel", "log", "room", "side_bets", "strategy")
PLAYED = (
    "host/cutcard/cards.py",
    "host/cutcard/engine",
    "host/cutcard/rulebooks",
    "host/cutcard/edge/money_rules.py",
    *(f"host/cutcard/edge/simulate/{name}.py" for name in _KERNEL),
    *(f"host/tests/edge/simulate/{name}.py" for name in ("comparing", "oracle", "shoes")),
)
COMPILED = (
    "cutcard/cards.py",
    "cutcard/rulebooks/book.py",
    *(f"tests/edge/simulate/{name}.py" for name in ("comparing", "oracle", "shoes")),
)
COMPILED_FOLDERS = ("cutcard/engine", "cutcard/engine/side_wagers")
# mypyc fails on a star in a tuple that is used for a membership test.
NOT_COMPILED = ("cutcard/engine/events.py", "cutcard/engine/possible_cards.py")


def commit() -> str:
    return _git("rev-parse", "--short", "HEAD")


def uncommitted() -> list[str]:
    """Return the played files that differ from the commit."""
    return _git("status", "--porcelain", "--", *PLAYED).splitlines()


def exported() -> Path:
    """Return the folder with the commit's files; make it if missing.

    Its name depends on the content of the played files, not on the commit: a later commit that does
    not change them continues with the same folder.
    """
    trees = " ".join(_git("rev-parse", f"HEAD:{part}") for part in PLAYED)
    folder = ROOT / "build" / "oracle" / sha256(trees.encode()).hexdigest()[:16]
    tree = folder / "tree"
    if not tree.exists():
        started = folder / f"started-{os.getpid()}"
        started.mkdir(parents=True)
        archive = started / "commit.tar"
        _git("archive", "--output", str(archive), "HEAD", *EXPORTED)
        with tarfile.open(archive) as packed:
            packed.extractall(started, filter="data")
        archive.unlink()
        _compile(started / "host")
        started.rename(tree)
    return folder


def is_compiled(folder: Path) -> bool:
    return any((folder / "tree/host/cutcard/engine").glob("round.*.so"))


def _compile(host: Path) -> None:
    """Compile the engine in place. Without a compiler it is played uncompiled."""
    if shutil.which("cc") is None:
        print("there is no C compiler: the engine is played uncompiled", file=sys.stderr)
        return
    print("compiling the engine, a minute or two", file=sys.stderr)
    files = [*COMPILED]
    for folder in COMPILED_FOLDERS:
        files += sorted(str(path.relative_to(host)) for path in (host / folder).glob("[a-z]*.py"))
    files = [file for file in files if file not in NOT_COMPILED]
    files += ["--namespace-packages", "--explicit-package-bases"]
    setup = host / "setup.py"
    setup.write_text(
        "from mypyc.build import mypycify\n"
        "from setuptools import setup\n"
        f"setup(name='engine', packages=[], ext_modules=mypycify({files!r}, opt_level='2'))\n"
    )
    words = [sys.executable, setup.name, "--quiet", "build_ext", "--inplace"]
    done = subprocess.run(words, cwd=host, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        print(f"the engine is played uncompiled: {' '.join(last)}", file=sys.stderr)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
