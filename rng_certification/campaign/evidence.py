"""Evidence: measurements of a built machine that a campaign cannot make by itself.

    layer E  outcomes of the mechanics: the number of cards in another bin than intended
    layer F  side channels: information for each card, by channel, from held-out recordings
    layer G  the firmware image: its hash, its signature, and the attestation of the device

An evidence file is JSON. `docs/reference/certification-data.md` describes every field. Its content
becomes part of the plan, so that the verdict depends only on the plan and the findings.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scipy.special import betaincinv

from cutcard import untrusted
from rng_certification.base.signing import EVIDENCE, ReportSigner, holds, signed

FORMAT = 1
WRONG_BIN_RATE = 0.001  # outcomes in another bin than intended
LEAST_OUTCOMES = 10_000
SIDE_CHANNEL_BITS = 0.25  # of information for each card, above an ideal machine
SURE = 0.95  # one-sided
CHANNELS = ("sound", "vibration", "magnetic field", "supply", "wire timing")
FIGURES = {
    "E": ("outcomes", "wrong"),
    "F": ("channels",),
    "G": ("image_sha256", "firmware_sha256", "signature_valid", "attested"),
}
OF_A_CHANNEL = ("bits", "limit_bits", "samples")
_TEXTS = ("device", "made_by", "made_on")
_FIELDS = {"format", "layer", "machine_sha256", *_TEXTS, "data", "figures", "signature"}
MOST_LETTERS = 200
MOST_COUNT = 10**12


class BadEvidenceError(ValueError):
    """An evidence file that is invalid, or that belongs to another machine."""


@dataclass(frozen=True)
class Evidence:
    """One measurement: its machine file, device, maker, data and result.

    `signature` is None for unsigned evidence.
    """

    layer: str
    machine_sha256: str
    device: str
    made_by: str
    made_on: str
    data: dict[str, Any]  # name, bytes and sha256 of the raw data
    figures: dict[str, Any]
    signature: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **asdict(self)}

    @property
    def signed_by(self) -> str:
        """The public key with a valid signature, in hexadecimal digits; empty without one."""
        if self.signature is None:
            return ""
        public = str(self.signature["key"]["public"])
        return public if holds(self.as_json(), bytes.fromhex(public), EVIDENCE) else ""

    def sign(self, signer: ReportSigner) -> Evidence:
        unsigned = {key: value for key, value in self.as_json().items() if key != "signature"}
        return read_evidence(signed(unsigned, signer, EVIDENCE))


def load_evidence(path: Path) -> Evidence:
    """Read an evidence file. Raises BadEvidenceError."""
    try:
        return read_evidence(untrusted.read_json(path, untrusted.MEBIBYTE))
    except OSError as error:
        raise BadEvidenceError(f"cannot read {path}: {error.strerror}") from None
    except (untrusted.BadContentError, BadEvidenceError) as error:
        raise BadEvidenceError(f"{path} is not valid evidence: {error}") from None


def read_evidence(data: Any) -> Evidence:
    """Validate evidence from JSON. Raises BadEvidenceError."""
    if not isinstance(data, dict) or data.keys() != _FIELDS:
        raise BadEvidenceError(f"it must have exactly the fields {', '.join(sorted(_FIELDS))}")
    if data["format"] != FORMAT:
        raise BadEvidenceError(f"its format is {untrusted.shown(data['format'])}, not {FORMAT}")
    if data["layer"] not in FIGURES:
        raise BadEvidenceError(f"its layer must be one of {', '.join(FIGURES)}")
    for name in _TEXTS:
        text = data[name]
        if not isinstance(text, str) or not 0 < len(text) <= MOST_LETTERS or not text.isprintable():
            raise BadEvidenceError(f"{name} must be one line of 1 to {MOST_LETTERS} characters")
    _require_hash("machine_sha256", data["machine_sha256"])
    _require_data(data["data"])
    _require_figures(data["layer"], data["figures"])
    _require_signature(data["signature"])
    evidence = Evidence(**{key: value for key, value in data.items() if key != "format"})
    if evidence.signature is not None and not evidence.signed_by:
        raise BadEvidenceError(
            "its signature does not match its content: get it again from its maker"
        )
    return evidence


def _require_hash(name: str, value: Any) -> None:
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise BadEvidenceError(f"{name} must be a SHA-256 of 64 hexadecimal digits")


def _require_data(data: Any) -> None:
    if not isinstance(data, dict) or data.keys() != {"name", "bytes", "sha256"}:
        raise BadEvidenceError("data must have exactly name, bytes and sha256")
    if not isinstance(data["name"], str) or not 0 < len(data["name"]) <= MOST_LETTERS:
        raise BadEvidenceError(f"the name of data must have 1 to {MOST_LETTERS} characters")
    _require_count("bytes of data", data["bytes"], 0)
    _require_hash("sha256 of data", data["sha256"])


def _require_figures(layer: str, figures: Any) -> None:
    if not isinstance(figures, dict) or tuple(sorted(figures)) != tuple(sorted(FIGURES[layer])):
        raise BadEvidenceError(
            f"figures of layer {layer} must be exactly {', '.join(FIGURES[layer])}"
        )
    if layer == "E":
        _require_count("outcomes", figures["outcomes"], 1)
        _require_count("wrong", figures["wrong"], 0, figures["outcomes"])
    elif layer == "F":
        _require_channels(figures["channels"])
    else:
        for name in ("image_sha256", "firmware_sha256"):
            _require_hash(name, figures[name])
        for name in ("signature_valid", "attested"):
            if type(figures[name]) is not bool:
                raise BadEvidenceError(f"{name} must be true or false")


def _require_channels(channels: Any) -> None:
    if not isinstance(channels, dict) or not channels or channels.keys() - set(CHANNELS):
        raise BadEvidenceError(f"channels must be some of {', '.join(CHANNELS)}")
    for name, channel in channels.items():
        if not isinstance(channel, dict) or channel.keys() != set(OF_A_CHANNEL):
            raise BadEvidenceError(
                f"the channel {name} must have exactly {', '.join(OF_A_CHANNEL)}"
            )
        for key in ("bits", "limit_bits"):
            if not isinstance(channel[key], int | float) or not 0 <= channel[key] <= 64:
                raise BadEvidenceError(f"{key} of the channel {name} must be a number of 0 to 64")
        _require_count(f"samples of the channel {name}", channel["samples"], 1)


def _require_count(name: str, value: Any, least: int, most: int = MOST_COUNT) -> None:
    if type(value) is not int or not least <= value <= most:
        raise BadEvidenceError(f"{name} must be an integer from {least} to {most:,}")


def _require_signature(block: Any) -> None:
    if block is None:
        return
    key = block.get("key") if isinstance(block, dict) else None
    if not isinstance(key, dict):
        raise BadEvidenceError("its signature block is invalid")
    _require_hash("the public key of its signature", key.get("public"))


def outcomes_in(path: Path) -> tuple[int, int, dict[str, Any]]:
    """Count the outcomes in a CSV file with the columns `intended` and `actual`.

    Return their number, the number in another bin than intended, and a description of the file.
    Raises BadEvidenceError.
    """
    try:
        raw = untrusted.content(path, 64 * untrusted.MEBIBYTE)
        rows = csv.DictReader(untrusted.text_of(raw).splitlines())
        wrong = number = 0
        for row in rows:
            bins = [untrusted.whole_number((row.get(each) or "").strip()) for each in COLUMNS]
            if None in bins:
                raise BadEvidenceError(
                    f"{path}, line {rows.line_num}: needs a bin's number in the columns "
                    f"{' and '.join(COLUMNS)}"
                )
            number += 1
            wrong += bins[0] != bins[1]
    except OSError as error:
        raise BadEvidenceError(f"cannot read {path}: {error.strerror}") from None
    except (untrusted.BadContentError, csv.Error) as error:
        raise BadEvidenceError(f"{path} is not a CSV file: {error}") from None
    if not number:
        raise BadEvidenceError(
            f"{path} has no outcome: it needs the columns {' and '.join(COLUMNS)}"
        )
    return number, wrong, described(path, raw)


def described(path: Path, raw: bytes) -> dict[str, Any]:
    """Return the entry `data` of an evidence file."""
    return {"name": path.name, "bytes": len(raw), "sha256": hashlib.sha256(raw).hexdigest()}


COLUMNS = ("intended", "actual")


def upper_rate(wrong: int, outcomes: int) -> float:
    """Return the upper one-sided 95 % limit of a rate, by Clopper and Pearson."""
    if wrong >= outcomes:
        return 1.0
    return float(betaincinv(wrong + 1, outcomes - wrong, SURE))


def too_predictable(channel: Mapping[str, Any]) -> bool:
    """Return whether a channel's upper limit is not below its declared limit, or not below ours."""
    return bool(channel["bits"] >= min(channel["limit_bits"], SIDE_CHANNEL_BITS))
