"""Forged evenings: each was accepted as genuine once. The machine is a bench."""

from __future__ import annotations

import copy
import json
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.bench.client import Bench
from cutcard.cli.main import app
from cutcard.devices import CardDevice, Witness, open_device
from cutcard.journal import TableKey
from cutcard.table.replay.key_place import keys_folder
from cutcard.table.running import JOURNAL
from tests.forgeries.forging import Body, Forger

ROUNDS = 6
PLAN = f"""
name = "Table 7"
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
rounds = {ROUNDS}
players = [{{ name = "Ana", box = 1, wager = 20 }}]
[table]
min = 10
max = 1000
"""
OPERATOR = "Kim Lee, Casino Operator"
ANSWERED = ("--acknowledge", OPERATOR, "--because", "the first machine is in repair")


def cutcard(*arguments: str) -> tuple[int, str]:
    answer = CliRunner().invoke(app, arguments)
    return answer.exit_code, answer.output


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An honest evening that has closed, with its bench."""
    home = tmp_path_factory.mktemp("evening")
    (home / "plan.toml").write_text(PLAN)
    folder = home / "table"
    code, said = cutcard("table", "run", str(home / "plan.toml"), "--folder", str(folder))
    assert code == 0, said
    return folder


@pytest.fixture
def table(evening: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of that evening, to forge."""
    home = Path(shutil.copytree(evening, tmp_path / "table", symlinks=True))
    remembered = tree_file_of(home).read_text()
    yield home
    tree_file_of(home).write_text(remembered)
    if (bench := Bench.found(home / "cards")) is not None:  # of a table that stopped
        bench.end()


def port_of(table: Path) -> str:
    return f"bench:carousel-60?folder={table / 'cards'}"


def verified(table: Path) -> tuple[int, dict[str, Any]]:
    code, said = cutcard(
        *("journal", "verify", str(table / JOURNAL), "--json"),
        *("--port", port_of(table), "--public-key", str(table / "table.public")),
    )
    return code, json.loads(said)


def verdicts(said: dict[str, Any]) -> list[tuple[int, int, str]]:
    return [(each["first"], each["last"], each["verdict"]) for each in said["ranges"]]


def tree_file_of(table: Path) -> Path:
    public = (table / "table.public").read_text().strip()
    return keys_folder() / f"{public}.tree"


def key_of(table: Path) -> TableKey:
    public = (table / "table.public").read_text().strip()
    return TableKey.load(keys_folder() / f"{public}.key")


def witness_of(table: Path) -> tuple[str, Witness]:
    with open_device(port_of(table), acknowledge=False) as device:
        assert isinstance(device, CardDevice)
        return device.serial, device.witness()


def round_of(forger: Forger, number: int) -> list[Body]:
    """Return the records of a round, from its wagers to its settlement."""
    kinds = [(body["kind"], body["data"].get("number")) for body in forger.bodies]
    return forger.bodies[kinds.index(("round", number)) : kinds.index(("settled", number)) + 1]


def make_ana_win(bodies: list[Body]) -> None:
    for body in bodies:
        if body["kind"] == "settled":
            body["data"]["results"] = [{**each, "net": 500} for each in body["data"]["results"]]
            body["data"]["state"]["cents"]["Ana"] += 50_000


def test_an_honest_evening_is_proven(table: Path) -> None:
    code, said = verified(table)
    assert (code, verdicts(said), said["problems"]) == (0, [(1, ROUNDS, "proven")], [])


def test_rounds_before_the_first_epoch_are_not_provable(table: Path) -> None:
    """Forgery 1, with the table's key: all six rounds."""
    forger = Forger(table / JOURNAL)
    serial, witness = witness_of(table)
    forger.drop(lambda body: body["kind"] in ("epoch", "closed"))
    make_ana_win(forger.bodies)
    for body in forger.of_kind("settled"):
        kept = body["data"]["state"]["devices"]["cards"]
        kept["witness"] = None
        del kept["sent"]
    device = {"role": "cards", "serial": serial, "firmware": 0}
    forger.append("epoch", {"witness": [witness.count, witness.value.hex()]}, device)
    forger.write(key_of(table))
    code, said = verified(table)
    assert (code, verdicts(said)) == (3, [(1, ROUNDS, "not provable")])
    assert "no machine was its witness" in said["ranges"][0]["why"]


