"""Collect from a source until there is enough data, and keep all collected data."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from rng_certification.base.fingerprints import fingerprints
from rng_certification.collect.collection_request import CollectionRequest
from rng_certification.collect.manifest import Manifest, sha256_of
from rng_certification.collect.sources import SampleSource, counted

WRITE_EVERY = 1.0  # seconds of data that a kill may lose


def collect(
    source: SampleSource,
    what: CollectionRequest,
    number: int,
    seed: str,
    folder: Path,
    advance: Callable[[int], None] = lambda records: None,
    conditions: Mapping[str, str] | None = None,
) -> Manifest:
    """Collect data. On any end, including Ctrl-C, the manifest has the collected amount.

    `conditions` are recorded as they are: temperature, supply, and the method of restarts.
    """
    tested = {
        key: value for key, value in fingerprints().items() if key in ("firmware", "machines")
    }
    origin = {"from": source.name, "simulated": source.simulated}
    manifest = Manifest.declared(
        folder, what, {**origin, "conditions": dict(conditions or {})}, number, seed, tested
    )
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
    first = next(chunks)  # an impossible collection fails here, before a file exists
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
            # The exception may have come between any two of the lines above.
            file.flush()
            keep(sha256_of(Path(file.name), row["bytes"]))
            raise
        finally:
            _close(chunks)


def _at_most(what: CollectionRequest, chunk: bytes, left: int) -> bytes:
    """Cut the chunk to the number of records; a history ends with a complete round instead."""
    return chunk if what.kind == "cards" else chunk[: left * what.record]


def _close(chunks: object) -> None:
    """Close the generator, so that it releases its device, which leaves laboratory mode."""
    if hasattr(chunks, "close"):
        chunks.close()
