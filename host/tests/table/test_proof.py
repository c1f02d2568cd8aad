"""The proof by a journal itself: valid signatures, and heads taken in by its device."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cutcard.devices import Witness
from cutcard.devices.card_device import Chains
from cutcard.journal import BadTableKeyError, Journal, TableKey, read
from cutcard.table.replay.proof import Proof
from cutcard.table.replay.verdict import CONTRADICTED, NOT_PROVABLE, Asked, judge
from tests.forgeries.forging import Forger

BLANK = Witness(0, bytes(32))
DEVICE = {"role": "cards", "serial": "2cfa371a2fa831ad", "firmware": 2}


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    return TableKey.at(tmp_path / "table.key")


@pytest.fixture
def path(tmp_path: Path, key: TableKey) -> Path:
    """Return the journal of two signed rounds, with heads given to a device."""
    path, witness = tmp_path / "table.journal", BLANK
    with Journal(path, key=key) as journal:
        journal.append("table", {"key": key.public})
        journal.append("epoch", {"witness": [0, bytes(32).hex()]}, DEVICE)
        for number in (1, 2):
            journal.append("round", {"number": number, "wagers": []})
            command: dict[str, Any] = {
                "id": number,
                "name": "round",
                "arguments": [1, journal.hash],
                "after": 0,
            }
            journal.append("command", command, DEVICE)
            witness = witness.after(bytes.fromhex(command["arguments"][1]))
            journal.append("outcome", {}, DEVICE)
            kept: dict[str, Any] = {"serial": "", "event": None, "command": number, "unhandled": []}
            kept["witness"] = [witness.count, witness.value.hex()]
            state = {"devices": {"cards": kept}}
            journal.append("settled", {"number": number, "results": [], "state": state})
        journal.append("closed", {})
    return path


def signing(path: Path) -> Journal:
    return Journal(path, key=TableKey.at(path.with_name("table.key")))


def proof_of(path: Path) -> Proof:
    proof = Proof()
    for record in read(path):
        proof.take(record)
    proof.end()
    return proof


def witnessed(path: Path) -> Witness:
    found = BLANK
    for record in read(path):
        if record.kind == "command":
            found = found.after(bytes.fromhex(record.data["arguments"][1]))
    return found


def test_unchanged_journal_is_valid(path: Path, key: TableKey) -> None:
    proof = proof_of(path)
    assert (proof.problems, proof.signatures, proof.key) == ([], 2, key.public)
    assert proof.witness == witnessed(path)


def test_repaired_chain_without_the_key_is_detected(path: Path) -> None:
    forger = Forger(path)
    forger.of_kind("settled")[0]["data"]["results"] = [{"net": 500}]
    forger.write()
    assert "record 6 is not signed, and others are" in proof_of(path).problems


def test_snapshot_that_differs_from_its_records_is_detected(path: Path, key: TableKey) -> None:
    """Otherwise a table would continue from a state of its machine that cannot be derived."""
    forger = Forger(path)
    forger.of_kind("settled")[0]["data"]["state"]["devices"]["cards"]["command"] = 7
    forger.write(key)
    assert (
        "record 6 continues from another state of its machine than the records before it come to"
    ) in proof_of(path).problems


def test_signature_of_another_key_is_detected(path: Path, tmp_path: Path) -> None:
    Forger(path).write(TableKey.at(tmp_path / "other.key"))
    problems = [each.split(" by ")[0] for each in proof_of(path).problems]
    assert [each for each in problems if each.endswith("is not signed")] == [
        f"record {number} is not signed" for number in (6, 10, 11)
    ]


def test_round_appended_by_an_attacker_is_detected(path: Path) -> None:
    forger = Forger(path)
    forger.append("settled", {"number": 3, "results": []})
    forger.write_tail(since=len(forger.bodies) - 1)
    assert proof_of(path).problems == [
        "record 12 is not signed, and others are",
        "record 12 settles round 3: no command began it on the machine",
    ]


def test_head_of_no_earlier_record_is_detected(path: Path, key: TableKey) -> None:
    forger = Forger(path)
    forger.of_kind("command")[1]["data"]["arguments"][1] = "ab" * 32
    forger.write(key)
    assert "record 8 gave a head that is not in this journal" in proof_of(path).problems


@pytest.mark.parametrize(
    ("device", "said"),
    [
        (lambda known: known.after(bytes(32)), "records were removed from its end"),
        (lambda known: BLANK, "its storage was erased or set back"),
        (lambda known: Witness(known.count, bytes(32)), "they are not the same ones"),
    ],
)
def test_difference_of_the_devices_witnessed_value_is_described(
    path: Path, device: Callable[[Witness], Witness], said: str
) -> None:
    against = proof_of(path).against_device(DEVICE["serial"], Chains(device(witnessed(path))))  # type: ignore[arg-type]
    assert said in against


def test_round_that_had_just_begun_may_be_witnessed_or_not(path: Path) -> None:
    known = witnessed(path)
    with signing(path) as journal:
        head = journal.hash
        command = {"id": 3, "name": "round", "arguments": [1, head], "after": 0}
        journal.append("command", command, DEVICE)
    proof = proof_of(path)
    for device in (known, known.after(bytes.fromhex(head))):
        assert proof.against_device("2cfa371a2fa831ad", Chains(device)) == ""


def test_another_device_is_no_witness(path: Path) -> None:
    assert "ask that one" in proof_of(path).against_device("00", Chains(witnessed(path)))


def forged_epoch(path: Path, *before: tuple[str, dict[str, Any]]) -> Witness:
    """Replace the second round by an epoch that continues from the device's witnessed value."""
    device = witnessed(path)
    kept = path.read_bytes().splitlines(keepends=True)[:6]
    path.write_bytes(b"".join(kept))
    with signing(path) as journal:
        for kind, data in before:
            journal.append(kind, data, DEVICE)
        journal.append("epoch", {"witness": [device.count, device.value.hex()]}, DEVICE)
    return device


