"""The verdict on each round of a journal: proven, not provable, or contradicted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from cutcard.devices.card_device import CardDevice, Chains
from cutcard.table.replay.proof import Epoch, Proof, SettledRound
from cutcard_firmware.core.schema import messages

PROVEN, NOT_PROVABLE, CONTRADICTED = "proven", "not provable", "contradicted"


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer of a device that somebody asked now."""

    serial: str
    chains: Chains
    kept: Mapping[int, bytes] = field(default_factory=dict)  # the last events, by number


def asked_now(device: CardDevice) -> Asked:
    """Ask a device for its chains, and for the events that nobody has acknowledged."""
    chains = device.chains()
    if chains.sent is None:
        return Asked(device.serial, chains)
    last = chains.sent.event
    numbers = range(last, max(0, last - messages.EVENT_STORE), -1)
    kept = {number: device.payload(number) for number in numbers}
    return Asked(device.serial, chains, {n: sent for n, sent in kept.items() if sent is not None})


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, the reason for it, and the people who could have changed what."""

    verdict: str
    why: str
    who: str = ""


@dataclass(frozen=True, slots=True)
class Range:
    """Rounds with the same verdict for the same reason, from `first` to `last`."""

    first: int
    last: int
    verdict: str
    why: str
    who: str = ""


@dataclass(frozen=True)
class Verdict:
    """The verdict on each round, and on the journal: the worst of them."""

    ranges: list[Range]
    problems: list[str]

    @property
    def of_all(self) -> str:
        found = {each.verdict for each in self.ranges}
        if self.problems or CONTRADICTED in found:
            return CONTRADICTED
        return PROVEN if found == {PROVEN} else NOT_PROVABLE


def judge(proof: Proof, asked: Asked | None = None) -> Verdict:
    """Return the verdict on a whole journal. `asked`: the answer of the machine, if one was."""
    problems = proof.problems
    against = ""
    if asked is not None:
        against = proof.against_device(asked.serial, asked.chains, asked.kept.get)
        if against and proof.witness is not None and asked.serial == proof.epochs[-1].serial:
            problems = [*problems, against]
    judges = _Judge(proof, asked, against)
    return Verdict(list(judges.ranges()), problems)


class _Judge:
    def __init__(self, proof: Proof, asked: Asked | None, against: str) -> None:
        self._proof = proof
        self._asked = asked
        self._against = against
        self._wrong = self._rounds_with_problems()

    def _rounds_with_problems(self) -> dict[int, str]:
        """Return the first problem of each round, by the place of the round."""
        ends = [round.record for round in self._proof.settled]
        found: dict[int, str] = {}
        for problem in self._proof.found:
            found.setdefault(bisect_left(ends, problem.record), str(problem))
        return found

    def ranges(self) -> Iterator[Range]:
        judged = [(self._judged(at, each), each) for at, each in enumerate(self._proof.settled)]
        for verdict, group in groupby(judged, key=lambda each: each[0]):
            rounds = [round for _, round in group]
            yield Range(
                rounds[0].number, rounds[-1].number, verdict.verdict, verdict.why, verdict.who
            )

    def _judged(self, at: int, round: SettledRound) -> Judged:
        if at in self._wrong:
            return Judged(CONTRADICTED, self._wrong[at])
        if round.epoch is None:
            return Judged(NOT_PROVABLE, "no machine was its witness", self._writers())
        epoch = self._proof.epochs[round.epoch]
        if epoch.ended:
            return self._without_its_machine(epoch)
        return self._by_machine(epoch, round)

    def _without_its_machine(self, epoch: Epoch) -> Judged:
        why = f"the machine {epoch.serial} can no longer confirm it: {epoch.ended}"
        return Judged(NOT_PROVABLE, why, self._writers())

    def _by_machine(self, epoch: Epoch, round: SettledRound) -> Judged:
        if self._asked is None:
            why = f"its machine {epoch.serial} was not asked (--port)"
            return Judged(NOT_PROVABLE, why, self._writers())
        if self._against:
            of_this_machine = self._asked.serial == epoch.serial
            return Judged(
                CONTRADICTED if of_this_machine else NOT_PROVABLE,
                self._against,
                "" if of_this_machine else self._writers(),
            )
        covered = epoch.covered
        if epoch.begun is not None and self._asked.chains.witness == epoch.begun:
            covered = epoch.begun_covers
        if round.record > covered:
            why = f"the machine has taken in the journal up to record {covered} only"
            return Judged(NOT_PROVABLE, why, self._writers(f" after record {covered}"))
        return Judged(PROVEN, f"its machine {epoch.serial} confirms it")

    def _writers(self, part: str = "") -> str:
        """Return who could have changed these rounds."""
        who = "whoever has the table's key" if self._proof.key else "whoever can write the file"
        return f"{who} could have changed, added or removed records{part}"
