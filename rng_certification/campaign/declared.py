"""The parts of a product's campaign, from `declared.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from cutcard.devices.ports import is_simulated
from rng_certification.campaign.plan import CampaignPlan, Part, seed_from
from rng_certification.campaign.product import DECK, Product
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.predictability import figures
from rng_certification.profiles.profile import Profile, load

LABORATORY = "lab"
ON_REQUEST = "batteries"  # kinds of parts that profiles do not request
WARM_UP = 8  # packs dealt by a continuous shuffler before its outcomes are counted
MYSTERY_WAGERS = 10_000  # the list of a mystery jackpot
MOST_TABLES = 4  # of one controller
_NOT_OF_A_PART = ("laboratory", "simulated", "for_each", "only", "of_product", "cards", "outcomes")

Row = Mapping[str, Any]


def declared(
    product: Product,
    profiles: Sequence[Profile],
    profile: str,
    seed: str | tuple[str, str],
    batteries: bool = False,
    port: str | None = None,
    profile_file: str = "",
) -> CampaignPlan:
    """Return the plan of a campaign: the parts of a product that some profile needs.

    `seed` is a given one, or the two nonces of a fresh campaign: the laboratory's and the
    applicant's. `port` adds the device at that port.
    """
    parts = tuple(
        part
        for part in all_parts(product, profile == LABORATORY, batteries)
        if any(each.wants(part.id) for each in profiles)
    )
    if port:
        row = _data()["board"]
        if is_simulated(port):
            row = _merged(row, row["simulated"])
        parts = (*parts, _part(row, _values(product), {"port": port}))
    named = isinstance(seed, str)
    return CampaignPlan(
        profile,
        seed if isinstance(seed, str) else seed_from(*seed),
        parts,
        nonces=None if named else (seed[0], seed[1]),
        product=product,
        profile_file=profile_file,
    )


def all_parts(product: Product, laboratory: bool = False, batteries: bool = False) -> list[Part]:
    """Return every part of a product, with the sizes of an ordinary or a laboratory's campaign."""
    return [
        part
        for row in _data()["part"]
        if batteries or row["kind"] != ON_REQUEST
        if row.get("only", "") in {"", *product.features}
        for part in _parts(product, row, laboratory)
    ]


def ranges(product: Product) -> dict[int, str]:
    """Return the ranges from which a product draws, each with its purpose."""
    machine = product.machine
    found: dict[int, str] = {}
    if machine.has_bins:
        places = "half-shelves" if machine.mechanism == "shelves" else "bins"
        found[machine.positions] = f"{places} of the {machine.name}"
    if machine.rows:
        weights = machine.row(product.pack).into
        found[machine.whole("bins.count") * weights[0]] = "the weights of empty bins"
    if product.decks:
        found.setdefault(DECK, "cards of a deck")
        found.setdefault(product.pack, f"cards of {product.decks} decks")
    else:
        found[MYSTERY_WAGERS] = "wagers of a mystery jackpot's list"
    return found


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _values(product: Product) -> dict[str, Any]:
    """Return the values of a product that rows may name."""
    machine, tables = product.machine, product.prizes
    return {
        "machine": product.name,
        "decks": product.decks,
        "packed": f"{product.decks} deck{'s' if product.decks > 1 else ''}",
        "pack": product.pack,
        "rulebooks": list(product.rulebooks),
        "bins": machine.values.get("bins.count", 0),
        "first_range": next(iter(ranges(product))),
        "claim": machine.values["noise.entropy"],
        "alarm_bits": machine.values["noise.alpha"],
        "served": [tables[place % len(tables)] for place in range(MOST_TABLES) if tables],
    }


def _parts(product: Product, row: Row, laboratory: bool) -> Iterator[Part]:
    """Yield the part of a row, or one for each range, prize table or pack."""
    if laboratory:
        row = _merged(row, row.get("laboratory", {}))
    row, values = {**row, "sample": _sample(product, row, laboratory)}, _values(product)
    limits = _limits() if row["kind"] == "predictability" else {}
    each = row.get("for_each")
    if each == "ranges":
        for span, purpose in ranges(product).items():
            filled = {**values, "range": span, "most": span - 1, "purpose": purpose}
            yield _part(row, filled, {"range": span})
    elif each == "prizes":
        for prizes in map(find_prizes, product.prizes):
            filled = {**values, "prizes": prizes.id, "total": prizes.total, "rule": prizes.rule}
            yield _part(row, filled, {"prizes": prizes.id, "range": prizes.total})
    elif each == "packs":
        for pack in _packs(product) if laboratory else [product.pack]:
            yield _part(row, {**values, "pack": pack}, {"pack": pack, **limits})
    else:
        yield _part(row, values, limits)


def _sample(product: Product, row: Row, laboratory: bool) -> int:
    if "cards" in row:
        return -(-int(row["cards"]) // product.pack)
    if "outcomes" in row:
        return int(row["outcomes"]) + WARM_UP * product.pack
    learned = figures.LABORATORY if laboratory else figures.ORDINARY
    return int(row.get("sample", learned))


def _part(row: Row, values: Row, parameters: Row) -> Part:
    defaults = {"subject": "{machine}", "source": "twin", "shards": 1, **row}
    given = {key: value for key, value in defaults.items() if key not in _NOT_OF_A_PART}
    texts = {name: given[name].format_map(values) for name in ("id", "title", "subject")}
    of_product = {name: values[value] for name, value in row.get("of_product", {}).items()}
    every = {**row.get("parameters", {}), **of_product, **parameters}
    return Part(**{**given, **texts, "parameters": every})


def _merged(row: Row, laboratory: Row) -> Row:
    parameters = {**row.get("parameters", {}), **laboratory.get("parameters", {})}
    return {**row, **laboratory, "parameters": parameters}


def _limits() -> dict[str, Any]:
    """Return the limits that the profile of a shuffler declares for its predictability."""
    return {
        name: value for clause in load("shuffler").clauses for name, value in clause.limits.items()
    }


def _packs(product: Product) -> list[int]:
    """Return every pack that the machine allows with no more decks than the product has."""
    admitted = product.machine.admitted()
    return sorted({decks * deck for decks, deck in admitted if decks <= product.decks})