def test_epoch_without_an_acknowledgement_is_detected(path: Path) -> None:
    device = forged_epoch(path)
    proof = proof_of(path)
    # the device cannot detect it
    assert proof.against_device(proof.epochs[-1].serial, Chains(device)) == ""
    (problem,) = proof.problems
    assert "nobody exchanged it or answered for it" in problem


def test_reason_is_valid_for_one_epoch(path: Path) -> None:
    acknowledged = ("acknowledged", {"by": "Ana, manager", "of": "erased"})
    blank = ("epoch", {"witness": [0, bytes(32).hex()]})
    forged_epoch(path, acknowledged, blank)
    proof = proof_of(path)
    assert [epoch.why for epoch in proof.epochs] == [
        "",
        "acknowledged by Ana, manager (claimed)",
        "",
    ]
    (problem,) = proof.problems
    assert problem.startswith("record 9 ")


def test_invalid_record_is_named(path: Path) -> None:
    with signing(path) as journal:
        journal.append("epoch", {})
    assert proof_of(path).problems == ["record 12 is not what a table writes"]


def test_key_readable_by_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    TableKey.at(path)
    path.chmod(0o644)
    with pytest.raises(BadTableKeyError, match="can be reached by other users"):
        TableKey.at(path)


def test_invalid_key_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.key"
    path.write_text("ab\n")
    path.chmod(0o600)
    with pytest.raises(BadTableKeyError, match="does not hold the key of a table"):
        TableKey.at(path)


@pytest.mark.parametrize(("format", "rounds"), [(2, 3), (3, 2), (4, 2)])
def test_journal_of_an_older_format_stays_readable(format: int, rounds: int) -> None:
    proof = proof_of(Path(__file__).parent / "data" / f"format-{format}.journal")
    assert (proof.problems, proof.rounds, proof.signatures) == ([], rounds, rounds)


def verdicts(path: Path, device: Witness | None = None) -> list[tuple[int, int, str]]:
    asked = None if device is None else Asked(DEVICE["serial"], Chains(device))  # type: ignore[arg-type]
    return [(each.first, each.last, each.verdict) for each in judge(proof_of(path), asked).ranges]


def test_round_is_proven_if_its_machine_took_in_its_settlement(path: Path) -> None:
    """The machine took in the head of the second round, and no head after its settlement."""
    assert verdicts(path, witnessed(path)) == [(1, 1, "proven"), (2, 2, "not provable")]
    assert verdicts(path) == [(1, 2, "not provable")]


def test_machine_that_differs_contradicts_every_round_that_it_dealt(path: Path) -> None:
    assert verdicts(path, BLANK) == [(1, 2, "contradicted")]
    assert judge(proof_of(path), Asked(str(DEVICE["serial"]), Chains(BLANK))).of_all == CONTRADICTED


def test_another_machine_gives_no_proof_and_no_contradiction(path: Path) -> None:
    verdict = judge(proof_of(path), Asked("00", Chains(witnessed(path))))
    assert (verdict.of_all, verdict.problems) == (NOT_PROVABLE, [])


def test_contradiction_belongs_to_its_round(path: Path, key: TableKey) -> None:
    forger = Forger(path)
    forger.of_kind("command")[1]["data"]["arguments"][1] = "ab" * 32
    forger.write(key)
    first, second = judge(proof_of(path)).ranges
    assert (first.verdict, second.verdict) == (NOT_PROVABLE, CONTRADICTED)


def test_decreasing_time_is_flagged(tmp_path: Path) -> None:
    path = tmp_path / "table.journal"
    times = iter(["2026-11-19T20:15:00.000Z", "2026-11-19T20:14:00.000Z"])
    with Journal(path, clock=lambda: next(times)) as journal:
        journal.append("table", {})
        journal.append("closed", {})
    proof = proof_of(path)
    assert proof.problems == []
    assert ["record 2 has the time" in flag for flag in proof.flags] == [True]


def test_card_that_no_machine_dealt_contradicts_its_round(path: Path, key: TableKey) -> None:
    forger = Forger(path)
    settled = forger.bodies.index(forger.of_kind("settled")[0])
    deal = {**forger.bodies[settled], "kind": "event", "data": {"deal": "As"}}
    forger.bodies.insert(settled, deal)
    forger.write(key)
    problems = proof_of(path).problems
    assert "record 7 settles a round with As, which no machine dealt in it" in problems


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("format-2.journal", "format 2 has a signature of"),
        ("format-3.journal", "format 3 has no chain of events"),
        ("format-4.journal", "format 4 has no Merkle tree"),
    ],
)
def test_older_journal_names_the_guarantees_that_it_lacks(name: str, lacks: str) -> None:
    (lacking,) = proof_of(Path(__file__).parent / "data" / name).lacking
    assert lacking.startswith(lacks)
