"""`cutcard device PORT ...`: a person operates a machine without writing a program."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from cutcard.bench.client import Bench
from cutcard.cli.devices.device_command import WORDS
from cutcard.cli.main import app
from cutcard.devices import Shuffler
from cutcard.devices.deadline import Deadline

Machine = Callable[..., "AtMachine"]


class AtMachine:
    """A person with a terminal at one bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def type(self, *words: str) -> Result:
        return CliRunner().invoke(app, ["device", self.bench.port, *words])

    def json_result(self, *words: str, exit_code: int = 0) -> dict[str, Any]:
        answer = self.type(*words, "--json")
        assert answer.exit_code == exit_code, answer.output
        said: dict[str, Any] = json.loads(answer.stdout)
        return said


@pytest.fixture
def machine(fresh_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch) -> Machine:
    def at(name: str = "carousel-38", decks: int = 1) -> AtMachine:
        bench = fresh_bench(name, 1)
        monkeypatch.setenv("CUTCARD_KEYS", bench.folder)
        for counts in Path(bench.folder).glob("*.counts"):
            counts.unlink()  # of an earlier test at a device with the same serial number
        if decks:
            bench.put(decks)
            bench.settle()
        return AtMachine(bench)

    return at


def test_load_deal_return_and_unload_report_their_counts(machine: Machine) -> None:
    """`status` is called between them."""
    at = machine()
    assert at.json_result("load", "1") == {"cards": 52}
    dealt = at.json_result("deal", "2")["cards"]
    assert len(dealt) == 2
    status = at.json_result("status")
    assert (status["kind"], status["machine"], status["mode"]) == (
        "shuffler",
        "carousel-38",
        "ready",
    )
    assert (status["inside"], status["outside"]) == (50, 2)
    at.bench.return_cards()
    assert at.json_result("return")["outside"] == 0
    assert at.json_result("unload") == {"cards": 52}
    assert at.json_result("status")["mode"] == "empty"


def test_text_output_is_readable_sentences(machine: Machine) -> None:
    at = machine()
    assert at.type("load", "1").stdout == "52 cards loaded and counted.\n"
    assert len(at.type("deal", "3").stdout.split()) == 3
    said = at.type("status").stdout
    assert said.startswith("shuffler carousel-38, serial ")
    assert "52 in the pack: 49 inside" in said


def test_jam_is_reported_with_its_recovery_and_recovered_from(machine: Machine) -> None:
    at = machine()
    at.bench.do("jam", where="entry", after=10)
    jammed = at.type("load", "1")
    assert jammed.exit_code == 1
    assert "jam-on-entry" in jammed.stderr
    assert "open the lid" in jammed.stderr
    assert f"type `cutcard device {at.bench.port} recover OUTSIDE`" in jammed.stderr
    status = at.json_result("status")
    assert status["fault"] == "jam-on-entry"
    assert "open the lid" in status["hint"]
    assert "open the lid" in at.type("status").stdout
    at.bench.do("clear")
    at.bench.settle()
    outside = str(52 - sum(map(len, _inside(at.bench))))
    recovered = at.json_result("recover", outside)
    assert recovered["event"] == "Recovered"
    assert recovered["next_step"]
    assert at.json_result("status")["fault"] is None


def _inside(bench: Bench) -> list[list[Any]]:
    places = bench.cards().items()
    return [row for place, row in places if place in ("chute", "exit") or place.startswith("bin")]


def jammed_at_the_exit(machine: Machine) -> AtMachine:
    """Return a machine that stopped with a card in the exit, and the card on the table."""
    at = machine()
    at.json_result("load", "1")
    at.bench.do("jam", where="exit")
    assert at.json_result("deal", "40", exit_code=1)["fault"] == "jam-on-exit"
    at.bench.do("clear", to="outside")
    at.bench.settle()
    return at


def outside(at: AtMachine) -> int:
    at.bench.settle()
    return 52 - sum(map(len, _inside(at.bench)))


def test_recover_after_a_wrong_count_names_the_cards_of_both_commands(machine: Machine) -> None:
    at = jammed_at_the_exit(machine)
    before = outside(at)
    wrong = at.json_result("recover", str(before + 1), exit_code=1)
    drawn = outside(at) - before
    assert drawn > 0
    assert (wrong["fault"], wrong["came_out"], wrong["failed_attempts"]) == (
        "count-mismatch",
        drawn,
        1,
    )
    assert "Count did not match. Attempt 2 of 3. " in wrong["error"]
    assert f"{drawn} cards came out while the machine counted" in wrong["error"]
    right = at.type("recover", str(outside(at)))
    assert right.exit_code == 0
    assert f"{outside(at) - before} cards came out" in right.stdout
    at.bench.do("door", how="open")
    at.bench.settle()
    at.bench.do("door", how="close")
    at.bench.settle()
    assert at.json_result("recover", str(outside(at)))["came_out"] == 0


