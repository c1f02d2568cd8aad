"""The verdict on each round of a journal: proven, not provable, or contradicted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from cutcard.devices.card_device import CardDevice, Chains
from cutcard.devices.errors import CommandRefusedError
from cutcard.table.replay.proof import Epoch, Proof, SettledRound
from cutcard_firmware.core.schema import messages

PROVEN, NOT_PROVABLE, CONTRADICTED = "proven", "not provable", "contradicted"


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer of a device to a query made for this verdict."""

    serial: str
    chains: Chains
    kept: Mapping[int, bytes] = field(default_factory=dict)  # the last events, by number
    key: str = ""  # its public key; empty if it does not sign (older firmware)


def asked_now(device: CardDevice) -> Asked:
    """Return the chains, the key and the unacknowledged events of a device."""
    chains = device.chains()
    if chains.sent is None:
        return Asked(device.serial, chains)
    last = chains.sent.event
    numbers = range(last, max(0, last - messages.EVENT_STORE), -1)
    kept = {number: device.payload(number) for number in numbers}
    events = {number: sent for number, sent in kept.items() if sent is not None}
    return Asked(device.serial, chains, events, _key_of(device))


def _key_of(device: CardDevice) -> str:
    """Return the public key of a machine; an empty text if it does not sign, or refuses now."""
    try:
        statement = device.signed(bytes(32))
    except CommandRefusedError:
        return ""
    return statement.key.hex() if statement is not None and statement.holds() else ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict, the reason for it, and the people able to change the records."""

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
    """The verdict on each round. `of_all`, the verdict on the journal, is the worst of them."""

    ranges: list[Range]
    problems: list[str]

    @property
    def of_all(self) -> str:
        found = {each.verdict for each in self.ranges}
        if self.problems or CONTRADICTED in found:
            return CONTRADICTED
        return PROVEN if found == {PROVEN} else NOT_PROVABLE


def judge(proof: Proof, asked: Asked | None = None, keys: Collection[str] = ()) -> Verdict:
    """Return the verdict on a complete journal.

    `asked`: the answer of the machine, if a machine was queried. `keys`: trusted public keys of
    machines, from a source other than the journal. The key in `asked` is trusted as well.
    """
    problems = proof.problems
    against = ""
    if asked is not None:
        against = proof.against_device(asked.serial, asked.chains, asked.kept.get)
        if against and proof.witness is not None and asked.serial == proof.epochs[-1].serial:
            problems = [*problems, against]
    known = {*keys, asked.key if asked else ""} - {""}
    judges = _Judge(proof, asked, against, known)
    return Verdict(list(judges.ranges()), problems)


class _Judge:
    def __init__(
        self, proof: Proof, asked: Asked | None, against: str, keys: Collection[str]
    ) -> None:
        self._proof = proof
        self._asked = asked
        self._against = against
        self._keys = keys
        self._wrong = self._rounds_with_problems()

    def _rounds_with_problems(self) -> dict[int, str]:
        """Return the first problem of each round, by the index of the round."""
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
        is_last = not epoch.ended
        if is_last and self._against and self._asked and self._asked.serial == epoch.serial:
            return Judged(CONTRADICTED, self._against)
        if epoch.key in self._keys and round.record <= epoch.stated:
            return Judged(PROVEN, f"its machine {epoch.serial} signed it with the key {epoch.key}")
        if is_last and self._asked is not None and not self._against:
            return self._by_machine(epoch, round)
        return Judged(NOT_PROVABLE, self._why_not(epoch, round), self._writers())

    def _by_machine(self, epoch: Epoch, round: SettledRound) -> Judged:
        covered = epoch.covered
        if epoch.begun is not None and self._asked and self._asked.chains.witness == epoch.begun:
            covered = epoch.begun_covers
        if round.record > covered:
            why = f"the machine has taken in the journal up to record {covered} only"
            return Judged(NOT_PROVABLE, why, self._writers(f" after record {covered}"))
        return Judged(PROVEN, f"its machine {epoch.serial} confirms it")

    def _why_not(self, epoch: Epoch, round: SettledRound) -> str:
        found = []
        if round.record > epoch.stated:
            found.append(f"its machine {epoch.serial} signed no statement after it")
        else:
            found.append(
                f"it is signed with the key {epoch.key}, which the journal alone names "
                "(--machine-key)"
            )
        if epoch.ended:
            found.append(f"the machine has left: {epoch.ended}")
        elif self._against:
            found.append(self._against)
        else:
            found.append("it was not asked (--port)")
        return "; ".join(found)

    def _writers(self, part: str = "") -> str:
        """Return a sentence that names the people able to change these rounds."""
        who = "whoever has the table's key" if self._proof.key else "whoever can write the file"
        return f"{who} could have changed, added or removed records{part}"
