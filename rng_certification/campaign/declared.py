"""The parts of a campaign: which ones a product has, and how large they are.

Sizes are set by the duration of a default campaign, two minutes on two cores, and by the
requirements of laboratories: two raw samples of 80 Mbit, more than 2.5 million deals of eight
decks, 10,000 outcomes of the mechanics. A profile takes the parts that its clauses need.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutcard.machines import Machine
from rng_certification.campaign.plan import Part, Plan, seed_from
from rng_certification.campaign.product import DECK, Product
from rng_certification.jackpot.prizes import find_prizes
from rng_certification.predictability import measuring
from rng_certification.profiles.profile import Profile, load

LABORATORY = "lab"
MBIT = 125_000  # bytes
MYSTERY_WAGERS = 10_000  # the list of a mystery jackpot
OUTCOMES = 10_000  # of the mechanics, in an ordinary campaign
WARM_UP = 8  # packs that a continuous shuffler deals before its outcomes are counted
MOST_TABLES = 4  # of one controller
# Machines that others have measured (`predictability/gauge.py`); an ordinary run takes three.
GAUGED = ("group", "any-bin", "weights", "part", "by-load", "tall", "ideal")


def declared(
    product: Product,
    profiles: Sequence[Profile],
    profile: str,
    seed: str | tuple[str, str],
    batteries: bool = False,
    port: str | None = None,
    profile_file: str = "",
) -> Plan:
    """Return the plan of a campaign: the parts of a product that some profile needs.

    `seed` is a named one, or the two nonces of a fresh campaign, the laboratory's and the
    applicant's. `port` adds the device at that port.
    """
    parts = tuple(
        part
        for part in all_parts(product, profile == LABORATORY, batteries)
        if any(each.wants(part.id) for each in profiles)
    )
    if port:
        parts = (*parts, _board(product, port))
    nonces = None if isinstance(seed, str) else seed
    return Plan(
        profile,
        seed if isinstance(seed, str) else seed_from(*seed),
        parts,
        nonces=nonces,
        product=product,
        profile_file=profile_file,
    )


def all_parts(product: Product, laboratory: bool = False, batteries: bool = False) -> list[Part]:
    parts = [
        *(_batteries(product, laboratory) if batteries else ()),
        *_bits(product, laboratory),
        *_draws(product, laboratory),
        *_jackpots(product, laboratory),
        *_unpredictability(product, laboratory),
        *_noise(product, laboratory),
    ]
    if product.machine.has_bins:
        parts += [
            *_mechanism(product, laboratory),
            *_predictability(product, laboratory),
            *_bench(product, laboratory),
        ]
    return parts


def ranges(product: Product) -> dict[int, str]:
    """The ranges that a product draws from, each with its purpose."""
    machine = product.machine
    found: dict[int, str] = {}
    if machine.has_bins:
        places = "half-shelves" if _shelves(machine) else "bins"
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


def _shelves(machine: Machine) -> bool:
    return machine.mechanism == "shelves"


def _bits(product: Product, laboratory: bool) -> list[Part]:
    return [
        Part(
            id="bits-twin",
            kind="bits",
            title="Raw output of the generator",
            subject=product.name,
            source="twin",
            sample=(80 if laboratory else 56) * MBIT,  # 55 sequences test how even p-values are
            unit="bytes",
            shards=2,
            parameters={},
        ),
        Part(
            id="bits-bench",
            kind="bits",
            title="Raw output of the firmware, in laboratory mode",
            subject=product.name,
            source="bench",
            sample=(80 if laboratory else 2) * MBIT,
            unit="bytes",
            shards=1,
            parameters={},
        ),
    ]


def _batteries(product: Product, laboratory: bool) -> list[Part]:
    """Only on request: they take minutes and need programs of other projects."""
    return [
        Part(
            id="bits-dieharder",
            kind="batteries",
            title="Raw output through dieharder",
            subject=product.name,
            source="twin",
            sample=14,
            unit="tests",
            shards=1,
            parameters={"quick": not laboratory},
        )
    ]


def _board(product: Product, port: str) -> Part:
    return Part(
        id="bits-board",
        kind="board",
        title="The device at the port: noise, output and draws in laboratory mode",
        subject=product.name,
        source="board",
        sample=2 * MBIT,
        unit="bytes",
        shards=1,
        parameters={
            "port": port,
            "range": next(iter(ranges(product))),
            "draws": 100_000,
            "samples": 1_000_000,
            "claim": product.machine.values["noise.entropy"],
        },
    )


def _draws(product: Product, laboratory: bool) -> list[Part]:
    known = ranges(product)
    first = next(iter(known))
    return [
        *(
            Part(
                id=f"draws-{span}",
                kind="draws",
                title=f"Draws of 0 to {span - 1}: {purpose}",
                subject=product.name,
                source="twin",
                sample=20_000_000 if laboratory else 1_000_000,
                unit="draws",
                shards=5 if laboratory else 1,
                parameters={"range": span},
            )
            for span, purpose in known.items()
        ),
        Part(
            id=f"draws-bench-{first}",
            kind="draws",
            title="Draws of the firmware, in laboratory mode",
            subject=product.name,
            source="bench",
            sample=2_000_000 if laboratory else 100_000,
            unit="draws",
            shards=1,
            parameters={"range": first},
        ),
    ]


def _mechanism(product: Product, laboratory: bool) -> list[Part]:
    """The twin's cards through the mechanism, against the law of that mechanism."""
    machine, cards = product.machine, product.pack
    if machine.continuous:
        return [
            Part(
                id=f"continuous-{machine.name}",
                kind="continuous",
                title=f"{product.decks} decks in the {machine.name}, round after round",
                subject=machine.name,
                source="twin",
                sample=100_000_000 if laboratory else 2_000_000,
                unit="cards",
                shards=4 if laboratory else 1,
                parameters={"decks": product.decks, "mechanism": "carousel"},
            )
        ]
    if machine.mechanism == "slots":
        return [
            Part(
                id=f"shuffles-slots-{cards}",
                kind="shuffles",
                title=f"Packs of {cards} from the {machine.name}",
                subject=machine.name,
                source="twin",
                sample=(104_000_000 if laboratory else 5_200_000) // cards,
                unit="shuffles",
                shards=10 if laboratory else 1,
                parameters={"deck": cards, "machine": machine.name, "mechanism": "slots"},
            )
        ]
    return [
        Part(
            id=f"shuffles-shelves-{machine.whole('bins.count')}",
            kind="shelves",
            title=f"The law of the {machine.name} after one pass",
            subject=machine.name,
            source="twin",
            sample=(52_000_000 if laboratory else 5_200_000) // cards,
            unit="shuffles",
            shards=1,
            parameters={"deck": cards, "passes": 1, "mechanism": "shelves"},
        )
    ]


