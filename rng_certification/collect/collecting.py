"""Collects from a source until there is enough, and loses nothing that was taken."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from rng_certification.base.fingerprints import fingerprints
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.manifest import Manifest, sha256_of
from rng_certification.collect.sources import SampleSource, counted

WRITE_EVERY = 1.0  # seconds: what a kill can cost


def collect(
    source: SampleSource,
    what: CollectionRequest,
    number: int,
    seed: str,
    folder: Path,
    advance: Callable[[int], None] = lambda records: None,
) -> Manifest:
    """Collect data. However this ends, also by Ctrl-C, the manifest says how far it came."""
    tested = {
        key: value for key, value in fingerprints().items() if key in ("firmware", "machines")
    }
    manifest = Manifest.declared(folder, what, source.name, number, seed, tested)
    advance(manifest.data["collected"])
    if manifest.left > 0:
        _segment(source, what, seed, manifest, advance)
    return manifest


def _segment(
    source: SampleSource,
    what: CollectionRequest,
    seed: str,
    manifest: Manifest,
    advance: Callable[[int], None],
) -> None:
    stream = f"{seed}/{what.kind}/{manifest.segments}"
    chunks = source.chunks(what, stream)
    first = next(chunks)  # what cannot be collected says so before a file is begun
    name = f"{what.kind}-{manifest.segments}.{what.suffix}"
    row, digest = manifest.begin(name, stream), hashlib.sha256()
    written = time.monotonic()
    (manifest.folder / name).unlink(missing_ok=True)
    with (manifest.folder / name).open("xb") as file:

        def keep(sha256: str) -> None:
            file.flush()
            os.fsync(file.fileno())
            row["sha256"] = sha256
            row["device"] = source.about()
            manifest.write()

        try:
            chunk: bytes | None = first
            while chunk is not None:
                chunk = _at_most(what, chunk, manifest.left)
                records = counted(what, chunk)
                file.write(chunk)
                digest.update(chunk)
                row["records"] += records
                row["bytes"] += len(chunk)
                manifest.data["collected"] += records
                advance(records)
                if time.monotonic() - written > WRITE_EVERY:
                    keep(digest.hexdigest())
                    written = time.monotonic()
                chunk = next(chunks, None) if manifest.left > 0 else None
            keep(digest.hexdigest())
        except BaseException:
            # It may have struck between any two of the lines above.
            file.flush()
            keep(sha256_of(Path(file.name), row["bytes"]))
            raise
        finally:
            _close(chunks)


def _at_most(what: CollectionRequest, chunk: bytes, left: int) -> bytes:
    """A history ends with a whole round, everything else where it was to end."""
    return chunk if what.kind == "cards" else chunk[: left * what.record]


def _close(chunks: object) -> None:
    """A generator lets go of its device, which leaves laboratory mode."""
    if hasattr(chunks, "close"):
        chunks.close()
