"""Rulings from the console at a table in play: the person, the options, and their single effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from cutcard.bench.client import Bench
from cutcard.console.people import People
from cutcard.journal import read
from cutcard.table.machine.floor import BenchFloor
from tests.console.live import Running, running
from tests.console.looking import needs_axe, signed_in, violations
from tests.console.served import Served, serving

TABLE = "/api/tables/nine/requests"
# The description of a button by a screen reader, after its name.
DESCRIBED = (
    "button => button.getAttribute('aria-describedby').split(' ')"
    ".map((id) => document.getElementById(id).textContent).join(' ')"
)
Waits = Callable[[dict[str, Any]], Any]


class Floor:
    """The people at the console of one table, each with a separate session."""

    def __init__(self, console: Served, table: Running) -> None:
        self.console = console
        self.table = table
        self.cookies: dict[str, str] = {}
        for name, title in (
            ("Mia", "tg-area-manager"),
            ("Sam", "tg-assistant-casino-manager"),
            ("Dan", "dealer"),
            ("Noor", "auditor"),
        ):
            console.sign_in(name, title)
            self.cookies[name] = console.cookie

    def ask(self, name: str, **wanted: Any) -> tuple[int, Any]:
        """Send a person's request, with a new id unless it has one."""
        self.console.cookie = self.cookies[name]
        status, _, said = self.console.ask(TABLE, {"id": str(uuid4()), **wanted})
        return status, said

    def wait(self, until: Waits) -> Any:
        """Watch the table until `until` returns a value; return it."""
        self.console.cookie = self.cookies["Noor"]
        for kind, _, data in self.console.events():
            tables = data["tables"] if kind == "pit" else [data] if kind == "table" else []
            for table in tables:
                if table["table"] == "nine" and (found := until(table)):
                    return found
        raise AssertionError("the stream has ended")

    def question(self, kind: str) -> dict[str, Any]:
        def waits(table: dict[str, Any]) -> Any:
            question = (table.get("live") or {}).get("question")
            return question if question and question["kind"] == kind else None

        found: dict[str, Any] = self.wait(waits)
        return found

    def counted(self) -> int:
        """Return the number of cards outside the machine, as a person sees them on the bench."""
        bench = Bench.found(self.table.folder / "cards")
        assert bench is not None
        outside = BenchFloor(bench).outside()
        bench.close()
        return outside

    def jam(self) -> dict[str, Any]:
        """Jam a card, free it and count; return the question for a ruling.

        Between two rounds no ruling is needed: then another card jams.
        """
        while True:
            self.wait(lambda table: (table.get("live") or {}).get("bench"))
            assert self.ask("Mia", on=0, cause="jam")[0] == 200
            counting = self.question("count")
            status, counted = self.ask("Mia", on=counting["n"], count=self.counted())
            assert status == 200
            question: dict[str, Any] = self.wait(partial(_ruling_or_next, counted["n"]))
            if question["kind"] == "rule":
                return question

    def answers_all(self, after: int) -> list[str]:
        """Answer all questions until a round is settled; return the kinds of questions."""
        kinds: list[str] = []

        def asked_or_settled(table: dict[str, Any]) -> Any:
            question = (table.get("live") or {}).get("question")
            over = table["picture"]["n"] > after and table["picture"]["results"]
            return question if question and question["n"] > after else over and {"kind": ""}

        while (question := self.wait(asked_or_settled))["kind"]:
            kinds.append(question["kind"])
            after = question["n"]
            said: dict[str, Any] = {"count": self.counted()} if kinds[-1] == "count" else {}
            assert self.ask("Mia", on=after, **(said or {"ruling": "continue"}))[0] == 200
        return kinds

    def goes_on(self, after: int) -> None:
        """Wait until a round is settled after a record."""
        self.wait(lambda table: table["picture"]["n"] > after and table["picture"]["results"])


def _ruling_or_next(after: int, table: dict[str, Any]) -> Any:
    """Return the question for a ruling, or the settled round without one."""
    question = (table.get("live") or {}).get("question")
    if question and question["kind"] == "rule":
        return question
    settled = table["picture"]["n"] > after + 20 and table["picture"]["results"]
    return {"kind": "none"} if settled else None


@pytest.fixture(scope="module")
def pit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pit")


@pytest.fixture(scope="module")
def table(pit: Path) -> Iterator[Running]:
    with running(pit) as table:
        yield table


@pytest.fixture
def floor(pit: Path, table: Running, people: People) -> Iterator[Floor]:
    with serving(pit, people) as console:
        yield Floor(console, table)


def requests(table: Running) -> list[dict[str, Any]]:
    return [r.data for r in read(table.folder / "table.journal") if r.kind == "request"]


