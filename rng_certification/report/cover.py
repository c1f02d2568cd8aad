"""The cover of a report: the applicant, the laboratory, the product and the date, for the files.

    folder/cover.json     stored with the campaign, signed with the report

The cover is not part of the campaign, so that a campaign gives identical bytes for every
laboratory.
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
# The entries of the cover, and their titles on the page.
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
    """An entry for the cover is invalid; the message has the reason and the valid entries."""


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
    """Return valid entries of a cover: known names, short printable texts; or BadCoverError."""
    if not isinstance(said, dict):
        raise BadCoverError("a cover is a table of names and texts")
    for name, text in said.items():
        if name not in TITLES:
            known = ", ".join(SAID)
            raise BadCoverError(
                f"{untrusted.shown(name)} is not an entry of a cover; use one of {known}"
            )
        if not isinstance(text, str) or len(text) > MOST_LETTERS or not text.isprintable():
            raise BadCoverError(
                f"{name} must be text on one line with up to {MOST_LETTERS} letters"
            )
    return dict(said)


def keep_cover(folder: Path, said: dict[str, str]) -> None:
    """Write the cover, by default with today's date and the run's number.

    An existing cover keeps its other entries, so that the same report can be made again.
    """
    before = read_cover(folder)
    cover = {"date": datetime.now(UTC).date().isoformat(), **_run(folder), **before, **said}
    write_whole(folder / COVER, canonical(cover))


def read_cover(folder: Path) -> dict[str, str]:
    """Return the cover stored with a campaign; empty if there is none. Raises BadCoverError."""
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
    """Return every line of the cover, with defaults for the missing entries."""
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
        "product": "not stated; the data was supplied",
        "image": NOT_TESTED,
        "board": NOT_TESTED,
        "run": "not numbered: the data was supplied",
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
        "run": "not numbered: not listed in a log of runs",
    }


def _machine_file(campaign: dict[str, Any]) -> list[tuple[str, str]]:
    product = campaign["plan"]["product"]
    return [("Machine file, SHA-256", product["machine_sha256"])] if product else []


def _modules(fingerprints: dict[str, Any]) -> list[tuple[str, str]]:
    """Return one number for all modules of the firmware, and one for those of the suite."""
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
