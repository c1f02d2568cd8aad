"""The campaigns that are declared: which parts each profile has, and how large they are.

Sizes are set by what a default campaign may take, two minutes on two cores, and by what
laboratories ask for: two raw samples of 80 Mbit, more than 2.5 million deals of eight decks,
10,000 outcomes of the mechanics. A profile takes the parts that its clauses need.
"""

from __future__ import annotations

from cutcard.machines import find
from rng_certification.campaign.plan import Part, Plan, seed_from
from rng_certification.jackpot.prizes import all_prizes
from rng_certification.predictability import measuring
from rng_certification.profiles.profile import load, profiles_of

LABORATORY = "lab"
MBIT = 125_000  # bytes

# Ranges that the machines draw from, and why; draws an ordinary shard and a laboratory's.
RANGES = {
    38: "bins of the carousel-38",
    20: "half-shelves of the shelves-10",
    52: "slots for a deck",
    416: "slots for eight decks",
    312: "a card of six decks",
    10_000: "wagers of a mystery jackpot's list",
}
# Machines that others have measured (`predictability/gauge.py`); an ordinary run takes three.
GAUGED = ("group", "any-bin", "weights", "part", "by-load", "tall", "ideal")
# machine, cards, shuffles of an ordinary shard and of a laboratory's, laboratory's shards
BATCH = (
    ("drum-60", 52, 150_000, 1_000_000, 10),
    ("slots-416", 416, 10_000, 260_000, 10),
)


def declared(
    profile: str,
    seed: str | tuple[str, str],
    batteries: bool = False,
    board: tuple[str, str] | None = None,
) -> Plan:
    """The plan of a profile. Raises UnknownProfile for a name that no profile has.

    `seed` is one that somebody names, or the two nonces of a fresh campaign, the laboratory's
    and the applicant's. `board`: the port of a device that is to be tested too, and which
    machine it is.
    """
    profiles = profiles_of(profile)
    laboratory = profile == LABORATORY
    parts = tuple(
        part
        for part in all_parts(laboratory, batteries)
        if any(each.wants(part.id) for each in profiles)
    )
    if board:
        parts = (*parts, _board(*board))
    if isinstance(seed, str):
        return Plan(profile, seed, parts)
    return Plan(profile, seed_from(*seed), parts, nonces=seed)


def all_parts(laboratory: bool = False, batteries: bool = False) -> list[Part]:
    return [
        *(_batteries(laboratory) if batteries else ()),
        *_bits(laboratory),
        *_draws(laboratory),
        *_shuffles(laboratory),
        *_shelves(laboratory),
        *_continuous(laboratory),
        *_predictability(laboratory),
        *_bench(laboratory),
        *_jackpots(laboratory),
        *_unpredictability(laboratory),
        *_noise(laboratory),
    ]


def _bits(laboratory: bool) -> list[Part]:
    return [
        Part(
            id="bits-twin",
            kind="bits",
            title="Raw output of the generator",
            subject="carousel-38",
            source="twin",
            sample=80 * MBIT
            if laboratory
            else 56 * MBIT,  # 55 sequences have uniform p-values, or not
            unit="bytes",
            shards=2,
            parameters={},
        )
    ]


def _batteries(laboratory: bool) -> list[Part]:
    """Asked for, as they take minutes and need programs that are not ours."""
    return [
        Part(
            id="bits-dieharder",
            kind="batteries",
            title="Raw output through dieharder",
            subject="carousel-38",
            source="twin",
            sample=14,
            unit="tests",
            shards=1,
            parameters={"quick": not laboratory},
        )
    ]


def _board(port: str, machine: str) -> Part:
    return Part(
        id="bits-board",
        kind="board",
        title="The device at the port: noise, output and draws in laboratory mode",
        subject=machine,
        source="board",
        sample=2 * MBIT,
        unit="bytes",
        shards=1,
        parameters={
            "port": port,
            "range": 38,
            "draws": 100_000,
            "samples": 1_000_000,
            "claim": 0.5,
        },
    )


def _draws(laboratory: bool) -> list[Part]:
    return [
        Part(
            id=f"draws-{span}",
            kind="draws",
            title=f"Draws of 0 to {span - 1}: {why}",
            subject="carousel-38",
            source="twin",
            sample=20_000_000 if laboratory else 1_000_000,
            unit="draws",
            shards=5 if laboratory else 1,
            parameters={"range": span},
        )
        for span, why in RANGES.items()
    ]


def _shuffles(laboratory: bool) -> list[Part]:
    return [
        Part(
            id=f"shuffles-slots-{cards}",
            kind="shuffles",
            title=f"Packs of {cards} from the {machine}",
            subject=machine,
            source="twin",
            sample=in_laboratory if laboratory else ordinary,
            unit="shuffles",
            shards=shards if laboratory else 1,
            parameters={"deck": cards, "machine": machine, "mechanism": "slots"},
        )
        for machine, cards, ordinary, in_laboratory, shards in BATCH
    ]


def _shelves(laboratory: bool) -> list[Part]:
    return [
        Part(
            id=f"shuffles-shelves-10-passes-{passes}",
            kind="shelves",
            title=f"The law of ten shelves after {passes} pass{'es' if passes > 1 else ''}",
            subject="shelves-10",
            source="twin",
            sample=1_000_000 if laboratory else 100_000,
            unit="shuffles",
            shards=1,
            parameters={"deck": 52, "passes": passes, "mechanism": "shelves"},
        )
        for passes in (1, 2)
    ]