def test_recover_shows_the_expected_number_before_the_third_attempt_which_is_the_last(
    machine: Machine,
) -> None:
    at = jammed_at_the_exit(machine)
    first = at.type("recover", str(outside(at) + 1))
    expected = outside(at)
    second = at.type("recover", str(expected + 1))
    shown = f"The machine expects {expected} cards outside."
    assert shown not in first.stderr
    assert "Attempt 2 of 3." in first.stderr
    assert f"Attempt 3 of 3. {shown}" in " ".join(second.stderr.split())
    assert "3 counts have failed" in at.type("recover", str(expected + 1)).stderr
    refused = at.json_result("recover", str(expected), exit_code=1)
    assert "3 counts have failed" in refused["error"]
    assert f"type `cutcard device {at.bench.port} unload`" in refused["hint"]
    at.json_result("unload")
    assert at.json_result("status")["mode"] == "empty"


def test_status_in_a_fault_does_not_show_a_person_the_counts_of_the_machine(
    machine: Machine,
) -> None:
    at = jammed_at_the_exit(machine)
    at.type("recover", str(outside(at) + 1))
    lines = at.type("status").stdout.splitlines()
    fault, cards = (
        next(line for line in lines if line.startswith(f"  {word}")) for word in ("fault", "cards")
    )
    assert fault.split() == ["fault", "count-mismatch"]
    assert re.findall(r"\d+", cards) == ["52"]


def test_return_names_a_fault_that_is_latched_already(machine: Machine) -> None:
    at = jammed_at_the_exit(machine)
    said = at.json_result("return", "--wait", "1", exit_code=1)
    assert said["fault"] == "jam-on-exit"
    assert "free it into the chute" in said["hint"]


