"""The log of all campaigns of this laboratory: every run has a number, also an interrupted one.

    ~/.config/cutcard/certification-runs.jsonl     (CUTCARD_HOME names another folder)

One line for each event: begun, resumed, ended. Lines are only added, and each has the SHA-256 of
the line before it, so that a removed or changed line is detected. A report has its run's number,
which reveals repeated campaigns until a pass.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from cutcard import untrusted
from cutcard.keys.store import default_folder
from rng_certification.base.canonical import canonical
from rng_certification.base.files import write_whole
from rng_certification.campaign.plan import CampaignPlan

NAME = "certification-runs.jsonl"
RUN = "run.json"


class BadLogError(Exception):
    """The log was not written by this program, or was changed."""


@dataclass(frozen=True)
class Run:
    """One campaign in the log, up to its last event."""

    number: int
    begun: str
    profile: str
    plan_sha256: str
    folder: str
    verdict: str  # empty if it never ended


class RunLog:
    def __init__(self, path: Path | None = None) -> None:
        self.path = path or default_folder() / NAME

    def begin(self, plan: CampaignPlan, folder: Path) -> int:
        """Return the number of this run; a resumed folder keeps its number."""
        with self._open() as file:
            lines = _lines(file)
            number = _stored_run_number(folder, plan)
            event = "begun" if number is None else "resumed"
            if number is None:
                number = 1 + max((line["number"] for line in lines), default=0)
            about = {"profile": plan.profile, "plan_sha256": plan.sha256}
            _add(file, lines, number, event, {**about, "folder": str(folder.absolute())})
        write_whole(folder / RUN, canonical({"number": number, "plan_sha256": plan.sha256}))
        return number

    def end(self, number: int, verdict: str) -> None:
        with self._open() as file:
            _add(file, _lines(file), number, "ended", {"verdict": verdict})

    def runs(self) -> list[Run]:
        """Return all runs in order. Raises BadLogError if a line was changed or removed."""
        if not self.path.exists():
            return []
        with self._open() as file:
            lines = _lines(file)
        verdicts = {line["number"]: line["verdict"] for line in lines if line["event"] == "ended"}
        return [
            Run(
                line["number"],
                begun=line["at"],
                profile=line["profile"],
                plan_sha256=line["plan_sha256"],
                folder=line["folder"],
                verdict=verdicts.get(line["number"], ""),
            )
            for line in lines
            if line["event"] == "begun"
        ]

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # two simultaneous campaigns get two numbers
            yield file


def _stored_run_number(folder: Path, plan: CampaignPlan) -> int | None:
    if not (folder / RUN).exists():
        return None
    kept = untrusted.read_json(folder / RUN)
    same = isinstance(kept, dict) and kept.get("plan_sha256") == plan.sha256
    return kept["number"] if same and isinstance(kept.get("number"), int) else None


def _lines(file: IO[bytes]) -> list[dict[str, Any]]:
    file.seek(0)
    found, before = [], ""
    for place, raw in enumerate(file.read().splitlines()):
        try:
            line = untrusted.json_from(raw)
            chained = line["before"] == before and isinstance(line["number"], int)
        except (ValueError, LookupError, TypeError):
            chained = False
        if not chained:
            raise BadLogError(f"line {place + 1} does not follow from the lines before it")
        found.append(line)
        before = hashlib.sha256(raw).hexdigest()
    return found


def _add(
    file: IO[bytes], lines: list[dict[str, Any]], number: int, event: str, about: dict[str, str]
) -> None:
    last = json.dumps(lines[-1], sort_keys=True).encode() if lines else b""
    line = {
        "number": number,
        "event": event,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        **about,
        "before": hashlib.sha256(last).hexdigest() if lines else "",
    }
    file.write(json.dumps(line, sort_keys=True).encode() + b"\n")
    file.flush()
