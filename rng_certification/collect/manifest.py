"""The manifest of a collection: the kind, amount and origin of the data, and its hashes.

A collection is a folder: `manifest.json` and one file per segment. A segment is data of one device
or one session, without a gap. An interrupted collection resumes with a new segment. The old segment
keeps the length stated in its manifest, and bytes beyond that are removed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cutcard import untrusted
from rng_certification.base.files import write_whole
from rng_certification.collect.collection_request import DIFFERENCES, FORMATS, CollectionRequest

FORMAT = 1
_COUNTS = ("records", "bytes")


class OtherCollectionError(Exception):
    """The folder has a collection of different data."""


class Manifest:
    def __init__(self, folder: Path, data: dict[str, Any]) -> None:
        self.folder = folder
        self.data = data

    @classmethod
    def declared(
        cls,
        folder: Path,
        what: CollectionRequest,
        origin: Mapping[str, Any],
        number: int,
        seed: str,
        tested: dict[str, Any],
    ) -> Manifest:
        """Return a new manifest, or the one in the folder if it is of the same kind."""
        declared = {
            "format": FORMAT,
            **origin,
            "what": what.parameters(),
            "records": FORMATS[what.kind],
            "seed": seed,
            "asked": number,
            "fingerprints": tested,
            "differs": DIFFERENCES,
        }
        path = folder / "manifest.json"
        if path.exists():
            kept = read_manifest(path)
            for key in declared:
                if key != "asked" and kept.get(key) != declared[key]:
                    raise OtherCollectionError(
                        f"the collection in {folder} has another `{key}`: use another --out"
                    )
            manifest = cls(folder, kept | {"asked": number})
            manifest._truncate_incomplete()
        else:
            folder.mkdir(parents=True, exist_ok=True)
            manifest = cls(folder, {**declared, "collected": 0, "complete": False, "files": []})
        manifest.write()
        return manifest

    @property
    def left(self) -> int:
        return int(self.data["asked"]) - int(self.data["collected"])

    @property
    def segments(self) -> int:
        return len(self.data["files"])

    def begin(self, name: str, stream: str) -> dict[str, Any]:
        """Add a new, empty segment."""
        file = {"name": name, "stream": stream, "records": 0, "bytes": 0, "sha256": _sha256(b"")}
        self.data["files"].append(file)
        return file

    def write(self) -> None:
        self.data["complete"] = self.left <= 0
        write_whole(self.folder / "manifest.json", json.dumps(self.data, indent=1) + "\n")

    def _truncate_incomplete(self) -> None:
        for file in self.data["files"]:
            path = untrusted.file_beside(self.folder, file["name"])
            if "/" in file["name"] or sha256_of(path, file["bytes"]) != file["sha256"]:
                raise OtherCollectionError(f"{path} does not match its manifest: use another --out")
            os.truncate(path, file["bytes"])


def read_manifest(path: Path) -> dict[str, Any]:
    """Read and validate an existing manifest, because the files that it names get truncated."""
    try:
        kept = untrusted.read_json(path)
        counts = [kept["collected"], *(file[key] for file in kept["files"] for key in _COUNTS)]
        names = [untrusted.file_beside(path.parent, file["name"]) for file in kept["files"]]
        texts = all(isinstance(file["sha256"], str) for file in kept["files"])
        if not texts or not all(type(count) is int and count >= 0 for count in counts):
            raise ValueError("a count is not a number of 0 or more")
        if len(set(names)) < len(names):
            raise ValueError("a file is listed twice")
    except (OSError, LookupError, TypeError, ValueError) as error:
        why = untrusted.shown(untrusted.why_unreadable(error))
        raise OtherCollectionError(
            f"{path} is not a valid manifest ({why}): use another --out"
        ) from None
    return dict(kept)


def sha256_of(path: Path, size: int) -> str:
    """Return the SHA-256 of the first `size` bytes of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as data:
        while size > 0 and (piece := data.read(min(size, untrusted.MEBIBYTE))):
            digest.update(piece)
            size -= len(piece)
    return digest.hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