def test_a_cut_journal_continues_at_another_machine_with_a_manager_only(
    table: Path,
) -> None:
    """Forgery 2, without a key: three of six rounds."""
    forger = Forger(table / JOURNAL)
    kept = forger.bodies.index(round_of(forger, 3)[-1]) + 1
    lines = (table / JOURNAL).read_bytes().splitlines(keepends=True)
    (table / JOURNAL).write_bytes(b"".join(lines[:kept]))
    shutil.rmtree(table / "cards")  # another machine takes its place
    code, said = cutcard("table", "run", str(table))
    assert (code, "--acknowledge" in said) == (1, True), said
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert code == 0, said
    code, found = verified(table)
    assert (code, verdicts(found)) == (3, [(1, 3, "not provable"), (4, ROUNDS, "proven")])


def test_rounds_that_no_machine_dealt_contradict_the_machine(table: Path) -> None:
    """Forgery 3, with the table's key: a round is appended."""
    forger = Forger(table / JOURNAL)
    forger.drop(lambda body: body["kind"] == "closed")
    kinds = ("round", "event", "settled")
    again = [copy.deepcopy(each) for each in round_of(forger, ROUNDS) if each["kind"] in kinds]
    for body in again:
        if body["kind"] != "event":
            body["data"]["number"] = ROUNDS + 1
    again[-1]["data"]["state"]["played"] = ROUNDS + 1
    settled = forger.of_kind("returned")
    at = forger.bodies.index(settled[-1]) + 1
    forger.bodies[at:at] = again
    forger.write(key_of(table))
    code, said = verified(table)
    assert code == 1
    assert (ROUNDS + 1, ROUNDS + 1, "contradicted") in verdicts(said)
    assert any("settles round 7: no command began it" in each for each in said["problems"])


def test_a_card_that_was_changed_in_the_open_round_is_not_paid(table: Path) -> None:
    """Forgery 4, without a key: a card of the round in which the table was killed."""
    forger = Forger(table / JOURNAL)
    dealt = [body for body in round_of(forger, ROUNDS) if "deal" in body["data"]]
    at = forger.bodies.index(dealt[-1]) + 1
    forger.bodies = forger.bodies[:at]
    reported = [body for body in forger.of_kind("told") if "card" in body["data"]][-1]
    reported["data"]["card"] = dealt[-1]["data"]["deal"] = "As"
    forger.write_tail(forger.bodies.index(reported))
    code, said = cutcard("table", "run", str(table))
    assert (code, "is not signed by this table's key" in said) == (1, True), said
    assert forger.path.read_bytes().count(b'"kind":"settled"') == ROUNDS - 1


def test_an_acknowledged_difference_leaves_the_later_rounds_provable(table: Path) -> None:
    """Forgery 5: a false alarm. The journal was cut, and the manager's word is honest."""
    forger = Forger(table / JOURNAL)
    kept = forger.bodies.index(round_of(forger, 2)[-1]) + 1
    lines = (table / JOURNAL).read_bytes().splitlines(keepends=True)
    (table / JOURNAL).write_bytes(b"".join(lines[:kept]))
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert code == 0, said
    code, found = verified(table)
    assert (code, found["problems"]) == (3, [])
    assert verdicts(found) == [(1, 2, "not provable"), (3, ROUNDS, "proven")]
    assert "Kim Lee" in found["ranges"][0]["why"]
    assert "claimed" in found["ranges"][0]["why"]


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ("Mickey Mouse, Emperor", "is not a title of this rulebook"),
        ("Kim Lee, Dealer", "casino operator or above [16.13"),
        ("Kim Lee", "NAME, TITLE"),
    ],
)
def test_a_manager_without_a_sufficient_title_is_rejected(table: Path, by: str, said: str) -> None:
    before = (table / JOURNAL).read_bytes()
    code, output = cutcard("table", "run", str(table), "--acknowledge", by, "--because", "x")
    assert (code, said in " ".join(output.split())) == (2, True), output
    assert (table / JOURNAL).read_bytes() == before


