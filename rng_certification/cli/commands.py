"""The commands below `cutcard certify`, and what it says before anything is loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

import typer

from cutcard.cli.loading import Command, LoadedWhenCalled

EVERY_PROFILE = "all"
# Minutes of one core that each campaign takes, about; a test compares them with the plans.
CORE_MINUTES = {
    EVERY_PROFILE: 4.0,
    "gli-11": 0.8,
    "gli-19": 2.0,
    "nz-division-2": 1.4,
    "shuffler": 3.6,
    "sp800-22": 0.4,
    "lab": 180.0,
}
# Who types one of these runs no campaign.
_NO_CAMPAIGN = ("help", "plan_only", "source", "kind", "span", "prizes", "deck", "machine", "until")


class Commands(LoadedWhenCalled):
    elsewhere: ClassVar[Mapping[str, Command]] = {
        "collect": Command(
            "rng_certification.cli.collect:collect",
            "Collect raw output or final outcomes, with a manifest that says what they are.",
        ),
        "report": Command(
            "rng_certification.cli.report:report",
            "Write the report of a finished campaign again: page, PDF, list of "
            "tests, and signed JSON.",
        ),
        "verify": Command(
            "rng_certification.cli.report:verify",
            "Check a report: who signed it, whether it is whole, and whether it is true.",
        ),
        "profiles": Command(
            "rng_certification.cli.report:profiles",
            "The profiles, or the clauses of one and the tests that answer each.",
        ),
        "runs": Command(
            "rng_certification.cli.report:runs",
            "The log of all campaigns here: number, when, seed's plan, and how each ended.",
        ),
        "noise": Command(
            "rng_certification.cli.noise:noise",
            "Assess a noise source by SP 800-90B: ten estimators, independence, restarts.",
        ),
        "battery": Command(
            "rng_certification.cli.battery:battery",
            "Run dieharder, PractRand or TestU01 as it is, where it is installed.",
        ),
    }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Options are checked, and the tests loaded and compiled, by modules that take a second or
        more to load on a busy computer: nobody is to wonder meanwhile."""
        typed, rest, _ = self.make_parser(ctx).parse_args(args=[*args])
        if not rest and not ctx.resilient_parsing and not any(map(typed.get, _NO_CAMPAIGN)):
            profile = typed.get("profile") or EVERY_PROFILE
            typer.echo(f"Certifying by profile {profile}: {how_long(profile)}.", err=True)
        return super().parse_args(ctx, args)


def how_long(profile: str) -> str:
    """From what is known of the profile and of this machine."""
    cores = len(os.sched_getaffinity(0))
    on = f"on {cores} core{'s' if cores > 1 else ''}"
    if profile not in CORE_MINUTES:
        return f"some minutes {on}"
    minutes = CORE_MINUTES[profile] / cores
    if minutes > 90:
        return f"about {minutes / 60:.0f} hours {on}"
    return f"about {max(1, round(minutes))} minute{'s' if minutes > 1.5 else ''} {on}"
