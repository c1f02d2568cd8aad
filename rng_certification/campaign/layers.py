"""The verdict of a certificate: one for each layer, and one over all layers.

pass            every required measurement was made, without finding a fault
fail            a measured or modelled deviation or leak
open            a required measurement is missing; the report names the command that makes it
not applicable  the product does not have anything that the layer could test
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from rng_certification.campaign.evidence import (
    CHANNELS,
    LEAST_OUTCOMES,
    WRONG_BIN_RATE,
    Evidence,
    too_predictable,
    upper_rate,
)
from rng_certification.campaign.product import Product

PASS, FAIL, OPEN, NOT_APPLICABLE = "pass", "fail", "open", "not applicable"

# A test in a campaign's judgement: name, p, verdict ...
Test = Mapping[str, Any]


@dataclass(frozen=True)
class RequiredMeasurement:
    """A measurement without which a layer stays open."""

    measures: str
    tests: tuple[str, ...]
    command: str
    source: str = ""
    only: str = ""

    def answered_by(self, test: Test, sources: Mapping[str, str]) -> bool:
        name = test["name"]
        from_there = not self.source or sources.get(name.split("/")[0]) == self.source
        return test["p"] is not None and from_there and _matches(name, self.tests)


def _matches(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@dataclass(frozen=True)
class CertificateLayer:
    """One layer, as declared in `layers.toml`."""

    layer: str
    title: str
    asks: str
    tests: tuple[str, ...]
    needs: tuple[RequiredMeasurement, ...]
    only: str = ""
    lacking: str = ""
    command: str = ""


@cache
def layers() -> tuple[CertificateLayer, ...]:
    table = tomllib.loads(Path(__file__).with_name("layers.toml").read_text(encoding="utf-8"))
    return tuple(_layer(entry) for entry in table["layer"])


def _layer(entry: dict[str, Any]) -> CertificateLayer:
    needs = tuple(
        RequiredMeasurement(**{**need, "tests": tuple(need["tests"])})
        for need in entry.pop("need", ())
    )
    return CertificateLayer(**{**entry, "tests": tuple(entry["tests"]), "needs": needs})


@cache
def layer_of(test: str) -> str:
    """Return the layer of a test: the layer with the longest matching pattern.

    Raises LookupError if no layer matches.
    """
    matching = [
        (len(pattern), layer.layer)
        for layer in layers()
        for pattern in layer.tests
        if fnmatchcase(test, pattern)
    ]
    if not matching:
        raise LookupError(f"no layer has the test {test}")
    return max(matching)[1]


def judged_layers(
    product: Product,
    tests: Sequence[Test],
    parts: Iterable[Mapping[str, Any]],
    evidence: Sequence[Evidence],
) -> list[dict[str, Any]]:
    """Return one entry for each layer: its verdict, failed tests and evidence, open items."""
    sources = {part["id"]: part["source"] for part in parts}
    of_layer: dict[str, list[Test]] = {layer.layer: [] for layer in layers()}
    for test in tests:
        of_layer[layer_of(test["name"])].append(test)
    return [_judged(layer, product, of_layer[layer.layer], sources, evidence) for layer in layers()]


def verdict_of(judged: Iterable[Mapping[str, Any]]) -> str:
    """Return the verdict over several layers; layers that do not apply do not count."""
    verdicts = {each["verdict"] for each in judged}
    return FAIL if FAIL in verdicts else OPEN if OPEN in verdicts else PASS


def required(judged: Sequence[Mapping[str, Any]], names: Iterable[str]) -> str:
    """Return the verdict over only the named layers."""
    wanted = set(names)
    return verdict_of(each for each in judged if each["layer"] in wanted)


def _judged(
    layer: CertificateLayer,
    product: Product,
    tests: Sequence[Test],
    sources: Mapping[str, str],
    evidence: Sequence[Evidence],
) -> dict[str, Any]:
    about = {"layer": layer.layer, "title": layer.title, "asks": layer.asks}
    ran = sum(test["p"] is not None for test in tests)
    failed = [test["name"] for test in tests if test["verdict"] == FAIL]
    if layer.only and layer.only not in product.features and not failed:
        return about | _outcome(NOT_APPLICABLE, layer.lacking, ran)
    mine = [each for each in evidence if each.layer == layer.layer]
    failures, findings, missing = _FROM_EVIDENCE.get(layer.layer, _nothing)(mine)
    commands = {"product": product.options, "machine": product.argument}
    items = [{"missing": each, "command": layer.command.format(**commands)} for each in missing]
    for need in layer.needs:
        applies = not need.only or need.only in product.features
        if applies and not any(need.answered_by(test, sources) for test in tests):
            items.append({"missing": need.measures, "command": need.command.format(**commands)})
    verdict = FAIL if failed or failures else OPEN if items else PASS
    said = "; ".join([*failures, *findings])
    return about | _outcome(verdict, said, ran, failed, items)


def _outcome(
    verdict: str,
    said: str,
    ran: int,
    failed: Sequence[str] = (),
    items: Sequence[dict[str, str]] = (),
) -> dict[str, Any]:
    return {
        "verdict": verdict,
        "found": said,
        "ran": ran,
        "failed": list(failed),
        "open": list(items),
    }


Found = tuple[list[str], list[str], list[str]]  # failures, other findings, missing measurements


def _nothing(evidence: Sequence[Evidence]) -> Found:
    return [], [], []


def _mechanics(evidence: Sequence[Evidence]) -> Found:
    outcomes = sum(each.figures["outcomes"] for each in evidence)
    wrong = sum(each.figures["wrong"] for each in evidence)
    if not outcomes:
        return [], [], [f"{LEAST_OUTCOMES:,} outcomes of a built machine, intended and actual bin"]
    upper = upper_rate(wrong, outcomes)
    found = (
        f"{wrong:,} of {outcomes:,} outcomes in another bin than intended: at most "
        f"{upper:.2g} of all, with 95 % confidence; {WRONG_BIN_RATE:g} is declared"
    )
    # Fewer outcomes fail only if they show, and do not merely allow, a rate above the declared one.
    if outcomes < LEAST_OUTCOMES:
        lower = 1 - upper_rate(outcomes - wrong, outcomes)
        if lower > WRONG_BIN_RATE:
            return [found], [], []
        return [], [found], [f"{LEAST_OUTCOMES - outcomes:,} more outcomes of a built machine"]
    return ([found], [], []) if upper >= WRONG_BIN_RATE else ([], [found], [])


def _side_channels(evidence: Sequence[Evidence]) -> Found:
    """Evidence without a signature is shown and does not decide."""
    failures, findings, measured = [], [], set()
    for each in evidence:
        for name, channel in sorted(each.figures["channels"].items()):
            found = f"{name}: at most {channel['bits']:g} bits for each card"
            if not each.signed_by:
                findings.append(f"{found}, not signed")
            elif too_predictable(channel):
                failures.append(found)
            else:
                findings.append(found)
                measured.add(name)
    missing = [name for name in CHANNELS if name not in measured]
    return failures, findings, [f"signed measurement of: {', '.join(missing)}"] if missing else []


def _image(evidence: Sequence[Evidence]) -> Found:
    if not evidence:
        return [], [], ["hash, signature and attestation of the image on the device"]
    failures, findings, missing = [], [], []
    for each in evidence:
        image = f"image {each.figures['image_sha256'][:16]}…"
        if not each.figures["signature_valid"]:
            failures.append(f"the signature of the {image} is not valid")
        else:
            findings.append(f"the {image} has a valid signature")
    if not any(each.figures["attested"] for each in evidence):
        missing.append("attestation of the device's flash")
    return failures, findings, missing


_FROM_EVIDENCE = {"E": _mechanics, "F": _side_channels, "G": _image}
