"""The table of planted defects, measured when the suite was made."""

from __future__ import annotations

import json
from typing import Any

from rng_certification.planted.power import MEASURED
from rng_certification.planted.table import UNCAUGHT

_UNITS = {
    "bits": "bytes",
    "draws": "draws",
    "shuffles": "shuffles",
    "prizes": "draws",
    "presses": "presses",
    "continuous": "cards",
}
_DATA = {
    "bits": "raw bits",
    "prizes": "prizes",
    "presses": "prizes at four tables",
    "continuous": "a continuous shuffler",
}


def planted_table() -> list[dict[str, Any]]:
    return [
        {
            "defect": row["defect"],
            "data": _data(row),
            "sample": f"{row['sample']:,} {_UNITS[row['kind']]}",
            "caught": f"{row['failed']} of {row['samples']}",
            "by": row["surest"],
        }
        for row in json.loads(MEASURED.read_text(encoding="utf-8"))
    ]


def uncaught_table() -> list[dict[str, str]]:
    """Return the defects that tests of output do not find, and the checks that find them."""
    return [{"defect": defect.name, "instead": defect.instead} for defect in UNCAUGHT]


def _data(row: dict[str, Any]) -> str:
    if row["kind"] == "draws":
        return f"draws of {row['size']:,}"
    return f"packs of {row['size']}" if row["kind"] == "shuffles" else _DATA[row["kind"]]
