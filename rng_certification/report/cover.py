"""The cover of a report: who asked, who tested, what, and when; as an evaluator files it.

    folder/cover.json     kept beside the campaign, signed with the report

What it says is not part of the campaign, so that a campaign repeats to the byte whoever files it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cutcard import __version__, untrusted
from rng_certification.base.canonical import canonical
from rng_certification.base.files import write_whole
from rng_certification.base.fingerprints import digest_of
from rng_certification.campaign.given import PROFILE
from rng_certification.campaign.run_log import RUN
from rng_certification.report.first_page import product_named

COVER = "cover.json"
MOST_LETTERS = 200
# What stands there, and what the page calls it.
TITLES = {
    "report": "Report number",
    "date": "Date",
    "applicant": "Applicant",
    "laboratory": "Laboratory",
    "evaluator": "Evaluator",
    "product": "Product",
    "firmware": "Firmware version",
    "image": "Firmware image",
    "board": "Board",
    "run": "Run of this laboratory",
}
# The log of runs supplies the number; the campaign supplies the image.
_NOT_SAID = ("run", "image")
SAID = tuple(name for name in TITLES if name not in _NOT_SAID)
SELF_ASSESSMENT = "self-assessment; no accredited laboratory took part"
NOT_STATED = "not stated"
NOT_TESTED = "not tested"


class BadCoverError(ValueError):
    """What is to stand on the cover cannot; says why and what may."""


def cover_entries(file: Path | None, options: Iterable[str]) -> dict[str, str]:
    """Return the entries of a TOML file and of NAME=TEXT options, which override the file.

    Raises BadCoverError.
    """
    said: dict[str, Any] = {}
    if file is not None:
        try:
            said = untrusted.read_toml(file)
        except (OSError, untrusted.BadContentError) as error:
            raise BadCoverError(f"cannot read {file}: {untrusted.why_unreadable(error)}") from None
    for option in options:
        name, equals, text = option.partition("=")
        if not equals:
            raise BadCoverError(f"{untrusted.shown(option)} is not NAME=TEXT")
        said[name] = text
    for name in _NOT_SAID:
        if name in said:
            raise BadCoverError(
                f"{name} cannot be set: the campaign or the log of runs supplies it"
            )
    return checked(said)


def checked(said: Any) -> dict[str, str]:
    """The lines of a cover, each known, short and printable. Raises BadCoverError."""
    if not isinstance(said, dict):
        raise BadCoverError("a cover is a table of names and texts")
    for name, text in said.items():
        if name not in TITLES:
            known = ", ".join(SAID)
            raise BadCoverError(f"{untrusted.shown(name)} stands on no cover: it has {known}")
        if not isinstance(text, str) or len(text) > MOST_LETTERS or not text.isprintable():
            raise BadCoverError(f"{name} is no text of one line with up to {MOST_LETTERS} letters")
    return dict(said)


def keep_cover(folder: Path, said: dict[str, str]) -> None:
    """Write the cover, with today's date and the run's number unless somebody says otherwise.

    A cover that is there stays, but for what is said anew: the same report can be made again.
    """
    before = read_cover(folder)
    cover = {"date": datetime.now(UTC).date().isoformat(), **_run(folder), **before, **said}
    write_whole(folder / COVER, canonical(cover))


def read_cover(folder: Path) -> dict[str, str]:
    """The cover that is kept with a campaign; empty where there is none. Raises BadCoverError."""
    if not (folder / COVER).is_file():
        return {}
    try:
        return checked(untrusted.read_json(folder / COVER))
    except (OSError, untrusted.BadContentError) as error:
        why = untrusted.why_unreadable(error)
        raise BadCoverError(f"{folder / COVER} cannot be read: {why}") from None


def lines_of(
    cover: dict[str, str], campaign: dict[str, Any], campaign_sha256: str
) -> list[tuple[str, str]]:
    """Every line of the cover, with what stands there if nobody said anything."""
    otherwise = {
        "report": f"cutcard-{campaign_sha256[:12]}",
        "laboratory": SELF_ASSESSMENT,
        **(_of_data() if campaign["plan"]["profile"] == PROFILE else _of_devices(campaign)),
    }
    lines = [
        (title, cover.get(name) or otherwise.get(name, NOT_STATED))
        for name, title in TITLES.items()
    ]
    return [*lines, *_machine_file(campaign), *_modules(campaign["fingerprints"])]


def _of_data() -> dict[str, str]:
    return {
        "product": "not stated; the data was brought",
        "image": NOT_TESTED,
        "board": NOT_TESTED,
        "run": "not numbered: the data was brought",
    }


def _of_devices(campaign: dict[str, Any]) -> dict[str, str]:
    product = campaign["plan"]["product"]
    boards = any(part["source"] == "board" for part in campaign["parts"])
    images = [
        each["figures"]["image_sha256"]
        for each in campaign["plan"]["evidence"]
        if each["layer"] == "G"
    ]
    return {
        "product": product_named(product),
        "firmware": f"cutcard {__version__}",
        "image": ", ".join(images) or NOT_TESTED,
        "board": "a device on a cable" if boards else NOT_TESTED,
        "run": "not numbered: no log of runs names it",
    }


def _machine_file(campaign: dict[str, Any]) -> list[tuple[str, str]]:
    product = campaign["plan"]["product"]
    return [("Machine file, SHA-256", product["machine_sha256"])] if product else []


def _modules(fingerprints: dict[str, Any]) -> list[tuple[str, str]]:
    """One number for all modules of the firmware, and one for those of the suite."""
    titles = {"firmware": "Firmware, SHA-256 of all", "suite": "Suite, SHA-256 of all"}
    return [
        (title, f"{digest_of(fingerprints[group])} {len(fingerprints[group])} files")
        for group, title in titles.items()
        if group in fingerprints
    ]


def _run(folder: Path) -> dict[str, str]:
    if not (folder / RUN).is_file():
        return {}
    kept = untrusted.read_json(folder / RUN)
    return {"run": str(kept["number"])} if isinstance(kept, dict) and "number" in kept else {}
