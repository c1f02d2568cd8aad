"""Certify data from outside: choose the tests, check the amount of data and give the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from cutcard.machines import find
from rng_certification.base.chunks import Rechunked
from rng_certification.base.finding import Finding
from rng_certification.base.finding_rows import judged_rows
from rng_certification.base.judgement import Judgement, judge
from rng_certification.base.reading import (
    ByteSource,
    UnusableDataError,
    as_bytes,
    as_decks,
    as_draws,
    pieces,
)
from rng_certification.base.text_records import (
    MeasuredStream,
    NumberLines,
    RecordStream,
    TextForm,
    ZerosAndOnes,
)
from rng_certification.bits.bits_battery import BitsBattery
from rng_certification.continuous.reference import Settings
from rng_certification.continuous.subject import ContinuousHistory
from rng_certification.draws.draws_battery import CHUNK, DrawsBattery
from rng_certification.jackpot.prizes import Prizes, find_prizes
from rng_certification.jackpot.prizes_battery import PrizesBattery
from rng_certification.jackpot.subject import Presses
from rng_certification.shuffles.shuffles_battery import ShufflesBattery
from rng_certification.sp800_22.second_level import SEQUENCE_BITS

# The smallest samples with which the tests behind a verdict can run.
LEAST_BYTES = SEQUENCE_BITS // 8
LEAST_DRAWS = 10_000
LEAST_SHUFFLES = 1_000
LEAST_SHUFFLES_A_CARD = 5

SPANS = range(2, (1 << 32) + 1)
DECKS = range(5, 1025)


@dataclass(frozen=True)
class Certificate:
    """The kind and amount of data that was judged, its SHA-256, and the judgement."""

    kind: str
    unit: str
    sample: int
    bytes: int
    sha256: str
    judgement: Judgement
    details: dict[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the content of `cutcard certify --json`."""
        return {
            "verdict": self.judgement.verdict,
            "alpha": self.judgement.alpha,
            "kind": self.kind,
            "sample": self.sample,
            "unit": self.unit,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "failed": [test.finding.name for test in self.judgement.failures],
            "tests": judged_rows(self.judgement),
            **self.details,
        }


class Subject(Protocol):
    """The data to certify: its record format, its tests and the smallest sample for a verdict."""

    kind: str
    unit: str
    record: int

    def feed(self, piece: bytes, offset: int) -> None: ...

    def sample(self) -> int: ...

    def least(self) -> int: ...

    def findings(self) -> list[Finding]: ...

    def details(self) -> dict[str, Any]: ...


@runtime_checkable
class GivenSubject(Subject, Protocol):
    """A subject for which the user can supply data, as bytes or as text."""

    @property
    def text(self) -> TextForm: ...


class RawBits:
    kind, unit, record = "bits", "bytes", 1
    text: TextForm = ZerosAndOnes()

    def __init__(self) -> None:
        self.battery = BitsBattery()

    def feed(self, piece: bytes, offset: int) -> None:
        self.battery.feed(as_bytes(piece, offset))

    def sample(self) -> int:
        return self.battery.bytes

    def least(self) -> int:
        return LEAST_BYTES

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"nist_limits": self.battery.second_level.nist_limits()}


@dataclass(frozen=True)
class Layout:
    """The layout of records in a text file: the column of a CSV file, and the number that means 0.
    Both None for the default layout."""

    column: str | None = None
    first: int | None = None


def _one_draw(span: int, layout: Layout) -> TextForm:
    return NumberLines(
        "one draw",
        "<I",
        least=(0,),
        most=(span - 1,),
        column=layout.column,
        first=layout.first,
    )


class ScaledDraws:
    kind, unit, record = "draws", "draws", 4

    def __init__(self, span: int, layout: Layout = Layout()) -> None:  # noqa: B008  (it is frozen)
        self.span, self.layout = span, layout
        self.text: TextForm = _one_draw(span, layout)
        self.battery = DrawsBattery(span)
        self.chunks = Rechunked(CHUNK)
        self.draws = 0

    def feed(self, piece: bytes, offset: int) -> None:
        draws = as_draws(piece, offset, self.span)
        self.draws += len(draws)
        for chunk in self.chunks.feed(draws):
            self.battery.feed(chunk)

    def sample(self) -> int:
        return self.draws

    def least(self) -> int:
        return LEAST_DRAWS

    def findings(self) -> list[Finding]:
        rest = self.chunks.rest()
        if len(rest):
            self.battery.feed(rest)
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"range": self.span}


