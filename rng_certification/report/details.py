"""What parts say beside their tests, as tables: distances, entropy, health tests, counters.

Each figure of a part has one function here, by its name. Numbers that a picture shows are not
repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Table = dict[str, Any]


def detail_tables(parts: list[dict[str, Any]]) -> list[Table]:
    return [
        table
        for figure, tables in _TABLES.items()
        for part in parts
        if figure in part["figures"]
        for table in tables(part, part["figures"][figure])
    ]


def _table(title: str, text: str, columns: list[str], rows: list[list[str]]) -> Table:
    return {"title": title, "text": [text], "columns": columns, "rows": rows}


def number(value: Any, digits: int = 4) -> str:
    """As a reader wants it; nothing where there is none."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}g}"


def _distance_to_uniform(part: dict[str, Any], shards: list[dict[str, Any]]) -> list[Table]:
    rows = [
        [
            figure if len(shards) == 1 else f"{figure}, shard {place + 1}",
            f"{seen['seen']:.4f}",
            f"{seen['by_chance']:.4f}",
        ]
        for place, shard in enumerate(shards)
        for figure, seen in shard.items()
    ]
    return [
        _table(
            f"Distance to a fair pack: {part['title']}",
            "Total variation between what was counted and the exact law of a fair pack, beside "
            "what chance alone makes of it in a sample of this size. For shelves and riffles this "
            "would be the machine's whole distance; for any other machine it is a lower bound.",
            ["figure", "seen", "by chance"],
            rows,
        )
    ]


def _shelf_distance(part: dict[str, Any], figure: dict[str, Any]) -> list[Table]:
    return [
        _table(
            f"Distance of shelves from a fair pack: {part['title']}",
            "This machine is tested against its own exact law and is not certified as fair. How "
            "far that law is from a fair pack:",
            ["figure", "value"],
            [
                ["shelves that it equals in one pass", number(figure["shelves"])],
                ["total variation, by the law", f"{figure['total_variation']:.4f}"],
                ["separation, by the law", f"{figure['separation']:.4f}"],
                ["total variation, as seen", f"{figure['seen']:.4f}"],
                ["of which by chance", f"{figure['by_chance']:.4f}"],
            ],
        )
    ]


def _nist_limits(part: dict[str, Any], shards: list[dict[str, Any]]) -> list[Table]:
    rows = [
        [
            f"sample {place + 1}",
            ", ".join(shard["proportion_too_low"]) or "none",
            ", ".join(shard["p_values_not_uniform"]) or "none",
        ]
        for place, shard in enumerate(shards)
    ]
    return [
        _table(
            f"NIST's own limits: {part['title']}",
            "SP 800-22 compares each of 188 sub-tests with a limit of three standard deviations, "
            "and its p-values with a limit of 0.0001. Taken literally these reject good data most "
            "of the time: they are shown and decide nothing.",
            ["", "proportion below the limit", "p-values not uniform"],
            rows,
        )
    ]


def _entropy(part: dict[str, Any], figure: dict[str, Any]) -> list[Table]:
    estimates = [
        [
            row["name"].replace("-", " "),
            row["of"],
            row.get("skipped") or f"{row['entropy']:.6f}",
        ]
        for row in figure["estimates"]
    ]
    verdict = [
        ["claimed by the machine file, in bits a sample", number(figure["claim"])],
        ["track of the standard", figure["track"]],
        ["assessed", f"{figure['assessed']:.6f}"],
        ["credited", f"{figure['credited']:.6f}"],
    ]
    if restarts := figure.get("restarts"):
        verdict += [
            ["after restarts, by rows", f"{restarts['h_rows']:.6f}"],
            ["after restarts, by columns", f"{restarts['h_columns']:.6f}"],
            ["restart validation kept", number(restarts["validated"])],
        ]
    return [
        _table(
            f"Entropy of the noise: {part['title']}",
            "Min-entropy of one sample of the noise source, by the estimators of SP 800-90B. The "
            "claim must not be larger than what is credited.",
            ["figure", "value"],
            verdict,
        ),
        _table(
            f"The estimators of SP 800-90B: {part['title']}",
            "In bits a sample, or a bit of the bit string; the smallest decides.",
            ["estimator", "of", "min-entropy"],
            estimates,
        ),
    ]


def _health_tests(part: dict[str, Any], figure: dict[str, Any]) -> list[Table]:
    rows = [
        [
            row["fault"],
            number(row["entropy"], 3),
            f"{row['failed']:,} of {row['trials']:,}",
            f"{row['law']:.4f}",
            _wait(row["repetition_mean"]),
            _wait(row["proportion_mean"]),
            _wait(row["measured_mean"]),
        ]
        for row in figure["detections"]
    ]
    return [
        _table(
            f"Health tests: {part['title']}",
            "How noise goes bad, and how soon the firmware's own health tests see it, at a "
            f"repetition count of {figure['repetition_cutoff']} and a proportion of "
            f"{figure['proportion_cutoff']} in {figure['window']}. Start-up: how many start-up "
            "tests failed, and the chance by law. Waits: mean samples until an alarm, by the law "
            "of each test alone and as measured with both.",
            [
                "fault",
                "entropy left",
                "start-ups failed",
                "by law",
                "repetition count",
                "adaptive proportion",
                "measured",
            ],
            rows,
        )
    ]


def _wait(samples: float | None) -> str:
    return "never" if samples is None else f"{samples:,.0f}" if samples < 1e7 else f"{samples:.1e}"


def _counter(part: dict[str, Any], figure: dict[str, Any]) -> list[Table]:
    percent = [
        ("house edge of the game", "house_edge_percent"),
        ("house edge against this counter, as he reckons it", "house_edge_counted_percent"),
        ("the same at an ideal machine", "house_edge_counted_ideal_percent"),
        ("house edge as it came out in the rounds watched", "house_edge_realised_percent"),
        ("standard error of that", "house_edge_realised_error"),
        ("how much the edge moves from round to round", "edge_deviation_percent"),
        ("the same at an ideal machine", "edge_deviation_ideal_percent"),
    ]
    rows = [
        ["cards watched", number(figure["cards"])],
        ["what he knows of the next card, in bits", f"{figure['bits']:.5f}"],
        ["the same by the independent model", f"{figure['bits_law']:.5f}"],
        ["the same at an ideal machine", f"{figure['bits_ideal']:.5f}"],
        ["of its value alone, in bits", f"{figure['bits_of_value']:.5f}"],
        ["his wagers, largest to smallest", f"{figure['spread']} to 1"],
        *([name, f"{figure[key]:.4f} %"] for name, key in percent),
    ]
    return [
        _table(
            f"What a counter can predict: {part['title']}",
            f"A player who sees every discard and knows the machine. {figure['method']}",
            ["figure", "value"],
            rows,
        )
    ]


_TABLES: dict[str, Callable[[dict[str, Any], Any], list[Table]]] = {
    "distance_to_uniform": _distance_to_uniform,
    "distance": _shelf_distance,
    "counter": _counter,
    "nist_limits": _nist_limits,
    "entropy": _entropy,
    "health_tests": _health_tests,
}
