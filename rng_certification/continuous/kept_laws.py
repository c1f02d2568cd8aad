"""What was worked out of a machine's law, kept on this computer: each campaign asks it again.

A law follows from the machine, the rounds and this suite alone. All of that is in the name under
which it is kept; of another suite, or another numpy, nothing is found. What cannot be read is
worked out again, and where nothing can be written nothing is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from rng_certification.base.fingerprints import of_the_suite

MOST_KEPT = 24  # a few megabytes each
Arrays = Mapping[str, npt.NDArray[Any]]


def kept(what: str, about: object, work_out: Callable[[], Arrays]) -> Arrays:
    """The arrays that `work_out` gives for what it is about, or gave once."""
    path = folder() / f"{what}-{_named(repr(about))}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), np.load(path) as found:
        return {name: found[name] for name in found.files}
    arrays = work_out()
    with suppress(OSError):
        _keep(path, arrays)
    return arrays


def folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cutcard" / "laws"


@cache
def _suite() -> str:
    return repr(sorted((group, sorted(each.items())) for group, each in of_the_suite().items()))


def _named(about: str) -> str:
    return sha256(f"{_suite()} {about}".encode()).hexdigest()[:32]


def _keep(path: Path, arrays: Arrays) -> None:
    """It appears whole or not at all; the oldest give way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as file:
        try:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
            file.close()
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    by_age = sorted(path.parent.glob("*.npz"), key=lambda each: each.stat().st_mtime)
    for old in by_age[:-MOST_KEPT]:
        old.unlink(missing_ok=True)
