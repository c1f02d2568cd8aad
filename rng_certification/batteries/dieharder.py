"""dieharder (Robert G. Brown), as packaged by Debian: each test is a process on the same stream.

Its words PASSED, WEAK and FAILED are shown. They compare each test separately with 0.005 and 10^-6,
regardless of the number of tests. Our judgement instead takes its p-values into one family.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rng_certification.batteries.feeding import Report, Stream, feed
from rng_certification.batteries.outcome import ENDED, REWOUND, Outcome

PROGRAM = "dieharder"
INSTALL = "apt install dieharder"
RESOLUTION = 1e-8  # dieharder prints eight digits
COLUMNS = ("test_name", "ntuple", "tsamples", "psamples", "pvalues", "assessment")

# Tests that their author rejects in `dieharder -l`, or that do not test the data.
EXCLUDED = {
    "diehard_opso": "its author calls it suspect",
    "diehard_oqso": "its author calls it suspect",
    "diehard_dna": "its author calls it suspect",
    "diehard_sums": "its author advises against it",
    "rgb_kstest_test": "it tests dieharder's own Kolmogorov-Smirnov test",
}


@dataclass(frozen=True)
class Test:
    """`tuples`: the lengths with which the test runs; empty if it has none or runs all of them.

    Tests are called by number, because dieharder truncates printed names after twenty letters.
    """

    number: int
    name: str
    quick: bool = False  # a few seconds with its own sample sizes
    tuples: tuple[int, ...] = ()

    def commands(self) -> Iterator[list[str]]:
        columns = [word for column in COLUMNS for word in ("-D", column)]
        command = [PROGRAM, "-g", "200", "-d", str(self.number), "-c", ",", *columns]
        if not self.tuples:
            yield command
        for length in self.tuples:
            yield [*command, "-n", str(length)]


TESTS = (
    Test(0, "diehard_birthdays", quick=True),
    Test(1, "diehard_operm5", quick=True),
    Test(2, "diehard_rank_32x32"),
    Test(3, "diehard_rank_6x8"),
    Test(4, "diehard_bitstream", quick=True),
    Test(8, "diehard_count_1s_str", quick=True),
    Test(9, "diehard_count_1s_byt"),
    Test(10, "diehard_parking_lot", quick=True),
    Test(11, "diehard_2dsphere", quick=True),
    Test(12, "diehard_3dsphere", quick=True),
    Test(13, "diehard_squeeze"),
    Test(15, "diehard_runs", quick=True),
    Test(16, "diehard_craps"),
    Test(17, "marsaglia_tsang_gcd"),
    Test(100, "sts_monobit", quick=True),
    Test(101, "sts_runs", quick=True),
    Test(102, "sts_serial", quick=True),
    Test(200, "rgb_bitdist", tuples=tuple(range(1, 13))),
    Test(201, "rgb_minimum_distance", tuples=(2, 3, 4, 5)),
    Test(202, "rgb_permutations", tuples=(2, 3, 4, 5)),
    Test(203, "rgb_lagged_sum", tuples=tuple(range(33))),
    Test(205, "dab_bytedistrib"),
    Test(206, "dab_dct", quick=True),
    Test(207, "dab_filltree"),
    Test(208, "dab_filltree2"),
    Test(209, "dab_monobit2", quick=True),
)


def installed() -> bool:
    return shutil.which(PROGRAM) is not None


def run(
    stream: Stream,
    tests: Iterable[Test] = TESTS,
    advance: Callable[[str], None] = lambda test: None,
) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for test in tests:
        for command in test.commands():
            advance(test.name)
            outcomes += read(test.name, feed(command, stream))
    return _number_duplicates(outcomes)


def read(name: str, report: Report) -> list[Outcome]:
    """Parse the results of one run. If the data ended or was read twice, no result counts."""
    lines = [line for line in report.output.splitlines() if line.count(",") == len(COLUMNS) - 1]
    name = f"dieharder/{name}"
    if report.rewound:
        return [Outcome(name, report.given, void=REWOUND)]
    if not lines:
        why = ENDED if report.ran_dry else f"no result (exit {report.code})"
        return [Outcome(name, report.given, void=why)]
    return [_outcome(line, report.given) for line in lines]


def _outcome(line: str, given: int) -> Outcome:
    name, length, _, _, p, said = (cell.strip() for cell in line.split(","))
    of = f"/{length}" if length != "0" else ""
    return Outcome(f"dieharder/{name}{of}", given, float(p), said, resolution=RESOLUTION)


def _number_duplicates(outcomes: list[Outcome]) -> list[Outcome]:
    """Number outcomes of the same name: some tests give two p-values."""
    times = Counter(outcome.name for outcome in outcomes)
    seen: Counter[str] = Counter()
    apart = []
    for outcome in outcomes:
        seen[outcome.name] += 1
        name = f"{outcome.name}#{seen[outcome.name]}" if times[outcome.name] > 1 else outcome.name
        apart.append(Outcome(**{**outcome.__dict__, "name": name}))
    return apart
