"""What was collected, how far, from where, and what to check it by.

A collection is a folder: `manifest.json` and one file a segment. A segment is one device or one
session, without a gap. A collection that was cut off goes on with a new segment; the old one keeps
what its manifest says, and whatever was written beyond that is cut off.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from rng_certification.base.files import write_whole
from rng_certification.collect.what import DIFFERENCES, FORMATS, What

FORMAT = 1


class OtherCollection(Exception):
    """The folder holds a collection of something else."""


class Manifest:
    def __init__(self, folder: Path, data: dict[str, Any]) -> None:
        self.folder = folder
        self.data = data

    @classmethod
    def declared(
        cls, folder: Path, what: What, where: str, number: int, seed: str, tested: dict[str, Any]
    ) -> Manifest:
        """A new one, or the one that lies there and is of the same kind."""
        declared = {
            "format": FORMAT,
            "from": where,
            "what": what.parameters(),
            "records": FORMATS[what.kind],
            "seed": seed,
            "asked": number,
            "fingerprints": tested,
            "differs": DIFFERENCES,
        }
        path = folder / "manifest.json"
        if path.exists():
            kept = json.loads(path.read_text(encoding="utf-8"))
            for key in declared:
                if key != "asked" and kept.get(key) != declared[key]:
                    raise OtherCollection(
                        f"the collection in {folder} has another `{key}`: use another --out"
                    )
            manifest = cls(folder, kept | {"asked": number})
            manifest._cut_off_the_rest()
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
        """A new segment, still empty."""
        file = {"name": name, "stream": stream, "records": 0, "bytes": 0, "sha256": _sha256(b"")}
        self.data["files"].append(file)
        return file

    def write(self) -> None:
        self.data["complete"] = self.left <= 0
        write_whole(self.folder / "manifest.json", json.dumps(self.data, indent=1) + "\n")

    def _cut_off_the_rest(self) -> None:
        for file in self.data["files"]:
            path = self.folder / file["name"]
            with path.open("rb+") as data:
                data.truncate(file["bytes"])
            if _sha256(path.read_bytes()) != file["sha256"]:
                raise OtherCollection(f"{path} is not what its manifest says: use another --out")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