def test_a_manager_without_a_reason_is_rejected(table: Path) -> None:
    code, output = cutcard("table", "run", str(table), "--acknowledge", OPERATOR)
    assert (code, "--because" in output) == (2, True), output


def machine_key_of(table: Path) -> str:
    code, said = cutcard("journal", "machine-key", port_of(table))
    assert code == 0, said
    return said.strip()


def test_an_evening_is_proven_by_the_signature_of_its_machine(table: Path) -> None:
    """The machine is not asked: its statement is in the journal, and its key is known."""
    asked = ("journal", "verify", str(table / JOURNAL), "--json")
    assert cutcard(*asked)[0] == 3
    code, said = cutcard(*asked, "--machine-key", machine_key_of(table))
    assert (code, verdicts(json.loads(said))) == (0, [(1, ROUNDS, "proven")])
    code, said = cutcard(*asked, "--machine-key", "ab" * 32)
    assert (code, verdicts(json.loads(said))) == (3, [(1, ROUNDS, "not provable")])


@pytest.mark.parametrize("change", ["count", "event", "head", "signature"])
def test_a_statement_that_was_changed_contradicts_the_journal(table: Path, change: str) -> None:
    """With the table's key: the machine's signature does not hold."""
    forger = Forger(table / JOURNAL)
    (statement,) = forger.of_kind("statement")
    data = statement["data"]
    if change == "count":
        data["witness"][0] += 1
    elif change == "event":
        data["sent"][0] += 1
    else:
        data[change] = "ab" * (len(data[change]) // 2)
    forger.write(key_of(table))
    code, said = verified(table)
    assert (code, any("signature does not hold" in each for each in said["problems"])) == (1, True)


def test_an_evening_that_was_rewritten_contradicts_the_machines_signature(table: Path) -> None:
    """With the table's key: the money of a round is changed, and the machine is not asked."""
    forger = Forger(table / JOURNAL)
    make_ana_win(round_of(forger, 2))
    forger.write(key_of(table))
    key = machine_key_of(table)
    code, said = cutcard("journal", "verify", str(forger.path), "--json", "--machine-key", key)
    assert (code, json.loads(said)["verdict"]) == (1, "contradicted")


def test_the_rounds_of_an_exchanged_machine_are_proven_by_its_signature(table: Path) -> None:
    """The first machine signed its chains when the evening closed, the second when it came."""
    first = machine_key_of(table)
    (table / "cards").rename(table / "first")
    plan = table / "table.toml"
    plan.write_text(plan.read_text().replace(f"rounds = {ROUNDS}", f"rounds = {ROUNDS + 1}"))
    code, said = cutcard("table", "run", str(table), *ANSWERED)
    assert code == 0, said
    kinds = [body["kind"] for body in Forger(table / JOURNAL).bodies]
    began = kinds.index("exchanged")
    assert kinds[began:].index("statement") < kinds[began:].index("round")
    asked = ("journal", "verify", str(table / JOURNAL), "--json", "--port", port_of(table))
    code, said = cutcard(*asked)
    of_second = (ROUNDS + 1, ROUNDS + 1, "proven")
    assert (code, verdicts(json.loads(said))) == (3, [(1, ROUNDS, "not provable"), of_second])
    code, said = cutcard(*asked, "--machine-key", first)
    assert (code, verdicts(json.loads(said))) == (0, [(1, ROUNDS, "proven"), of_second])


def test_the_command_that_a_table_prints_proves_its_evening(table: Path) -> None:
    code, said = cutcard("table", "run", str(table))
    assert code == 0, said
    lines = said.replace("\\\n", "").splitlines()
    (line,) = [line for line in lines if " journal verify " in line]
    assert cutcard(*shlex.split(line)[1:])[0] == 0
