"""Reading the noise of a collection: its samples, and where and how they were taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cutcard.machines import MachineFileError, find
from rng_certification.collect.manifest import OtherCollectionError, read_manifest, sha256_of
from rng_certification.collect.noise_folder import NOT_RECORDED, SERIAL, NoiseOrigin


def in_a_row(folder: Path, least: int) -> tuple[bytes, NoiseOrigin]:
    """Return samples without a gap: of the longest segment. Raises OtherCollectionError."""
    data = _of_kind(folder, "noise")
    longest = max(data["files"], key=lambda file: int(file["bytes"]), default=None)
    if longest is None or longest["bytes"] < least:
        found = longest["bytes"] if longest else 0
        raise OtherCollectionError(
            f"{folder} has at most {found:,} samples without a gap; {least:,} are needed: collect "
            "them in one run"
        )
    return _content(folder, longest), _origin(data, longest)


def restarts(folder: Path) -> tuple[bytes, NoiseOrigin]:
    """Return the rows of all restarts. Raises OtherCollectionError."""
    data = _of_kind(folder, "restarts")
    if not data["files"]:
        raise OtherCollectionError(f"{folder} has no restarts yet")
    rows = b"".join(_content(folder, file) for file in data["files"])
    return rows, _origin(data, data["files"][0])


def _of_kind(folder: Path, kind: str) -> dict[str, Any]:
    data = read_manifest(folder / "manifest.json")
    found = data.get("what", {}).get("kind")
    if found != kind:
        raise OtherCollectionError(f"{folder} is a collection of {found}, not of {kind}")
    return data


def _content(folder: Path, file: dict[str, Any]) -> bytes:
    path = folder / str(file["name"])
    if sha256_of(path, file["bytes"]) != file["sha256"]:
        raise OtherCollectionError(f"{path} differs from its manifest: collect it again")
    with path.open("rb") as data:
        return data.read(int(file["bytes"]))


def _origin(data: dict[str, Any], file: dict[str, Any]) -> NoiseOrigin:
    device = file.get("device", {})
    conditions = data.get("conditions", {})
    name = str(device.get("machine", data["what"]["machine"]))
    facts = {
        "origin": str(data["from"]) + (", simulated" if data.get("simulated") else ""),
        "machine file": name,
        SERIAL: str(device.get("serial", NOT_RECORDED)),
        "firmware": str(device.get("firmware", NOT_RECORDED)),
        "temperature": str(conditions.get("temperature", NOT_RECORDED)),
        "supply": str(conditions.get("supply", NOT_RECORDED)),
    }
    if "restart" in conditions:
        facts["method of restart"] = str(conditions["restart"])
    claim = 0.0
    try:
        values = find(name).values
    except MachineFileError:  # a machine of the user, by a name that only the device has
        pass
    else:
        claim = float(values["noise.entropy"])
        facts["sampling interval"] = f"{values['noise.interval']} µs"
        facts["claim of the machine file"] = f"{claim:g} bits per sample"
    differs = data.get("differs", {}).get(data["from"], [])
    return NoiseOrigin(bool(data.get("simulated")), claim, facts, [str(each) for each in differs])
