"""A cache of machine laws on this computer, because every campaign needs them again.

A law depends only on the machine, the rounds and the version of this suite. The file name is a hash
of all three, so another version of the suite or of numpy does not find it. An unreadable file is
computed again; if the folder is not writable, laws are not cached.
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
    """Return the cached arrays for `about`, or compute and cache them."""
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
    """Write the file atomically, and delete the oldest files."""
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
