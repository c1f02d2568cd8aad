"""The outcome of one test of a battery, and its conversion to a finding."""

from __future__ import annotations

from dataclasses import dataclass

from rng_certification.base.finding import Finding
from rng_certification.base.laws import two_sided

ENDED = "the data ended before the test did"
REWOUND = "the battery read the same data twice"


@dataclass(frozen=True)
class Outcome:
    """`p` and `said` are from the battery. Only `p` counts here; `said` is its own verdict.

    `resolution` is the last digit that it prints: a p of 0 means a p below half of that.
    """

    name: str
    given: int
    p: float | None = None
    said: str = ""
    void: str = ""
    resolution: float = 0.0

    def finding(self) -> Finding:
        """Convert to a two-sided finding: batteries print p near 1 for data that fits too well."""
        if self.p is None:
            return Finding.skip(self.name, self.given, "bytes", self.void)
        least = self.resolution / 2
        p = two_sided(max(self.p, least), max(1 - self.p, least))
        return Finding(self.name, self.given, "bytes", p, self.p)

    def as_json(self) -> dict[str, object]:
        about = {"void": self.void} if self.void else {"p": self.p, "said": self.said}
        return {"name": self.name, "bytes": self.given, **about}
