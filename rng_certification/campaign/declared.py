"""The campaigns that are declared: which parts each profile has, and how large they are.

Sizes are set by what a default campaign may take, about two minutes on two cores, and by what
laboratories ask for: two raw samples of 80 Mbit, more than 2.5 million deals of eight decks,
10,000 outcomes of the mechanics. A profile takes the parts that its clauses need.
"""

from __future__ import annotations

from rng_certification.campaign.plan import Part, Plan
from rng_certification.jackpot.prizes import all_prizes
from rng_certification.profiles.profile import profiles_of

SEED = "cutcard"
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
# machine, cards, shuffles of an ordinary shard and of a laboratory's, laboratory's shards
BATCH = (
    ("drum-60", 52, 150_000, 1_000_000, 10),
    ("slots-416", 416, 10_000, 260_000, 10),
)


def declared(
    profile: str, seed: str = SEED, batteries: bool = False, board: tuple[str, str] | None = None
) -> Plan:
    """The plan of a profile. Raises UnknownProfile where there is none of that name.

    `board`: the port of a device that is to be tested too, and which machine it is.
    """
    profiles = profiles_of(profile)
    laboratory = profile == LABORATORY
    parts = tuple(
        part
        for part in all_parts(laboratory, batteries)
        if any(each.wants(part.id) for each in profiles)
    )
    return Plan(profile, seed, (*parts, _board(*board)) if board else parts)


def all_parts(laboratory: bool = False, batteries: bool = False) -> list[Part]:
    return [
        *(_batteries(laboratory) if batteries else ()),
        *_bits(laboratory),
        *_draws(laboratory),
        *_shuffles(laboratory),
        *_shelves(laboratory),
        *_continuous(laboratory),
        *_bench(laboratory),
        *_jackpots(laboratory),
        *_unpredictability(laboratory),
        *_noise(laboratory),
    ]


def _bits(laboratory: bool) -> list[Part]:
    return [
        Part(
            "bits-twin",
            "bits",
            "Raw output of the generator",
            "carousel-38",
            "twin",
            80 * MBIT if laboratory else 56 * MBIT,  # 55 sequences have uniform p-values, or not
            "bytes",
            2,
            {},
        )
    ]


def _batteries(laboratory: bool) -> list[Part]:
    """Asked for, as they take minutes and need programs that are not ours."""
    return [
        Part(
            "bits-dieharder",
            "batteries",
            "Raw output through dieharder",
            "carousel-38",
            "twin",
            14,
            "tests",
            1,
            {"quick": not laboratory},
        )
    ]


def _board(port: str, machine: str) -> Part:
    return Part(
        "bits-board",
        "board",
        "The device at the port: noise, output and draws in laboratory mode",
        machine,
        "board",
        2 * MBIT,
        "bytes",
        1,
        {"port": port, "range": 38, "draws": 100_000, "samples": 1_000_000, "claim": 0.5},
    )


def _draws(laboratory: bool) -> list[Part]:
    return [
        Part(
            f"draws-{span}",
            "draws",
            f"Draws of 0 to {span - 1}: {why}",
            "carousel-38",
            "twin",
            20_000_000 if laboratory else 1_000_000,
            "draws",
            5 if laboratory else 1,
            {"range": span},
        )
        for span, why in RANGES.items()
    ]


def _shuffles(laboratory: bool) -> list[Part]:
    return [
        Part(
            f"shuffles-slots-{cards}",
            "shuffles",
            f"Packs of {cards} from the {machine}",
            machine,
            "twin",
            in_laboratory if laboratory else ordinary,
            "shuffles",
            shards if laboratory else 1,
            {"deck": cards, "machine": machine, "mechanism": "slots"},
        )
        for machine, cards, ordinary, in_laboratory, shards in BATCH
    ]


def _shelves(laboratory: bool) -> list[Part]:
    return [
        Part(
            f"shuffles-shelves-10-passes-{passes}",
            "shelves",
            f"The law of ten shelves after {passes} pass{'es' if passes > 1 else ''}",
            "shelves-10",
            "twin",
            1_000_000 if laboratory else 100_000,
            "shuffles",
            1,
            {"deck": 52, "passes": passes, "mechanism": "shelves"},
        )
        for passes in (1, 2)
    ]


