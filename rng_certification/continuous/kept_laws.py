"""A cache of results that follow from a machine and this suite alone, on this computer.

The name of an entry is a hash of the suite, the versions of numpy and others, and the input. An
entry of another suite is never found. An unreadable entry is computed again. If the cache cannot
be written, nothing is cached.
"""

from __future__ import annotations

import json
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

MOST_KEPT = 24  # of each kind, a few megabytes each
Arrays = Mapping[str, npt.NDArray[Any]]


def kept_json(what: str, about: object, work_out: Callable[[], Any]) -> Any:
    """Return the JSON value of `work_out`, from the cache if it was computed before."""

    def as_arrays() -> Arrays:
        text = json.dumps(work_out(), allow_nan=False)
        return {"json": np.frombuffer(text.encode(), dtype=np.uint8)}

    with suppress(ValueError):
        return json.loads(kept(what, about, as_arrays)["json"].tobytes())
    return work_out()


def kept(what: str, about: object, work_out: Callable[[], Arrays]) -> Arrays:
    """Return the arrays of `work_out(about)`, from the cache if they were computed before."""
    path = folder() / f"{what}-{_named(repr(about))}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), np.load(path) as found:
        return {name: found[name] for name in found.files}
    arrays = work_out()
    with suppress(OSError):
        _keep(what, path, arrays)
    return arrays


def folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cutcard" / "laws"


@cache
def _suite() -> str:
    return repr(sorted((group, sorted(each.items())) for group, each in of_the_suite().items()))


def _named(about: str) -> str:
    return sha256(f"{_suite()} {about}".encode()).hexdigest()[:32]


def _keep(what: str, path: Path, arrays: Arrays) -> None:
    """Write an entry atomically, and remove the oldest of its kind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as file:
        try:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
            file.close()
            os.replace(file.name, path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    by_age = sorted(path.parent.glob(f"{what}-*.npz"), key=lambda each: each.stat().st_mtime)
    for old in by_age[:-MOST_KEPT]:
        old.unlink(missing_ok=True)