def _predictability(product: Product, laboratory: bool) -> list[Part]:
    """Against the limits that the profile declares. A laboratory measures every pack."""
    machine = product.machine
    limits = {
        name: value for clause in load("shuffler").clauses for name, value in clause.limits.items()
    }
    if not machine.continuous:
        passes = {"passes": 1} if _shelves(machine) else {}
        return [_predicted(product, product.pack, product.pack, {**passes, **limits})]
    learned = measuring.LABORATORY if laboratory else measuring.ORDINARY
    packs = {decks * deck for decks, deck in machine.admitted() if decks <= product.decks}
    counters = Part(
        id="predictability-counters",
        kind="counters",
        title="The counters themselves, on machines whose answer is known",
        subject="counters",
        source="twin",
        sample=learned,
        unit="cards",
        shards=1,
        parameters={"rows": list(GAUGED if laboratory else GAUGED[:3])},
    )
    return [
        counters,
        *(
            _predicted(product, pack, learned, limits)
            for pack in (sorted(packs) if laboratory else [product.pack])
        ),
    ]


def _predicted(product: Product, pack: int, sample: int, parameters: dict[str, float]) -> Part:
    return Part(
        id=f"predictability-{product.name}-{pack}",
        kind="predictability",
        title=f"Predictability of {pack} cards in the {product.name}",
        subject=product.name,
        source="twin",
        sample=sample,
        unit="cards",
        shards=1,
        parameters={"pack": pack, **parameters},
    )


