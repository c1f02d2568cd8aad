"""The commands with which a reader repeats a campaign and checks its report."""

from __future__ import annotations

from shlex import quote
from typing import Any

from rng_certification.campaign.given import PROFILE
from rng_certification.campaign.plan import AT_PORT
from rng_certification.campaign.product import MACHINE


def reproduce(campaign: dict[str, Any]) -> dict[str, Any]:
    plan = campaign["plan"]
    versions = campaign["fingerprints"].get("versions", {})
    return {
        "seed": str(plan["seed"]),
        "commands": [
            {"does": "set up the locked versions", "command": "make .venv/ready"},
            {
                "does": "run the campaign again",
                "command": _command(plan),
            },
            {
                "does": "compare: the two files are the same to the byte",
                "command": "cmp again/campaign.json campaign.json",
            },
            {
                "does": "check signature, files and verdicts, and rerun every part",
                "command": "cutcard certify verify report.json --public-key KEY "
                + ("--input DATA" if plan["profile"] == PROFILE else "--rerun all"),
            },
        ],
        "versions": [f"{name} {number}" for name, number in versions.items()],
    }


def _command(plan: dict[str, Any]) -> str:
    """Return the command line that declares this plan."""
    if plan["profile"] == PROFILE:
        return _command_for_data(plan["parts"][0])
    words = ["cutcard", "certify", *_product(plan["product"])]
    words += ["--profile", "FILE" if plan["profile_file"] else plan["profile"]]
    words += ["--seed", str(plan["seed"])]
    words += [word for _ in plan["evidence"] for word in ("--evidence", "FILE")]
    if any(part["kind"] == "batteries" for part in plan["parts"]):
        words.append("--batteries")
    if any(part["source"] in AT_PORT for part in plan["parts"]):
        words += ["--port", "PORT"]
    return " ".join(quote(word) for word in (*words, "--out", "again"))


def _product(product: dict[str, Any]) -> list[str]:
    """Return the options of a product; its machine file is next to the report."""
    words = ["--machine", MACHINE]
    if product["decks"]:
        words += ["--decks", str(product["decks"])]
    if product["prizes"]:
        words += ["--prizes", ",".join(product["prizes"])]
    return words


def _command_for_data(part: dict[str, Any]) -> str:
    settings = part["parameters"]
    kind = "draws" if part["kind"] == "jackpot" else part["kind"]
    words = ["cutcard", "certify", "--input", part["subject"], "--kind", kind]
    for name in ("range", "deck", "prizes", "column", "first"):
        if name in settings:
            words += [f"--{name}", str(settings[name])]
    return " ".join(quote(word) for word in (*words, "--out", "again"))
