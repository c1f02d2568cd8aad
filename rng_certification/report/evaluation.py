"""Pages for the evaluator's file: entries from the campaign, and fields to fill in."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from rng_certification.campaign.evidence import LEAST_OUTCOMES, WRONG_BIN_RATE, upper_rate

_FOLDER = Path(__file__).parent
NOT_COMPARED: tuple[dict[str, str], ...] = tuple(
    tomllib.loads((_FOLDER / "not_compared.toml").read_text(encoding="utf-8"))["text"]
)
# Modules of the firmware that decide a draw, and their purposes.
FIRST_READ = {
    "core/random/drbg.py": "generator",
    "core/random/health.py": "health tests of the noise",
    "core/random/source.py": "seeding, buffer, draws",
    "core/random/known_answer.py": "known answers at every start",
}
BLANK = ""  # a field that the evaluator fills in


def pages(campaign: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pages: each a title, a sentence, columns, and rows with empty cells to fill in."""
    if campaign["plan"]["product"] is None:
        return []
    return [
        _devices(campaign),
        _custody(campaign),
        _source_review(campaign),
        _uncertainty(campaign),
        _jurisdictions(campaign),
    ]


def _page(title: str, text: str, columns: list[str], rows: list[list[str]]) -> dict[str, Any]:
    return {"title": title, "text": text, "columns": columns, "rows": rows}


def _devices(campaign: dict[str, Any]) -> dict[str, Any]:
    product = campaign["plan"]["product"]
    evidence = campaign["plan"]["evidence"]
    board = [part for part in campaign["parts"] if part["source"] == "board"]
    image = [each["figures"]["image_sha256"] for each in evidence if each["layer"] == "G"]
    known = {
        "Manufacturer": BLANK,
        "Model": BLANK,
        "Serial number": "; ".join(dict.fromkeys(each["device"] for each in evidence)),
        "Machine file": f"{product['machine']}, SHA-256 {product['machine_sha256']}",
        "Board and revision": BLANK if board else "not tested in this campaign",
        "Firmware image, SHA-256": "; ".join(image) or "not tested in this campaign",
        "Attestation of the flash": BLANK,
        "Card reader and sensors": BLANK,
        "Power supply": BLANK,
        "Seals, and their numbers": BLANK,
        "Photographs": BLANK,
    }
    return _page(
        "Device identification",
        "The sample that was tested. The board and the image are not tested unless a line says so.",
        ["field", "entry"],
        [[name, entry] for name, entry in known.items()],
    )


def _custody(campaign: dict[str, Any]) -> dict[str, Any]:
    rows = [
        [f"{part['id']}: {file['name']}", file["sha256"][:16], BLANK, BLANK]
        for part in campaign["parts"]
        if part["source"] == "board"
        for file in part["files"]
    ]
    rows += [
        [f"evidence {each['layer']}: {each['data']['name']}", each["data"]["sha256"][:16],
         f"{each['made_by']}, {each['made_on']}", BLANK]
        for each in campaign["plan"]["evidence"]
    ]  # fmt: skip
    others = ("Device", "Cards", "Firmware image", "Keys", "Recordings", "Report", *(BLANK,) * 6)
    rows += [[name, BLANK, BLANK, BLANK] for name in others]
    return _page(
        "Sample custody",
        "Each sample, from receipt to return. Simulated samples need no custody: appendix C has "
        "their SHA-256.",
        ["sample", "SHA-256", "received from, on", "handed over to, on"],
        rows,
    )


def _source_review(campaign: dict[str, Any]) -> dict[str, Any]:
    modules = campaign["fingerprints"].get("firmware", {})
    rows = [
        [f"{name}: {purpose}", modules[name][:16], BLANK, BLANK]
        for name, purpose in FIRST_READ.items()
        if name in modules
    ]
    rows += [[f"{len(modules) - len(rows)} other modules, appendix C", BLANK, BLANK, BLANK]]
    rows += [["compiler and settings of the image", BLANK, BLANK, BLANK]]
    return _page(
        "Source review",
        "The modules that decide a draw are first. A review has its reader and remarks.",
        ["module", "SHA-256", "read by, on", "remarks"],
        rows,
    )


def _uncertainty(campaign: dict[str, Any]) -> dict[str, Any]:
    plan = campaign["plan"]
    alpha = campaign["judgement"]["alpha"]
    rows = [
        [
            "false alarms of all tests together",
            f"at most {alpha:g}",
            "Holm's method, any dependence",
        ],
        ["smallest fault of each test", "section 5", "power 0.99 at the test's share of alpha"],
    ]
    for part in campaign["parts"]:
        if leakage := part["figures"].get("told"):
            figure = leakage["counter"]
            rows.append(
                [
                    f"{leakage['machine']}, {leakage['pack']} cards: bits by observation",
                    f"{figure['bits']:.3f} ± {figure['error']:.3f}",
                    "half of the 95 % interval; a lower bound: a better counter may exist",
                ]
            )
            for entry in leakage.get("money", {}).get("rulebooks", []):
                error = entry["upper_percent"] - entry["gain_percent"]
                rows.append(
                    [
                        f"{leakage['machine']}, {leakage['pack']} cards: gain in "
                        f"{entry['rulebook']}",
                        f"{entry['gain_percent']:+.3f} % + {error:.3f} %",
                        "to the one-sided 95 % limit; judged with a factor of 1.25",
                    ]
                )
    outcomes = [each["figures"] for each in plan["evidence"] if each["layer"] == "E"]
    if outcomes:
        number, wrong = (sum(each[key] for each in outcomes) for key in ("outcomes", "wrong"))
        limit = f"at most {upper_rate(wrong, number):.2g}"
        rows.append(["rate of wrong bins", limit, "one-sided 95 % limit, Clopper and Pearson"])
    else:
        rows.append(
            [
                "rate of wrong bins",
                "not measured",
                f"{LEAST_OUTCOMES:,} outcomes without an error leave at most "
                f"{upper_rate(0, LEAST_OUTCOMES):.2g}; {WRONG_BIN_RATE:g} is declared",
            ]
        )
    rows += [
        [
            "model of the mechanics",
            "not quantified",
            "layer E measures the machine",
        ],
        ["clock, thermometer and supply of the laboratory", BLANK, BLANK],
        ["position and calibration of microphones and sensors", BLANK, BLANK],
        ["", BLANK, BLANK],
    ]
    return _page(
        "Uncertainty budget",
        "The uncertainties of this report's figures. Add those of your own measurements.",
        ["quantity", "uncertainty", "method of discovery"],
        rows,
    )


def _jurisdictions(campaign: dict[str, Any]) -> dict[str, Any]:
    rows = [
        [entry["title"], f"compared: {entry['verdict']}", BLANK] for entry in campaign["clauses"]
    ]
    rows += [[f"{text['name']} ({text['where']})", "not compared", BLANK] for text in NOT_COMPARED]
    rows += [["", BLANK, BLANK]] * 2
    return _page(
        "Jurisdictions",
        "The texts that this report compares clause by clause, and those that were not "
        "available to us. An owner of a text can add it as a profile file: "
        "docs/how-to/certify.md. Only the regulator can give approval.",
        ["text", "comparison", "approval, by, on"],
        rows,
    )
