"""Judge a growing sample at volumes declared in advance, each with its share of alpha.

Repeating a test until it fails adds a chance of a false alarm at each look. Look number k is
therefore judged at alpha / (k (k + 1)). The shares add up to alpha over all possible looks: 1/2 +
1/6 + 1/12 + ... of it. A failure may end the run at any look; a pass is only given at the last one.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from rng_certification.base.judgement import FAMILY_ALPHA, judge
from rng_certification.base.reading import PIECE, ByteSource, UnusableDataError
from rng_certification.base.text_records import MeasuredStream
from rng_certification.certification import Certificate, GivenSubject

FIRST = 1 << 20  # bytes at the first look; the volume doubles at each further look
_VOLUMES = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_VOLUMES |= {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_TIMES = {"s": 1, "min": 60, "h": 3600}
_SAID = re.compile(r"(?P<number>\d{1,9}(?:\.\d{1,3})?) ?(?P<unit>[A-Za-z]+)")


@dataclass(frozen=True)
class LookLimit:
    """The last look: at a volume of bytes, or the first look after a number of seconds."""

    said: str
    bytes: int | None = None
    seconds: float | None = None

    @staticmethod
    def of(text: str) -> LookLimit:
        """Parse `64GB`, `100 MiB`, `90s`, `30min` or `1h`. Raises ValueError for anything else."""
        found = _SAID.fullmatch(text.strip())
        unit = found["unit"] if found else ""
        number = Decimal(found["number"]) if found else Decimal(0)
        if unit in _VOLUMES and number * _VOLUMES[unit] >= 1:
            return LookLimit(text.strip(), bytes=int(number * _VOLUMES[unit]))
        if unit in _TIMES and number > 0:
            return LookLimit(text.strip(), seconds=float(number * _TIMES[unit]))
        raise ValueError(
            f"{text[:20]!r} is not a volume or a time: use for example 64GB, 100MiB, 90s, "
            "30min or 1h"
        )

    def volumes(self, record: int) -> Iterator[int]:
        """Yield the bytes at each look: complete records, each volume larger than the one before.

        Endless if only the time is limited.
        """
        last = self.last_volume(record)
        volume = max(FIRST, record)
        while last is None or volume // record * record < last:
            yield volume // record * record
            volume *= 2
        yield last

    def last_volume(self, record: int) -> int | None:
        """Return the bytes at the last look, in complete records; None if only time is limited."""
        return None if self.bytes is None else max(1, self.bytes // record) * record


@dataclass(frozen=True)
class Look:
    """One look: its number of bytes, its alpha and its result."""

    number: int
    bytes: int
    alpha: float
    verdict: str
    tests: int
    worst: str
    adjusted: float

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def alpha_of(look: int, alpha: float = FAMILY_ALPHA) -> float:
    """Return the share of alpha for a look, counted from 1."""
    return alpha / (look * (look + 1))


def grow(
    stream: ByteSource,
    subject: GivenSubject,
    until: LookLimit,
    looked: Callable[[Look], None] = lambda look: None,
    advance: Callable[[int], None] = lambda size: None,
    clock: Callable[[], float] = time.monotonic,
) -> Certificate:
    """Read and judge at each look until a test fails or the last look has passed.

    Raises UnusableDataError if the data ends before the declared last look.
    """
    began, watched, looks = clock(), MeasuredStream(stream, advance), list[Look]()
    if subject.text.fits(watched.look_ahead()):
        raise UnusableDataError(
            "--until needs binary records, because text has no "
            "volume in bytes; omit --until for text"
        )
    offset = 0
    for volume in until.volumes(subject.record):
        for piece in _pieces(watched, subject.record, volume - offset):
            subject.feed(piece, offset)
            offset += len(piece)
        if offset < volume:
            raise UnusableDataError(
                f"the data ended after {offset:,} bytes, before the look at {volume:,}: "
                "no verdict. Omit --until to judge all of it"
            )
        if subject.sample() < subject.least():
            continue  # not a look: it would spend alpha on too little data
        certificate = _judged(subject, watched, len(looks) + 1)
        looks.append(_look(certificate, len(looks) + 1, volume))
        looked(looks[-1])
        over = until.seconds is not None and clock() - began >= until.seconds
        if over or volume == until.last_volume(subject.record) or not certificate.judgement.passed:
            more = {"until": until.said, "looks": [look.as_json() for look in looks]}
            return replace(certificate, details=certificate.details | more)
    raise UnusableDataError(
        f"too little data for a verdict: {subject.sample()} {subject.unit}, at least "
        f"{subject.least()} are needed"
    )


def _pieces(watched: MeasuredStream, record: int, wanted: int) -> Iterator[bytes]:
    """Yield up to `wanted` bytes of the data in complete records; fewer if the data ends."""
    size = max(1, PIECE // record) * record
    held = b""
    while wanted > 0:
        block = watched.read(min(size, wanted) - len(held))
        held += block
        if len(held) == min(size, wanted) or not block:
            whole = held[: len(held) // record * record]
            if whole:
                yield whole
            if not block:
                return
            wanted -= len(held)
            held = b""


def _judged(subject: GivenSubject, watched: MeasuredStream, look: int) -> Certificate:
    """Judge a copy of the subject, so that the subject itself can continue with more data."""
    here = deepcopy(subject)
    judgement = judge(here.findings(), alpha_of(look))
    return Certificate(
        here.kind,
        here.unit,
        here.sample(),
        watched.bytes,
        watched.sha256,
        judgement,
        here.details(),
    )


def _look(certificate: Certificate, number: int, volume: int) -> Look:
    ran = [test for test in certificate.judgement.tests if test.adjusted is not None]
    worst = min(ran, key=lambda test: (test.adjusted or 0.0, test.finding.p or 0.0))
    return Look(
        number,
        volume,
        certificate.judgement.alpha,
        certificate.judgement.verdict,
        len(ran),
        worst.finding.name,
        worst.adjusted or 0.0,
    )