def test_ruling_is_journaled_with_its_person_and_counts_once(floor: Floor, table: Running) -> None:
    question = floor.jam()
    key = str(uuid4())
    first = floor.ask("Mia", id=key, on=question["n"], ruling="continue", title="tg-area-manager")
    again = floor.ask("Mia", id=key, on=question["n"], ruling="continue", title="tg-area-manager")
    assert (first[0], again[0]) == (200, 200)
    assert again[1]["n"] == first[1]["n"]
    assert again[1]["said"] == "This was counted already."
    floor.goes_on(first[1]["n"])
    assert [(r["person"], r["ruling"]) for r in requests(table) if r["id"] == key] == [
        ("Mia", "continue")
    ]


def test_ruling_by_an_unentitled_person_is_refused_without_effect(
    floor: Floor, table: Running
) -> None:
    question = floor.jam()
    before = len(requests(table))
    assert floor.ask("Noor", on=question["n"], ruling="continue")[0] == 403
    status, said = floor.ask("Dan", on=question["n"], ruling="continue", title="dealer")
    assert (status, said["why"]) == (403, "TG Higher Duties Dealer or above may rule this.")
    assert said["rules"] == ["9.12"]
    borrowed = floor.ask("Dan", on=question["n"], ruling="continue", title="tg-area-manager")
    assert borrowed[0] == 403
    assert len(requests(table)) == before
    assert floor.question("rule")["n"] == question["n"]
    floor.ask("Mia", on=question["n"], ruling="continue")


def test_decision_on_an_older_record_is_outdated(floor: Floor) -> None:
    question = floor.jam()
    status, said = floor.ask("Mia", on=question["n"] - 1, ruling="continue")
    assert (status, said["n"]) == (409, question["n"])
    status, said = floor.ask("Mia", on=question["n"], ruling="burn")
    assert (status, "these are: void round" in said["why"]) == (409, True)
    decided = floor.ask("Mia", on=question["n"], ruling="continue")
    assert decided[0] == 200
    late = floor.ask("Sam", on=question["n"], ruling="void-round")
    assert late[0] == 409


def test_second_person_confirms_exactly_the_proposal(floor: Floor, table: Running) -> None:
    question = floor.jam()
    status, proposed = floor.ask("Mia", on=question["n"], ruling="void-round")
    assert status == 202
    waiting = floor.question("rule")["proposed"]
    assert (waiting["by"], waiting["words"]) == ("Mia", "void round")
    assert floor.ask("Mia", on=question["n"], confirm=waiting["id"])[0] == 403
    assert floor.ask("Dan", on=question["n"], confirm=waiting["id"])[0] == 403
    assert floor.ask("Sam", on=question["n"], confirm="another proposal")[0] == 409
    assert floor.ask("Sam", on=question["n"], confirm=waiting["id"])[0] == 200
    floor.goes_on(proposed["n"])
    last = requests(table)[-1]
    assert (last["person"], last["confirmed"], last["ruling"]) == ("Mia", "Sam", "void-round")


def test_killed_table_asks_again_and_an_id_still_counts_once(floor: Floor, table: Running) -> None:
    floor.wait(lambda table: (table.get("live") or {}).get("bench"))
    caused, counted = str(uuid4()), str(uuid4())
    assert floor.ask("Mia", id=caused, on=0, cause="jam")[0] == 200
    counting = floor.question("count")
    sent = {"id": counted, "on": counting["n"], "count": floor.counted()}
    assert floor.ask("Mia", **sent)[0] == 200
    floor.question("rule")
    table.kill()
    floor.wait(lambda table: table.get("live") and not table["live"]["connected"])
    assert floor.ask("Sam", on=1, ruling="continue")[0] == 503
    table.start()
    question = floor.question("rule")
    assert floor.ask("Mia", **sent)[1]["said"] == "This was counted already."
    assert [r["id"] for r in requests(table)].count(counted) == 1
    assert floor.ask("Mia", on=question["n"], ruling="continue")[0] == 200
    floor.goes_on(question["n"])


def test_proposal_from_before_a_kill_is_confirmed_after_it(floor: Floor, table: Running) -> None:
    question = floor.jam()
    key = str(uuid4())
    assert floor.ask("Mia", id=key, on=question["n"], ruling="void-round")[0] == 202
    table.kill()
    floor.wait(lambda table: table.get("live") and not table["live"]["connected"])
    table.start()
    again = floor.question("rule")
    assert again["proposed"] == {"id": key, "by": "Mia", "words": "void round"}
    assert floor.ask("Sam", on=again["n"], confirm=key)[0] == 200
    floor.goes_on(again["n"])


