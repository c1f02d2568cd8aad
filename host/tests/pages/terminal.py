"""A reader who runs the blocks of a page from its top."""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from tests.pages.blocks import ROOT, Block, commands

READY = (b"is ready on", b'"ready": true')
WIDTH = 80
UNBROKEN = 36  # characters of a digest or a path, which cannot be wrapped
PATIENCE = 120.0  # seconds for a bench to start; it usually takes one
# Every command that fails reports its line number; the next line runs all the same, as it would in
# an interactive shell.
_REPORTING = "set -o pipefail; trap 'echo $LINENO $? >&{report}' ERR\n"


class Person:
    """A reader with a new home folder and `cutcard` on the path, as in an activated environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._home = folder / "home"
        self._home.mkdir()
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self._home),
            "XDG_CACHE_HOME": cache,  # reuse compiled firmware and kernels
            "NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", ""),
            "CUTCARD_PASSPHRASE": "what they answer when they are asked",
            "COLUMNS": "80",
            "LANG": "C.UTF-8",
        }
        self._exports: list[str] = []
        self._open: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def keeps(self, block: Block) -> None:
        """Save the file that a `toml NAME` block shows."""
        file = self.folder / block.kind.split()[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.text)

    def reads(self, block: Block) -> None:
        """Run this block and check its exit codes."""
        if block.kind == "sh terminal":
            for line in commands(block):
                self._start(line)
        elif block.kind in ("sh", "sh soak"):
            self._type(block)
        elif block.kind == "python":
            code = self._run([sys.executable, "-c", block.text])
            assert code == 0, f"{block.page.name}: fails as it stands"

    def _type(self, block: Block) -> None:
        report, theirs = os.pipe()
        script = _REPORTING.format(report=theirs) + block.text
        try:
            self._run(["bash", "-c", script], theirs)
        finally:
            os.close(theirs)
        with os.fdopen(report) as numbers:
            pairs = [report.split() for report in numbers]
        failed = [(script.splitlines()[int(line) - 1], code) for line, code in pairs]
        said = [(line, re.search(r"#.*exit ([1-9]\d*)", line)) for line in block.text.splitlines()]
        meant = [(line, code[1]) for line, code in said if code]
        assert failed == meant, f"{block.page.name}: exits with {failed}, not with {meant}"
        self._exports += [line for line in commands(block) if line.startswith("export ")]

    def _run(self, command: list[str], *descriptors: int) -> int:
        exports = dict(line.removeprefix("export ").split("=", 1) for line in self._exports)
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment | exports,
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        print(done.stdout, done.stderr)  # pytest shows it if the test fails
        wide = [line for line in done.stdout.splitlines() if not _fits(line)]
        assert not wide, f"wider than a terminal of {WIDTH} columns: {wide}"
        return done.returncode

    def _start(self, line: str) -> None:
        """Run `line` in a second terminal instead of the previous line; return when it is ready."""
        self._end()
        self._open = subprocess.Popen(
            ["bash", "-c", f"exec {line}"],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        assert self._open.stdout is not None
        deadline = time.monotonic() + PATIENCE
        said = b""
        while not any(word in said for word in READY):
            left = max(0.0, deadline - time.monotonic())
            readable, _, _ = select.select([self._open.stdout], [], [], left)
            more = os.read(self._open.stdout.fileno(), 4096) if readable else b""
            assert more, f"{line}: it did not get ready; it said {said!r}"
            said += more

    def _end(self) -> None:
        if self._open is not None:
            self._open.send_signal(signal.SIGTERM)
            self._open.communicate(timeout=PATIENCE)
            assert self._open.returncode == 0
            self._open = None


def _fits(line: str) -> bool:
    """Return whether the line fits the terminal, or may be longer.

    JSON, CSV and constants of a module are for programs and may have any length, as may lines with
    a word of `UNBROKEN` characters or more.
    """
    words = line.split()
    for_programs = re.match(r"[\[{]|[A-Z]+ = ", line) or line.count(",") > len(words)
    return len(line) <= WIDTH or bool(for_programs) or max(map(len, words)) >= UNBROKEN


def checkout(folder: Path) -> None:
    """Copy the files that git tracks to `folder` and link this checkout's environment.

    The copies have the oldest possible date, so that make does not set up the environment again.
    """
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        source = ROOT / name
        if source.is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            os.utime(target, (0, 0))
    (folder / ".venv").symlink_to(ROOT / ".venv")
