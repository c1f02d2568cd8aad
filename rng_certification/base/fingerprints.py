"""Fingerprints of tested files and of the tests: a SHA-256 for each file that decides a result."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

import cutcard
import cutcard_firmware
import rng_certification
from cutcard.machines import shipped

DECISIVE = ("numpy", "scipy", "numba")
EDGES = ("edge/game", "rulebooks/data")
TEXTS = (".py", ".toml", ".json", ".j2", ".css", ".js", ".typ", ".svg")


def fingerprints() -> dict[str, dict[str, str]]:
    [firmware] = map(Path, cutcard_firmware.__path__)
    suite = Path(rng_certification.__file__).parent
    tested = [path for path in suite.rglob("*") if path.suffix in TEXTS]
    host = Path(cutcard.__file__).parent  # its exact edges value a prediction
    valued = [path for name in EDGES for path in (host / name).rglob("*") if path.suffix in TEXTS]
    return {
        "firmware": {
            str(path.relative_to(firmware)): _sha256(path)
            for path in sorted(firmware.rglob("*.py"))
        },
        "machines": {path.name: _sha256(path) for path in sorted(shipped())},
        "suite": {
            str(path.relative_to(suite)): _sha256(path)
            for path in sorted(tested)
            if "tests" not in path.relative_to(suite).parts
        }
        | {str(path.relative_to(host)): _sha256(path) for path in sorted(valued)},
        "versions": {
            "python": ".".join(platform.python_version_tuple()[:2]),
            **{name: version(name) for name in DECISIVE},
        },
    }


def of_the_suite() -> dict[str, dict[str, str]]:
    """Return the fingerprints of the tests without the firmware, for data from outside."""
    every = fingerprints()
    return {group: every[group] for group in ("suite", "versions")}


def digest_of(files: dict[str, str]) -> str:
    """Return the SHA-256 over a list of files, one per line in the format of `sha256sum`."""
    lines = "".join(f"{sha256}  {name}\n" for name, sha256 in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