class PrizeDraws:
    """Draws whose value is the number of a prize."""

    kind, unit, record = "draws", "draws", 4

    def __init__(self, prizes: Prizes, layout: Layout = Layout()) -> None:  # noqa: B008  (frozen)
        self.prizes, self.layout = prizes, layout
        self.text: TextForm = _one_draw(prizes.total, layout)
        self.battery = PrizesBattery(prizes)

    def feed(self, piece: bytes, offset: int) -> None:
        self.battery.feed(as_draws(piece, offset, self.prizes.total))

    def sample(self) -> int:
        return self.battery.draws

    def least(self) -> int:
        return LEAST_DRAWS

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"range": self.prizes.total, **self.battery.figures()}


class Shuffles:
    kind, unit = "shuffles", "shuffles"

    def __init__(self, cards: int, layout: Layout = Layout()) -> None:  # noqa: B008  (it is frozen)
        self.cards, self.layout = cards, layout
        self.record = 2 * cards
        self.text: TextForm = NumberLines(
            f"a shuffle of {cards} cards",
            f"<{cards}H",
            least=(0,) * cards,
            most=(cards - 1,) * cards,
            first=layout.first,
        )
        self.battery = ShufflesBattery(cards)

    def feed(self, piece: bytes, offset: int) -> None:
        self.battery.feed(as_decks(piece, offset, self.cards))

    def sample(self) -> int:
        return self.battery.shuffles

    def least(self) -> int:
        return max(LEAST_SHUFFLES, LEAST_SHUFFLES_A_CARD * self.cards)

    def findings(self) -> list[Finding]:
        return self.battery.findings()

    def details(self) -> dict[str, Any]:
        return {"deck": self.cards, "distance_to_uniform": self.battery.distances()}


def subject_of(
    kind: str,
    size: int = 0,
    prizes: str = "",
    machine: str = "",
    layout: Layout = Layout(),  # noqa: B008  (it is frozen)
) -> GivenSubject:
    """Return a new subject; `size` is the range of draws, or the number of cards in a deck or
    machine.

    Draws of `prizes` have the range of that prize table. For presses, `prizes` lists one table for
    each table of the controller, separated by commas. `machine` is the name or the file of a
    continuous machine. Raises UnknownPrizesError for an unknown id, and MachineFileError or
    ValueError for a machine.
    """
    if kind == "bits":
        return RawBits()
    if kind == "presses":
        return Presses([find_prizes(each) for each in prizes.split(",")])
    if kind == "steps":
        return ContinuousHistory(_carousel(machine, size))
    if prizes:
        return PrizeDraws(find_prizes(prizes), layout)
    return ScaledDraws(size, layout) if kind == "draws" else Shuffles(size, layout)


def _carousel(name: str, pack: int) -> Settings:
    machine = find(name)
    if not machine.continuous:
        raise ValueError(
            f"{machine.name} does not take discards back: certify its packs with --kind shuffles"
        )
    return Settings.of(machine, pack)


def certify(
    stream: ByteSource, subject: Subject, advance: Callable[[int], None] = lambda size: None
) -> Certificate:
    """Read data to its end and judge it. Raises UnusableDataError if no verdict is possible."""
    watched = MeasuredStream(stream, advance)
    _feed(watched, subject)
    sample, least = subject.sample(), subject.least()
    if sample < least:
        raise UnusableDataError(
            f"too little data for a verdict: {sample} {subject.unit}, at least {least} are needed"
        )
    judgement = judge(subject.findings())
    return Certificate(
        subject.kind,
        subject.unit,
        sample,
        watched.bytes,
        watched.sha256,
        judgement,
        subject.details(),
    )


def _feed(watched: MeasuredStream, subject: Subject) -> None:
    source: ByteSource = watched
    as_text = False
    if isinstance(subject, GivenSubject) and subject.text.fits(watched.look_ahead()):
        source, as_text = RecordStream(subject.text.records(watched)), True
    elif isinstance(subject, GivenSubject) and subject.text.required:
        raise UnusableDataError(
            "--column and --first apply only to text: this data is binary, or too short"
        )
    offset = 0
    try:
        for piece in pieces(source, subject.record, lambda seen: None):
            subject.feed(piece, offset)
            offset += len(piece)
    except UnusableDataError as unusable:
        if as_text:  # an offset in the converted bytes means nothing to the user
            raise UnusableDataError(f"{unusable.problem} (read as text)") from None
        raise