def _continuous(laboratory: bool) -> list[Part]:
    return [
        Part(
            id=f"continuous-{machine}",
            kind="continuous",
            title=f"{decks} decks in the {machine}, round after round",
            subject=machine,
            source="twin",
            sample=100_000_000 if laboratory else 2_000_000,
            unit="cards",
            shards=4 if laboratory else 1,
            parameters={"decks": decks, "mechanism": "carousel"},
        )
        for machine, decks in (("carousel-38", 6), ("carousel-44", 8))
    ]


def _predictability(laboratory: bool) -> list[Part]:
    """Against the limits that the profile declares. A laboratory measures every pack."""
    limits = {
        name: value for clause in load("shuffler").clauses for name, value in clause.limits.items()
    }
    learned = measuring.LABORATORY if laboratory else measuring.ORDINARY
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
    continuous = [
        Part(
            id=f"predictability-{machine}-{pack}",
            kind="predictability",
            title=f"What can be foretold of {pack} cards in the {machine}",
            subject=machine,
            source="twin",
            sample=learned,
            unit="cards",
            shards=1,
            parameters={"pack": pack, **limits},
        )
        for machine in ("carousel-38", "carousel-60", "carousel-44", "elevator-8")
        for pack in _packs(machine, laboratory)
    ]
    batch = [
        Part(
            id=f"predictability-{machine}-{cards}" + (f"-passes-{passes}" if passes else ""),
            kind="predictability",
            title=f"What can be foretold of {cards} cards from the {machine}"
            + (f" after {passes} pass{'es' if passes > 1 else ''}" if passes else ""),
            subject=machine,
            source="twin",
            sample=cards,
            unit="cards",
            shards=1,
            parameters={"pack": cards, **({"passes": passes} if passes else {}), **limits},
        )
        for machine, cards, passes in (
            ("drum-60", 52, 0),
            ("slots-416", 416, 0),
            ("shelves-10", 52, 1),
            ("shelves-10", 52, 2),
        )
    ]
    return [counters, *continuous, *batch]


def _packs(machine: str, laboratory: bool) -> list[int]:
    """The largest pack of a machine; for a laboratory every one that it admits."""
    packs = sorted({decks * deck for decks, deck in find(machine).admitted()})
    return packs if laboratory else packs[-1:]


def _bench(laboratory: bool) -> list[Part]:
    """Through the firmware in MicroPython, over the wire; the outcomes through the mechanics."""
    return [
        Part(
            id="bits-bench",
            kind="bits",
            title="Raw output of the firmware, in laboratory mode",
            subject="carousel-38",
            source="bench",
            sample=80 * MBIT if laboratory else 2 * MBIT,
            unit="bytes",
            shards=1,
            parameters={},
        ),
        Part(
            id="draws-bench-38",
            kind="draws",
            title="Draws of the firmware, in laboratory mode",
            subject="carousel-38",
            source="bench",
            sample=2_000_000 if laboratory else 100_000,
            unit="draws",
            shards=1,
            parameters={"range": 38},
        ),
        Part(
            id="bench-carousel-38",
            kind="continuous",
            title="Cards through the mechanics of the carousel-38, six decks",
            subject="carousel-38",
            source="bench",
            sample=200_000 if laboratory else 13_000,
            unit="cards",
            shards=1,
            parameters={"decks": 6, "mechanism": "carousel"},
        ),
        Part(
            id="bench-drum-60",
            kind="shuffles",
            title="Decks through the mechanics of the drum-60",
            subject="drum-60",
            source="bench",
            sample=10_000 if laboratory else 200,  # 10,400 cards
            unit="shuffles",
            shards=1,
            parameters={"deck": 52, "machine": "drum-60", "mechanism": "slots"},
        ),
    ]


def _jackpots(laboratory: bool) -> list[Part]:
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
        for prizes in all_prizes().values()
    ]
    controller = Part(
        id="jackpot-controller",
        kind="presses",
        title="One controller for four tables",
        subject="madness-21",
        source="twin",
        sample=10_000_000 if laboratory else 400_000,
        unit="presses",
        shards=1,
        parameters={"prizes": ["madness-21"] * 4},
    )
    return [*tables, controller]


def _unpredictability(laboratory: bool) -> list[Part]:
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
            title="The first draws of a device on the bench whose interpreter is killed, "
            "again and again",
            subject="carousel-38",
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


def _noise(laboratory: bool) -> list[Part]:
    """The claim is the default of a machine file (`noise.entropy`, `noise.alpha`)."""
    return [
        Part(
            id="unpredictability-noise",
            kind="noise",
            title="Entropy of the noise that seeds, against its claim",
            subject="carousel-38",
            source="bench",
            sample=1_000_000,
            unit="samples",
            shards=1,
            parameters={"claim": 0.5, "shuffles": 10_000 if laboratory else 1_000},
        ),
        Part(
            id="unpredictability-health",
            kind="health",
            title="The health tests on noise: false alarms, and how soon they notice",
            subject="carousel-38",
            source="twin",
            sample=100_000 if laboratory else 4_000,
            unit="trials",
            shards=1,
            parameters={"claim": 0.5, "alarm_bits": 30},
        ),
    ]