def test_recover_at_a_terminal_asks_for_counts_until_one_matches(machine: Machine) -> None:
    at = jammed_at_the_exit(machine)
    before = outside(at)
    keyboard, terminal = pty.openpty()
    command = [sys.executable, "-m", "cutcard.cli", "device", at.bench.port, "recover"]
    program = subprocess.Popen(
        command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    os.close(terminal)
    try:
        for attempt in (1, 2):
            asked = _read_until(program, "(table, tray, hand): ")
            assert f"Attempt {attempt} of 3." in asked
            assert "expects" not in asked
            os.write(keyboard, f"{outside(at) + 2 - attempt}\n".encode())
        rest = program.communicate()[0].decode()
    finally:
        program.kill()  # without effect if it has ended
        program.wait()
    os.close(keyboard)
    assert program.returncode == 0
    assert "Count did not match." in asked
    assert f"{outside(at) - before} cards came out" in " ".join(rest.split())


def _read_until(program: subprocess.Popen[bytes], end: str) -> str:
    """Return the output up to and including `end`; fail if the program ends before it."""
    assert program.stdout is not None
    output = b""
    while not output.endswith(end.encode()):
        part = os.read(program.stdout.fileno(), 4096)
        assert part, f"the program ended after: {output.decode()}"
        output += part
    return output.decode()


def test_fault_during_a_deal_lists_the_cards_dealt_and_shown(machine: Machine) -> None:
    at = machine()
    at.json_result("load", "1")
    at.bench.do("fumble", count=2, order="known", after=2, step="draw")
    stopped = at.json_result("deal", "5", exit_code=1)
    assert stopped["fault"] == "simultaneous-draw"
    assert len(stopped["cards"]) >= 1
    assert len(stopped["event"]["cards"]) == 2
    again = machine()
    again.json_result("load", "1")
    again.bench.do("fumble", count=2)
    shown = again.type("deal").stderr
    assert "The draw showed " in shown
    assert "order that cannot be known" in shown


def test_shoe_loads_its_stack_and_rejects_return(machine: Machine) -> None:
    at = machine("shoe-8")
    assert at.json_result("load", "1") == {"cards": 52}
    assert len(at.json_result("deal")["cards"]) == 1
    assert "takes no cards back" in at.json_result("return", exit_code=2)["error"]


def test_controller_status_lists_its_tables_and_deal_is_rejected(machine: Machine) -> None:
    at = machine("controller-4", decks=0)
    status = at.json_result("status")
    assert [table["table"] for table in status["tables"]] == [1, 2, 3, 4]
    assert "table 4 no prizes set" in at.type("status").stdout
    assert "no cards to deal" in at.json_result("deal", exit_code=2)["error"]


def test_controller_resumes_after_its_door_is_closed(machine: Machine) -> None:
    at = machine("controller-4", decks=0)
    at.bench.do("door", how="open")
    at.bench.settle()
    assert at.json_result("status")["fault"] == "door-open"
    at.bench.do("door", how="close")
    at.bench.settle()
    at.json_result("recover")
    assert at.json_result("status")["fault"] is None


def test_call_for_an_undrawn_card_is_cancelled(machine: Machine) -> None:
    at = machine()
    at.json_result("load", "1")
    at.bench.do("hand", on="off")
    nobody = at.type("deal", "--wait", "0.2")
    assert nobody.exit_code == 1
    assert "no CardDealt within" in nobody.stderr
    assert at.json_result("status")["armed"] == 0


def test_table_still_receives_the_events_of_manual_commands(machine: Machine) -> None:
    """Only `--take` acknowledges events, so a journal has no gap afterwards."""
    at = machine()
    at.json_result("load", "1")
    at.json_result("deal", "1")
    kept = [line for line in watched(at, "--events") if "event" in line]
    assert [line["event"] for line in kept] == ["Started", "Loaded", "CardDealt"]
    assert [line["number"] for line in kept] == [1, 2, 3]
    at.json_result("deal", "--take")
    assert watched(at, "--events") == []


def watched(at: AtMachine, *words: str) -> list[dict[str, Any]]:
    answer = at.type("watch", "--for", "0", "--json", *words)
    assert answer.exit_code == 0, answer.output
    return [json.loads(line) for line in answer.stdout.splitlines()]


def test_full_event_store_error_names_the_option_to_add(machine: Machine) -> None:
    at = machine()
    at.json_result("load", "1")
    full = at.type("deal", "30")
    assert full.exit_code == 1
    assert "add --take" in full.stderr
    assert len(at.json_result("deal", "30", "--take")["cards"]) == 30


def test_watch_shows_frames_by_name_and_events_with_number_and_time(machine: Machine) -> None:
    at = machine()
    at.json_result("load", "1")
    printed = at.type("watch", "--for", "0").stdout.splitlines()
    # the first line of each frame
    lines = [line for line in printed if not line.startswith(" " * 16)]
    assert all(line[2] == line[5] == ":" and line[8] == "." for line in lines)  # each has a time
    said = [line[13:] for line in lines]
    assert any(line.startswith("-> hello version=") for line in said)
    assert any(line.startswith("<- reply status id=0 mode=ready") for line in said)
    assert any(line.startswith("<- event loaded number=2 cards=52") for line in said)
    assert "   event 2: loaded: cards 52" in said
    names = {(line["kind"], line["name"]) for line in watched(at) if "kind" in line}
    assert {("hello", ""), ("command", "status"), ("event", "loaded")} <= names


def test_ctrl_c_ends_watch_without_an_error(machine: Machine) -> None:
    """A pipe receives complete lines as they happen: the first arrives during the watch."""
    at = machine()
    running = subprocess.Popen(
        [sys.executable, "-m", "cutcard.cli.main", "device", at.bench.port, "watch", "--events"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CUTCARD_KEYS": at.bench.folder},
        # a background shell makes its tests ignore SIGINT
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout is not None
    assert "event 1: started" in running.stdout.readline()
    at.bench.do("door", how="open")
    assert "fault door-open" in running.stdout.readline()
    assert "next step: Close the door" in running.stdout.readline()
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (0, "")


def test_an_interrupted_load_reports_the_state_of_the_machine(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = machine()

    def interrupted(loading: Shuffler, decks: int, pack: int) -> None:
        loading._connection.command("load", decks, pack, deadline=Deadline(10))
        raise KeyboardInterrupt

    monkeypatch.setattr(Shuffler, "load", interrupted)
    answer = at.type("load", "1")
    assert answer.exit_code == 130
    assert "Interrupted. The machine is still taking cards in (" in answer.stderr
    assert f"Check it with `cutcard device {at.bench.port} status`." in answer.stderr
    at.bench.settle()
    status = at.json_result("status")
    assert (status["mode"], status["inside"]) == ("ready", 52)


@pytest.mark.parametrize(
    "words",
    [
        ["nowhere", "status"],
        ["bench:no-such-machine", "status"],
        ["bench:", "load", "0"],
        ["bench:", "dance"],
        ["status"],
    ],
    ids=" ".join,
)
def test_usage_error_exits_with_2(words: list[str]) -> None:
    answer = CliRunner().invoke(app, ["device", *words])
    assert answer.exit_code == 2, answer.output


def test_recover_requires_a_persons_count(machine: Machine) -> None:
    assert "number of cards outside" in machine().json_result("recover", exit_code=2)["error"]


@pytest.mark.parametrize("word", WORDS)
def test_every_command_has_help_with_an_example(word: str) -> None:
    answer = CliRunner().invoke(app, ["device", "PORT", word, "--help"])
    assert answer.exit_code == 0
    assert f"cutcard device /dev/ttyACM0 {word}" in answer.stdout
