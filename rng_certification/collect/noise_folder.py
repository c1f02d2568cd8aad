"""The folder of an assessment: data, restart data, assessment, description and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rng_certification.base.compiled import Bytes
from rng_certification.base.files import write_whole

DATA = "samples.u8"
RESTARTS = "restarts.u8"
ASSESSMENT = "assessment.json"
DESCRIPTION = "description.md"
HASHES = "SHA256SUMS"
NOT_RECORDED = "not recorded"
SERIAL = "serial number"


@dataclass(frozen=True)
class NoiseOrigin:
    """What is known of the origin of samples. `simulated` is None if it is not known."""

    simulated: bool | None = None
    claim: float = 0.0  # of the machine file, in bits per sample; 0 if it is not known
    facts: Mapping[str, str] = field(default_factory=dict)
    differences: Sequence[str] = ()

    @property
    def statement(self) -> str:
        if self.simulated is None:
            return "The origin of these samples is not recorded."
        if self.simulated:
            return (
                "SIMULATED: these samples come from a model of a noise source. They show that the "
                "assessment works, and nothing about any board."
            )
        return "These samples come from a board."


class OtherDeviceError(Exception):
    """Samples and restart data of two different boards."""


def require_one_device(origin: NoiseOrigin, restarts: NoiseOrigin | None) -> None:
    """Raises OtherDeviceError for data of two boards. Each simulated collection has its own."""
    if restarts is None or origin.simulated is not False or restarts.simulated is not False:
        return
    serials = [each.facts.get(SERIAL) for each in (origin, restarts)]
    if serials[0] != serials[1]:
        raise OtherDeviceError(
            f"the samples are from the board {serials[0]} and the restarts from {serials[1]}: "
            "collect both from one board"
        )


def require_new(folder: Path) -> None:
    """Raises FileExistsError if the folder has files."""
    if folder.is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} has files: use another --out")


def write_folder(
    folder: Path,
    samples: Bytes,
    restarts: Bytes | None,
    assessment: str,
    description: str,
) -> None:
    """Write the folder. Raises FileExistsError if it has files."""
    require_new(folder)
    folder.mkdir(parents=True, exist_ok=True)
    contents = {DATA: samples.tobytes()}
    if restarts is not None:
        contents[RESTARTS] = restarts.tobytes()
    contents[ASSESSMENT] = (assessment + "\n").encode()
    contents[DESCRIPTION] = description.encode()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}" for name, content in contents.items())
    write_whole(folder / HASHES, "\n".join(sums) + "\n")


def describe(
    origin: NoiseOrigin,
    restart_origin: NoiseOrigin | None,
    assessed: Mapping[str, str],
) -> str:
    """Return the text of `description.md`."""
    lines = ["# Assessment of a noise source (SP 800-90B)", "", origin.statement, ""]
    lines += _table("Samples", origin.facts)
    if restart_origin is None:
        lines += [
            "## Restarts",
            "",
            "No restart data: the assessment is not complete without it.",
            "",
        ]
    else:
        lines += _table("Restarts", restart_origin.facts)
        if restart_origin.simulated:
            lines += [restart_origin.statement, ""]
    lines += _table("Assessment", assessed)
    if origin.differences:
        lines += ["## Limits of this origin", "", *(f"- {each}" for each in origin.differences), ""]
    lines += ["## To be filled in by the maker", ""]
    lines += [f"- {each}: ______" for each in _BY_THE_MAKER]
    return "\n".join(lines) + "\n"


_BY_THE_MAKER = (
    "drawing and description of the noise source, with its expected behaviour",
    "justification of the claimed entropy",
    "range of temperature and supply in use, and the data collected at its limits",
    "name, date, signature",
)


def _table(title: str, facts: Mapping[str, str]) -> list[str]:
    rows = [f"| {name} | {text or NOT_RECORDED} |" for name, text in facts.items()]
    return [f"## {title}", "", "| | |", "|---|---|", *rows, ""]