def _bench(product: Product, laboratory: bool) -> list[Part]:
    """Through the firmware in MicroPython, over the wire, with the bench's mechanics."""
    machine = product.machine
    if machine.continuous:
        return [
            Part(
                id=f"bench-{machine.name}",
                kind="continuous",
                title=f"Cards through the mechanics of the {machine.name}, {product.decks} decks",
                subject=machine.name,
                source="bench",
                sample=200_000 if laboratory else OUTCOMES + WARM_UP * product.pack,
                unit="cards",
                shards=1,
                parameters={"decks": product.decks, "mechanism": "carousel"},
            )
        ]
    if _shelves(machine):  # the twin's packs are held to the exact law; the bench adds no test
        return []
    return [
        Part(
            id=f"bench-{machine.name}",
            kind="shuffles",
            title=f"Packs through the mechanics of the {machine.name}",
            subject=machine.name,
            source="bench",
            sample=(520_000 if laboratory else OUTCOMES) // product.pack + 1,
            unit="shuffles",
            shards=1,
            parameters={"deck": product.pack, "machine": machine.name, "mechanism": "slots"},
        )
    ]


def _jackpots(product: Product, laboratory: bool) -> list[Part]:
    if not product.prizes:
        return []
    known = [find_prizes(each) for each in product.prizes]
    tables = [
        Part(
            id=f"jackpot-{prizes.id}",
            kind="jackpot",
            title=f"Prizes of {prizes.id}, {prizes.total:,} numbers (rule {prizes.rule})",
            subject=prizes.id,
            source="twin",
            sample=20_000_000 if laboratory else 400_000,
            unit="draws",
            shards=2 if laboratory else 1,
            parameters={"prizes": prizes.id, "range": prizes.total},
        )
        for prizes in known
    ]
    served = [known[place % len(known)].id for place in range(MOST_TABLES)]
    controller = Part(
        id="jackpot-controller",
        kind="presses",
        title=f"One controller for {MOST_TABLES} tables",
        subject=product.name,
        source="twin",
        sample=10_000_000 if laboratory else 400_000,
        unit="presses",
        shards=1,
        parameters={"prizes": served},
    )
    return [*tables, controller]


def _unpredictability(product: Product, laboratory: bool) -> list[Part]:
    return [
        Part(
            id="unpredictability-construction",
            kind="construction",
            title="Known answers, health tests, backtracking and prediction resistance",
            subject="firmware",
            source="micropython",
            sample=1,
            unit="checks",
            shards=1,
            parameters={},
        ),
        Part(
            id="unpredictability-replay",
            kind="replay",
            title="The same noise with other wagers, players, tables and questions",
            subject="controller-4 and drum-60",
            source="bench",
            sample=1,
            unit="checks",
            shards=1,
            parameters={},
        ),
        Part(
            id="unpredictability-power-cuts",
            kind="power_cuts",
            title="The first draws of a device on the bench after each of many power cuts",
            subject=product.name,
            source="bench",
            sample=1_000 if laboratory else 100,
            unit="starts",
            shards=1,
            parameters={"draws": 64, "range": 52},
        ),
        Part(
            id="unpredictability-starts",
            kind="first_draws",
            title="The first draws after power cuts, and between devices",
            subject="firmware",
            source="micropython",
            sample=10_000 if laboratory else 1_000,
            unit="starts",
            shards=1,
            parameters={"draws": 64, "range": 52},
        ),
    ]


def _noise(product: Product, laboratory: bool) -> list[Part]:
    """The claim is that of the machine file (`noise.entropy`, `noise.alpha`)."""
    claim = product.machine.values["noise.entropy"]
    return [
        Part(
            id="unpredictability-noise",
            kind="noise",
            title="Simulated: the bench's noise model against the claim of entropy",
            subject=product.name,
            source="bench",
            sample=1_000_000,
            unit="samples",
            shards=1,
            parameters={"claim": claim, "shuffles": 10_000 if laboratory else 1_000},
        ),
        Part(
            id="unpredictability-health",
            kind="health",
            title="Simulated noise through the health tests: false alarms and detection",
            subject=product.name,
            source="twin",
            sample=100_000 if laboratory else 4_000,
            unit="trials",
            shards=1,
            parameters={
                "claim": claim,
                "alarm_bits": product.machine.values["noise.alpha"],
            },
        ),
    ]
