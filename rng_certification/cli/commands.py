"""The subcommands of `cutcard certify`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from cutcard.cli.loading import Command, LoadedWhenCalled


class Commands(LoadedWhenCalled):
    elsewhere: ClassVar[Mapping[str, Command]] = {
        "collect": Command(
            "rng_certification.cli.collect:collect",
            "Collect raw output or final outcomes, with a manifest that describes them.",
        ),
        "evidence": Command(
            "rng_certification.cli.evidence:evidence",
            "Write a measurement of a built machine as an evidence file.",
        ),
        "report": Command(
            "rng_certification.cli.report:report",
            "Write the report of a finished campaign again: page, PDF, list of "
            "tests, and signed JSON.",
        ),
        "verify": Command(
            "rng_certification.cli.report:verify",
            "Check a report: its signature, its files, its verdict, and some of its parts again.",
        ),
        "profiles": Command(
            "rng_certification.cli.report:profiles",
            "List the profiles, or the clauses of one and the tests that answer each.",
        ),
        "runs": Command(
            "rng_certification.cli.report:runs",
            "Show the log of all campaigns here: number, time, plan and result.",
        ),
        "noise": Command(
            "rng_certification.cli.noise:noise",
            "Assess a noise source by SP 800-90B: ten estimators, independence, restarts.",
        ),
        "battery": Command(
            "rng_certification.cli.battery:battery",
            "Run dieharder, PractRand or TestU01 unchanged, if it is installed.",
        ),
    }