def test_counts_after_a_double_draw_are_independent_of_the_machine_until_the_last(
    floor: Floor,
) -> None:
    floor.wait(lambda table: (table.get("live") or {}).get("bench"))
    n = 0
    assert floor.ask("Mia", on=n, cause="two-cards")[0] == 200
    said = []
    for wrong in (1, 1, 0):
        question = floor.wait(partial(_count_after, n))
        said.append(question["attempt"])
        counted, n = floor.counted(), question["n"]
        assert "suggested" not in question
        assert floor.ask("Mia", on=n, count=counted + wrong)[0] == 200
    assert said == [
        "Attempt 1 of 3.",
        "Count did not match. Attempt 2 of 3.",
        f"Count did not match. Attempt 3 of 3. The machine expects {counted} cards outside.",
    ]
    after = floor.wait(lambda table: table["picture"]["machine"]["fault"] == "" and table)
    machine = after["picture"]["machine"]
    assert machine["inside"] + machine["outside"] == machine["pack"]
    floor.answers_all(n)


def _count_after(n: int, table: dict[str, Any]) -> Any:
    """Return the next question for a count; until then the table shows no number of the
    machine's."""
    question = (table.get("live") or {}).get("question")
    if not question or question["kind"] != "count" or question["n"] <= n:
        return None
    machine, status = table["picture"]["machine"], table["live"]["status"]
    assert (machine["inside"], machine["outside"]) == (None, None)
    assert status.get("mode") != "fault" or not {"ready", "behind"} & status.keys()
    return question


def test_machine_status_has_counts_and_health_and_no_order(floor: Floor) -> None:
    question = floor.jam()

    def agrees(table: dict[str, Any]) -> Any:
        status, machine = table["live"]["status"], table["picture"]["machine"]
        return status.get("ready", 0) + status.get("behind", 0) == machine["inside"] and status

    status = floor.wait(agrees)
    assert status["noise"] == "good"
    assert {name for name, value in status.items() if type(value) not in (int, str)} == set()
    assert floor.ask("Mia", on=question["n"], ruling="continue")[0] == 200


def test_machine_events_are_read_while_people_think(floor: Floor, table: Running) -> None:
    question = floor.jam()
    assert floor.ask("Mia", on=question["n"], cause="open-door")[0] == 200
    floor.wait(lambda table: table["live"]["status"].get("mode") == "fault")
    assert floor.question("rule")["n"] == question["n"]
    assert floor.ask("Mia", on=question["n"], ruling="continue")[0] == 200
    assert "count" in floor.answers_all(question["n"])


@needs_axe
def test_jam_is_caused_cleared_and_ruled_on_with_the_keyboard(
    floor: Floor, table: Running, open_page: Callable[..., Any]
) -> None:
    page, auditor = (open_page(reduced_motion="reduce") for _ in range(2))
    for each, name, title in ((page, "Lea", "tg-area-manager"), (auditor, "Ida", "auditor")):
        signed_in(each, floor.console, name, title)
        each.goto(f"{floor.console.url}#/table/nine")
    way = page.get_by_role("button", name="Continue")
    while True:
        page.get_by_role("button", name="Jam", exact=True).focus()
        page.keyboard.press("Enter")
        counted = page.get_by_role("button", name="Cleared and counted")
        counted.wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Jam"
        assert violations(page) == []
        alarm = page.locator("#alarm", has_text="the machine stops, jam on exit")
        alarm.wait_for(state="attached")
        field = page.get_by_label("Cards that are not in the machine")
        assert field.input_value() == ""
        field.focus()
        page.keyboard.type(str(floor.counted()))
        page.keyboard.press("Enter")
        way.or_(page.locator("#fault[hidden]")).first.wait_for(state="attached")
        if way.count():
            break  # between two rounds no ruling is needed: then another card jams
    auditor.get_by_role("button", name="Continue").wait_for()
    assert auditor.get_by_role("button", name="Continue").is_disabled()
    assert auditor.get_by_role("button", name="Jam", exact=True).count() == 0
    assert violations(page) == []
    assert way.evaluate(DESCRIBED) == "Play continues. TG Higher Duties Dealer or above."
    way.focus()
    page.keyboard.press("Enter")
    page.get_by_text("Lea (TG Area Manager) decides at the console: continue.").first.wait_for()
    way.wait_for(state="detached")


def test_end_of_a_console_does_not_affect_the_table(
    pit: Path, table: Running, people: People
) -> None:
    with serving(pit, people) as console:
        floor = Floor(console, table)
        n = floor.wait(lambda table: table["picture"]["n"])
    with serving(pit, people) as console:
        floor.console = console
        floor.goes_on(n)
    assert table.program is not None
    assert table.program.poll() is None
