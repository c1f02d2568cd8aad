"""The firmware as a process: compiled once, cached, and run in a real MicroPython."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import tty
from hashlib import sha256
from pathlib import Path

from cutcard.extras import how_to_get
from cutcard.image import constants
from cutcard.image.compiling import CompileError, image, modules
from cutcard.machines import Machine, spec_text

NO_MICROPYTHON = f"MicroPython is not installed.\n{how_to_get('bench')}"
# The compiler of the cached files: another one compiles the same sources differently.
_COMPILER = Path(constants.__file__).read_text()


class FirmwareError(Exception):
    """The firmware could not be built or started; the text names the missing part."""


def compiled(machine: Machine, lines: bool = True) -> Path:
    """Return the folder with the .mpy files for this machine; compile them if it is missing.

    Without line numbers they equal the files of a production image, and traces have fewer details.
    """
    texts = {**modules("bench", machine.kind), "machine_spec.py": spec_text(machine)}
    digest = sha256(repr((lines, _COMPILER, sorted(texts.items()))).encode()).hexdigest()[:24]
    folder = cache() / digest
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            made = Path(work) / "image"
            (made / "core").mkdir(parents=True)
            try:
                for name, code in image(texts, lines=lines).items():
                    (made / name).write_bytes(code)
            except CompileError as error:
                raise FirmwareError(str(error)) from error
            try:
                made.rename(folder)
            except OSError:
                if not folder.is_dir():  # another process was faster; its files are identical
                    raise
    return folder


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cutcard" / "firmware"


@functools.cache
def interpreter() -> list[str]:
    """Return the command line for MicroPython.

    The wheel's own script would first start Python with all its packages; the same entry point
    without them starts in a third of the time.
    """
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
        raise FirmwareError(NO_MICROPYTHON)
    return [path]


class Interpreter:
    """One run of the firmware, from power-up to power cut. It ends with the bench.

    From a folder (a development start), the firmware communicates with the bench through stdin and
    stdout. Stock MicroPython has its prompt there, on a separate terminal (`console`), and
    communicates with the bench through two other pipes.
    """

    def __init__(
        self, image: Path, flash: Path, micropython: Path, heap: str, errors: Path, stock: bool
    ) -> None:
        self.console = -1
        files = (str(flash.absolute()), str(micropython.absolute()))
        command = [*interpreter(), "-X", f"heapsize={heap}"]
        child_in, self.input = os.pipe()
        self.output, child_out = os.pipe()
        if stock:
            self.console, terminal = pty.openpty()
            tty.setraw(terminal)
            os.set_blocking(self.console, False)
            streams = (terminal, terminal, terminal)
            command += ["-i", "-m", "stock", *files, str(child_in), str(child_out)]
        else:
            command += ["-m", "main", *files]
            streams = (
                child_in,
                child_out,
                os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            )
        self._process = subprocess.Popen(
            command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            pass_fds=(child_in, child_out) if stock else (),
            # MicroPython looks in its working folder first: a main.py or os.py in the bench's
            # working folder must not replace the firmware's.
            cwd=image,
            env={"MICROPYPATH": str(image.absolute())},
            process_group=0,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        for ours in {child_in, child_out, *streams}:
            os.close(ours)

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """Cut the power: kill the process, without flushing."""
        self._process.kill()
        self.wait()

    def wait(self) -> int:
        """Wait for the ended process; return its exit code."""
        code = self._process.wait()
        for ours in (self.input, self.output, self.console):
            if ours >= 0:
                os.close(ours)
        return code


_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _die_with_parent() -> None:
    """Runs in the child: if the bench is killed, the firmware ends too."""
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
