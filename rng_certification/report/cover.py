"""The cover of a report: who asked, who tested, what, and when; as an evaluator files it.

    folder/cover.json     kept beside the campaign, signed with the report

What it says is not part of the campaign, so that a campaign repeats to the byte whoever files it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cutcard import untrusted
from rng_certification.base.files import write_whole
from rng_certification.campaign.plan import canonical
from rng_certification.campaign.run_log import RUN

COVER = "cover.json"
MOST_LETTERS = 200
# What may be said, and what the page calls it.
TITLES = {
    "report": "Report number",
    "date": "Date",
    "run": "Run of this laboratory",
    "applicant": "Applicant",
    "laboratory": "Laboratory",
    "evaluator": "Evaluator",
    "product": "Product",
    "firmware": "Firmware version",
    "board": "Board",
}
OTHERWISE = {
    "laboratory": "self-assessment; no accredited laboratory took part",
    "board": "none: no device was tested",
}
NOT_STATED = "not stated"


class BadCover(ValueError):
    """What is to stand on the cover cannot; says why and what may."""


def said_on_cover(file: Path | None, options: Iterable[str]) -> dict[str, str]:
    """What a TOML file and options NAME=TEXT say, options above the file. Raises BadCover."""
    said: dict[str, Any] = {}
    if file is not None:
        try:
            said = untrusted.read_toml(file)
        except (OSError, untrusted.BadContent) as error:
            raise BadCover(f"cannot read {file}: {error}") from None
    for option in options:
        name, equals, text = option.partition("=")
        if not equals:
            raise BadCover(f"{untrusted.shown(option)} is not NAME=TEXT")
        said[name] = text
    return checked(said)


def checked(said: Any) -> dict[str, str]:
    """The lines of a cover, each known, short and printable. Raises BadCover."""
    if not isinstance(said, dict):
        raise BadCover("a cover is a table of names and texts")
    for name, text in said.items():
        if name not in TITLES:
            known = ", ".join(TITLES)
            raise BadCover(f"{untrusted.shown(name)} stands on no cover: it has {known}")
        if not isinstance(text, str) or len(text) > MOST_LETTERS or not text.isprintable():
            raise BadCover(f"{name} is no text of one line with up to {MOST_LETTERS} letters")
    return dict(said)


def keep_cover(folder: Path, said: dict[str, str]) -> None:
    """Write the cover, with today's date and the run's number unless somebody says otherwise.

    A cover that is there stays, but for what is said anew: the same report can be made again.
    """
    before = read_cover(folder)
    cover = {"date": datetime.now(UTC).date().isoformat(), **_run(folder), **before, **said}
    write_whole(folder / COVER, canonical(cover))


def read_cover(folder: Path) -> dict[str, str]:
    """The cover that is kept with a campaign; empty where there is none. Raises BadCover."""
    if not (folder / COVER).is_file():
        return {}
    try:
        return checked(untrusted.read_json(folder / COVER))
    except (OSError, untrusted.BadContent) as error:
        raise BadCover(f"{folder / COVER} cannot be read: {error}") from None


def lines_of(cover: dict[str, str]) -> list[tuple[str, str]]:
    """Every line of the cover, with what stands there if nobody said anything."""
    return [
        (title, cover.get(name) or OTHERWISE.get(name, NOT_STATED))
        for name, title in TITLES.items()
    ]


def _run(folder: Path) -> dict[str, str]:
    if not (folder / RUN).is_file():
        return {}
    kept = untrusted.read_json(folder / RUN)
    return {"run": str(kept["number"])} if isinstance(kept, dict) and "number" in kept else {}