def _continuous(laboratory: bool) -> list[Part]:
    return [
        Part(
            f"continuous-{machine}",
            "continuous",
            f"{decks} decks in the {machine}, round after round",
            machine,
            "twin",
            100_000_000 if laboratory else 2_000_000,
            "cards",
            4 if laboratory else 1,
            {"decks": decks, "mechanism": "carousel"},
        )
        for machine, decks in (("carousel-38", 6), ("carousel-44", 8))
    ]


def _bench(laboratory: bool) -> list[Part]:
    """Through the firmware in MicroPython, over the wire; the outcomes through the mechanics."""
    return [
        Part(
            "bits-bench",
            "bits",
            "Raw output of the firmware, in laboratory mode",
            "carousel-38",
            "bench",
            80 * MBIT if laboratory else 2 * MBIT,
            "bytes",
            1,
            {},
        ),
        Part(
            "draws-bench-38",
            "draws",
            "Draws of the firmware, in laboratory mode",
            "carousel-38",
            "bench",
            2_000_000 if laboratory else 100_000,
            "draws",
            1,
            {"range": 38},
        ),
        Part(
            "bench-carousel-38",
            "continuous",
            "Cards through the mechanics of the carousel-38, six decks",
            "carousel-38",
            "bench",
            200_000 if laboratory else 13_000,
            "cards",
            1,
            {"decks": 6, "mechanism": "carousel"},
        ),
        Part(
            "bench-drum-60",
            "shuffles",
            "Decks through the mechanics of the drum-60",
            "drum-60",
            "bench",
            10_000 if laboratory else 100,
            "shuffles",
            1,
            {"deck": 52, "machine": "drum-60", "mechanism": "slots"},
        ),
    ]


def _jackpots(laboratory: bool) -> list[Part]:
    tables = [
        Part(
            f"jackpot-{prizes.id}",
            "jackpot",
            f"Prizes of {prizes.id}, {prizes.total:,} numbers (rule {prizes.rule})",
            prizes.id,
            "twin",
            20_000_000 if laboratory else 400_000,
            "draws",
            2 if laboratory else 1,
            {"prizes": prizes.id, "range": prizes.total},
        )
        for prizes in all_prizes().values()
    ]
    controller = Part(
        "jackpot-controller",
        "presses",
        "One controller for four tables",
        "madness-21",
        "twin",
        10_000_000 if laboratory else 400_000,
        "presses",
        1,
        {"prizes": ["madness-21"] * 4},
    )
    return [*tables, controller]


def _unpredictability(laboratory: bool) -> list[Part]:
    return [
        Part(
            "unpredictability-construction",
            "construction",
            "Known answers, health tests, backtracking and prediction resistance",
            "firmware",
            "micropython",
            1,
            "checks",
            1,
            {},
        ),
        Part(
            "unpredictability-replay",
            "replay",
            "The same noise with other wagers, players, tables and questions",
            "controller-4 and drum-60",
            "bench",
            1,
            "checks",
            1,
            {},
        ),
        Part(
            "unpredictability-power-cuts",
            "power_cuts",
            "The first draws of a device on the bench whose interpreter is killed, again and again",
            "carousel-38",
            "bench",
            1_000 if laboratory else 100,
            "starts",
            1,
            {"draws": 64, "range": 52},
        ),
        Part(
            "unpredictability-starts",
            "first_draws",
            "The first draws after power cuts, and between devices",
            "firmware",
            "micropython",
            10_000 if laboratory else 1_000,
            "starts",
            1,
            {"draws": 64, "range": 52},
        ),
    ]


def _noise(laboratory: bool) -> list[Part]:
    """The claim is the default of a machine file (`noise.entropy`, `noise.alpha`)."""
    return [
        Part(
            "unpredictability-noise",
            "noise",
            "Entropy of the noise that seeds, against its claim",
            "carousel-38",
            "bench",
            1_000_000,
            "samples",
            1,
            {"claim": 0.5, "shuffles": 10_000 if laboratory else 1_000},
        ),
        Part(
            "unpredictability-health",
            "health",
            "The health tests on noise: false alarms, and how soon they notice",
            "carousel-38",
            "twin",
            100_000 if laboratory else 4_000,
            "trials",
            1,
            {"claim": 0.5, "alarm_bits": 30},
        ),
    ]
