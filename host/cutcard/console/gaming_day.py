"""The gaming day: from one rollover to the next, in a named time zone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

LOCAL_TIME = Path("/etc/localtime")
DEFAULT_ROLLOVER = "06:00"


class BadGamingDayError(Exception):
    """Raised for an unknown time zone, or a rollover that is not a time of day."""


@dataclass(frozen=True)
class GamingDay:
    """The rule that assigns a moment to a gaming day."""

    zone: str = "UTC"
    rollover: time = time(6)

    @classmethod
    def of(cls, zone: str, rollover: str) -> GamingDay:
        """Return the gaming day of these options. Raises BadGamingDayError."""
        try:
            ZoneInfo(zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            raise BadGamingDayError(
                f"time zone {zone!r} is unknown: use a name such as Pacific/Auckland or UTC"
            ) from None
        try:
            begins = datetime.strptime(rollover, "%H:%M").time()
        except ValueError:
            raise BadGamingDayError(
                f"rollover {rollover!r} is not a time of day: use HH:MM, such as 06:00"
            ) from None
        return cls(zone, begins)

    def date_of(self, moment: str) -> str:
        """Return the date of the gaming day of a record's time; empty if it has no time."""
        try:
            when = datetime.fromisoformat(moment)
        except ValueError:
            return ""
        local = (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(ZoneInfo(self.zone))
        before_rollover = local.time() < self.rollover
        return (local.date() - timedelta(days=before_rollover)).isoformat()

    def as_json(self) -> dict[str, str]:
        return {"zone": self.zone, "rollover": f"{self.rollover:%H:%M}"}


def local_zone() -> str:
    """Return the name of this computer's time zone; UTC if it has no name."""
    named = os.environ.get("TZ", "")
    if not named:
        _, _, named = str(LOCAL_TIME.resolve()).partition("zoneinfo/")
    try:
        ZoneInfo(named)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return "UTC"
    return named or "UTC"
