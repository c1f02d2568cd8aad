"""Canonical JSON for campaigns: sorted keys, so that equal data gives identical bytes."""

from __future__ import annotations

import json
from typing import Any


def canonical(data: Any) -> str:
    """Return data as JSON text that is the same for equal data."""
    return json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
