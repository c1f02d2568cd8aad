"""Results of parts other than tests, as tables: distances, entropy, health tests, counters.

Each figure of a part has one function here, by its name. Numbers that a picture shows are not
repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rng_certification.report.leakage_table import machine_of

Table = dict[str, Any]


Of = tuple[str, Any]  # the title of a part, and its figure


def detail_tables(parts: list[dict[str, Any]]) -> list[Table]:
    shown = []
    for name, tables in _TABLES.items():
        having = [(p["title"], p["figures"][name]) for p in parts if name in p["figures"]]
        if having:
            shown += tables(having)
    return shown


def _table(title: str, text: str, columns: list[str], rows: list[list[str]]) -> Table:
    return {"title": title, "text": [text], "columns": columns, "rows": rows}


def number(value: Any, digits: int = 4) -> str:
    """Format a number; return an empty string for None."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else f"{value:.{digits}g}"


def _distance_to_uniform(having: list[Of]) -> list[Table]:
    rows = [
        [
            title if len(shards) == 1 else f"{title}, shard {place + 1}",
            figure,
            f"{seen['seen']:.4f}",
            f"{seen['by_chance']:.4f}",
        ]
        for title, shards in having
        for place, shard in enumerate(shards)
        for figure, seen in shard.items()
    ]
    return [
        _table(
            "Distance to a fair pack",
            "Total variation between the counts and the exact law of a fair pack, and "
            "its mean by chance alone in a sample of this size. For shelves and riffles "
            "this would be the machine's exact distance; for any other machine it is a "
            "lower bound.",
            ["packs", "figure", "seen", "by chance"],
            rows,
        )
    ]


def _shelf_distance(having: list[Of]) -> list[Table]:
    keys = ("shelves", "total_variation", "separation", "seen", "by_chance")
    return [
        _table(
            "Distance of shelves from a fair pack",
            "A shelf machine is tested against its own exact law and is not certified as "
            "fair. The table has the distance of that law from a fair pack, and the "
            "observed distance. Two passes over ten shelves equal one pass over two "
            "hundred.",
            ["machine", "equals shelves", "total variation", "separation", "seen", "by chance"],
            [[title, *(_places(figure[key]) for key in keys)] for title, figure in having],
        )
    ]


def _places(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _nist_limits(having: list[Of]) -> list[Table]:
    rows = [
        [
            f"{title}, sample {place + 1}",
            ", ".join(shard["proportion_too_low"]) or "none",
            ", ".join(shard["p_values_not_uniform"]) or "none",
        ]
        for title, shards in having
        for place, shard in enumerate(shards)
    ]
    return [
        _table(
            "NIST's own limits",
            "SP 800-22 compares each of 188 sub-tests with a limit of three standard "
            "deviations, and its p-values with a limit of 0.0001. Taken literally these "
            "reject good data most of the time: they are shown, and do not affect the "
            "verdict.",
            ["data", "proportion below the limit", "p-values not uniform"],
            rows,
        )
    ]


def _entropy(having: list[Of]) -> list[Table]:
    return [table for title, figure in having for table in _entropy_of(title, figure)]


def _entropy_of(title: str, figure: dict[str, Any]) -> list[Table]:
    estimates = [
        [
            row["name"].replace("-", " "),
            row["of"],
            row.get("skipped") or f"{row['entropy']:.6f}",
        ]
        for row in figure["estimates"]
    ]
    verdict = [
        ["claimed by the machine file, in bits per sample", number(figure["claim"])],
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
            title,
            "Min-entropy of one sample of the noise source, by the estimators of SP "
            "800-90B. The claim must not be larger than the credited value.",
            ["figure", "value"],
            verdict,
        ),
        _table(
            f"{title}: the estimators",
            "In bits per sample, or per bit of the bit string. The smallest decides; for "
            "samples that are independent and identically distributed, only the most "
            "common value.",
            ["estimator", "of", "min-entropy"],
            estimates,
        ),
    ]


def _health_tests(having: list[Of]) -> list[Table]:
    return [_health_table(title, figure) for title, figure in having]


def _health_table(title: str, figure: dict[str, Any]) -> Table:
    rows = [
        [
            row["fault"],
            number(row["entropy"], 3),
            f"{row['failed']:,} of {row['trials']:,}",
            _alone(row, "repetition-count"),
            _alone(row, "adaptive-proportion"),
            _wait(row["repetition_mean"]),
            _wait(row["proportion_mean"]),
            _wait(row["measured_mean"], "not measured"),
        ]
        for row in figure["detections"]
    ]
    return _table(
        title,
        "Faults of simulated noise, and the time until the firmware's own health tests detect "
        f"them, at a repetition count of {figure['repetition_cutoff']}, a proportion of "
        f"{figure['proportion_cutoff']} in {figure['window']}, and {figure['lag_cutoff']} right "
        f"predictions in {figure['window']} at each of {figure['lags']} lags. Start-ups failed: by "
        "any of the three tests. Alone: failed in a test's first window, and the probability by "
        "its law. Waits: mean samples until an alarm, by the law of each test alone and as "
        "measured with all three, if short enough to be measured.",
        [
            "fault",
            "entropy left",
            "start-ups failed",
            "repetition alone",
            "proportion alone",
            "repetition, wait",
            "proportion, wait",
            "measured wait",
        ],
        rows,
    )


def _alone(row: dict[str, Any], test: str) -> str:
    if test not in row["by_test"]:
        return ""
    failed, law = row["by_test"][test]
    return f"{failed:,} ({law:.4f})"


def _wait(samples: float | None, none: str = "never") -> str:
    return none if samples is None else f"{samples:,.0f}" if samples < 1e7 else f"{samples:.1e}"


def _counter(having: list[Of]) -> list[Table]:
    """One column for each machine."""
    rows: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("cards watched", lambda figure: number(figure["cards"])),
        ("known bits of the next card", _bits("bits")),
        ("the same by the independent model", _bits("bits_law")),
        ("the same at an ideal machine", _bits("bits_ideal")),
        ("only of its value, in bits", _bits("bits_of_value")),
        ("the counter's wagers, largest to smallest", lambda figure: f"{figure['spread']} to 1"),
        ("house edge of the game", _percent("house_edge_percent")),
        ("house edge against the counter, as expected", _percent("house_edge_counted_percent")),
        ("the same at an ideal machine", _percent("house_edge_counted_ideal_percent")),
        ("house edge as observed", _percent("house_edge_realised_percent")),
        ("its standard error", _percent("house_edge_realised_error")),
        ("deviation of the edge from round to round", _percent("edge_deviation_percent")),
        ("the same at an ideal machine", _percent("edge_deviation_ideal_percent")),
    ]
    methods = list(dict.fromkeys(figure["method"] for _, figure in having))
    return [
        _table(
            "Predictions of a counter",
            "A player with a view of every discard and knowledge of the machine. "
            f"{' '.join(methods)}",
            ["figure", *(title for title, _ in having)],
            [[name, *(value(figure) for _, figure in having)] for name, value in rows],
        )
    ]


def _bits(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda figure: f"{figure[key]:.5f}"


def _percent(key: str) -> Callable[[dict[str, Any]], str]:
    return lambda figure: f"{figure[key]:.4f} %"


def _leakage_tables(having: list[Of]) -> list[Table]:
    rows = [
        [machine_of(title), figure["by"], f"{figure['bits']:.4f}", f"{figure['error']:.4f}",
         number(figure["cards"]), *_doubled(figure)]
        for title, leakage in having
        for figure in (*(leakage["counters"] or [leakage["counter"]]), leakage["ear"])
    ]  # fmt: skip
    return [
        _table(
            "Predictability of the next card, for each counter and for the listener",
            "Bits of the next card, a lower bound each, with half of the 95 % interval. "
            "For a counter that learned, the gain by the second half of its learning.",
            ["machine", "by", "bits", "±", "cards", "twice the data added", "counts"],
            rows,
        )
    ]


def _doubled(figure: dict[str, Any]) -> list[str]:
    gain = figure.get("gain")
    return [
        "" if gain is None else f"{gain:.4f}",
        "yes" if figure.get("counts", True) else "no",
    ]


_TABLES: dict[str, Callable[[list[Of]], list[Table]]] = {
    "distance_to_uniform": _distance_to_uniform,
    "distance": _shelf_distance,
    "counter": _counter,
    "told": _leakage_tables,
    "nist_limits": _nist_limits,
    "entropy": _entropy,
    "health_tests": _health_tests,
}
