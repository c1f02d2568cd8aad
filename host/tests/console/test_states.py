"""Every state of the page, checked by axe-core in both themes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cutcard.console.people import People
from cutcard.table.machine.floor import MISMATCH, Attempt
from tests.console.looking import come_back, link_is, needs_axe, violations
from tests.console.moments import choice_at, fault_at, journal_of, until
from tests.console.served import Served, serving
from tests.console.table_journal import open_journal
from tests.prizes.test_verify import PUBLIC, chain

Open = Callable[..., Any]
WAGERS = {
    "boxes": 9,
    "bets": [["main", "main"], ["push-22", "push 22"]],
    "lying": [
        {"box": 1, "player": "Ida", "bet": "main", "words": "main", "cents": 2000, "here": True}
    ],
}


def asks(**question: Any) -> dict[str, Any]:
    """Return a running table with a question for people."""
    bench = [["jam", "A card will jam."], ["open-door", "The door is opened."]]
    status = {"mode": "ready", "ready": 9, "behind": 303, "noise": "good", "free_heap": 9000}
    said = {"question": {"n": 1, **question}} if question else {"question": None}
    return {"connected": True, "bench": bench, "status": status, "wagers": WAGERS, **said}


LAST_ATTEMPT = str(Attempt(3, MISMATCH, expected=9))
PROPOSED = {"id": "to be void", "by": "Sam", "words": "void round"}


@dataclass(frozen=True)
class State:
    """A state of the page: its address, its journal, and the table's question."""

    place: str = "#/table/seven"
    shows: str = ""
    make: Callable[[Path], None] = lambda evening: None
    live: dict[str, Any] = field(default_factory=dict)
    title: str = "casino-operator"
    then: Callable[[Any], Any] = lambda page: None


def written(kind: str, data: dict[str, Any]) -> Callable[[Path], None]:
    def write(evening: Path) -> None:
        with open_journal(evening) as journal:
            journal.append(kind, data)

    return write


def to_fault(evening: Path) -> None:
    until(evening, fault_at(evening))


def to_choice(evening: Path) -> None:
    until(evening, choice_at(evening))


def to_opening(evening: Path) -> None:
    until(evening, 1)


def damaged(evening: Path) -> None:
    with journal_of(evening).open("ab") as file:
        file.write(b'{"n": 1, "v": 2}\n')


def drawn(evening: Path) -> None:
    """Add three valid draws and a changed one."""
    with open_journal(evening) as journal:
        journal.append("key", {"public": PUBLIC.hex()})
        *good, last = chain()
        for draw in good:
            journal.append("draw", draw.as_json())
        journal.append("draw", last.as_json() | {"prize": 3 - last.prize if last.prize < 3 else 1})


def without_tables(evening: Path) -> None:
    shutil.rmtree(evening / "seven")


STATES = {
    "the pit": State("", "Rounds played"),
    "a pit without tables": State("", "No table yet", without_tables),
    "a pit in trouble": State("", "journal damaged", damaged),
    "a table that has ended": State(shows="The table closes."),
    "a table before its first round": State(shows="Before the first round.", make=to_opening),
    "a table that plays": State(shows="On this bench, cause", live=asks()),
    "a fault to clear": State(
        shows="By the rules, when that is done",
        make=to_fault,
        live=asks(kind="count", asked="clear and count", attempt="Attempt 1 of 3."),
    ),
    "the last count of a fault": State(
        shows="The machine expects 9 cards outside.",
        make=to_fault,
        live=asks(kind="count", asked="count again, attempt 3", attempt=LAST_ATTEMPT),
    ),
    "a fault, for a viewer": State(
        shows="A person at the table counts.",
        make=to_fault,
        live=asks(kind="count", asked="clear and count", attempt="Attempt 1 of 3."),
        title="viewer",
    ),
    "a ruling": State(
        shows="declare the Round void", make=to_choice, live=asks(kind="rule", on="malfunction")
    ),
    "a ruling that one may not make": State(
        shows="Not with your titles.",
        make=to_choice,
        live=asks(kind="rule", on="malfunction"),
        title="dealer",
    ),
    "a ruling to confirm": State(
        shows="Confirm: void round",
        make=to_choice,
        live=asks(kind="rule", on="malfunction", proposed=PROPOSED),
    ),
    "a request that is refused": State(
        shows="Round 5 waits for wagers",
        live=asks(kind="begin", asked="wagers for round 5", round=5),
        then=lambda page: refused(page),
    ),
    "a decision": State(
        shows="Ida on box 1",
        live=asks(kind="act", asked="Ida on box 1", acts=[["hit", "hit"], ["stand", "stand"]]),
    ),
    "a locked machine": State(
        shows="Machine locked: it leaks", make=written("locked", {"why": "it leaks"})
    ),
    "a killed table in a fault": State(
        shows="The program of this table does not run.", make=to_fault
    ),
    "a pit with a killed table": State("", "not running", to_fault),
    "a table of another rulebook": State(
        shows="You can only read here: Pit Manager belongs to another rulebook", title="pit-manager"
    ),
    "a table that may be closed": State(shows="Close table", live=asks()),
    "a damaged journal": State(shows="Line ", make=damaged),
    "jackpot draws": State(shows="the signature does not match this key", make=drawn),
    "the past": State("#/table/seven/at/100", "The table as it was"),
    "the list of rounds": State(shows="Round 4", then=lambda page: page.locator("summary").click()),
    "a round": State("#/table/seven/round/2", "Hash of the last"),
    "a round on paper": State(
        "#/table/seven/round/2",
        "Hash of the last",
        then=lambda page: page.emulate_media(media="print"),
    ),
    "a round that is not there": State("#/table/seven/round/99", "has no round 99"),
    "a table that is not there": State("#/table/eight", "There is no such table here."),
}


def refused(page: Any) -> None:
    page.get_by_role("button", name="No more wagers: deal").click()
    page.get_by_text("No change was made.").first.wait_for()


@pytest.fixture
def state(request: pytest.FixtureRequest) -> State:
    return STATES[request.param]


@pytest.fixture
def over_it(state: State, evening: Path, people: People) -> Iterator[Served]:
    state.make(evening)
    with serving(evening, people) as console:
        if state.live:
            console.console.pit.extra = lambda key: {"live": state.live}
        yield console


@pytest.mark.parametrize("state", STATES, indirect=True)
@needs_axe
def test_axe_finds_no_problems(state: State, over_it: Served, open_page: Open) -> None:
    page = come_back(open_page(reduced_motion="reduce"), over_it, "Mia", state.title)
    page.goto(over_it.url + state.place)
    link_is(page, "live")
    page.get_by_text(state.shows).first.wait_for()
    state.then(page)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark", media="screen")
    assert violations(page, only="color-contrast") == []


@needs_axe
def test_axe_finds_no_problems_on_the_sign_in_page(console: Served, open_page: Open) -> None:
    page = open_page()
    page.goto(console.url)
    page.get_by_label("Name").fill("Mia")
    page.get_by_label("Passphrase").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("do not belong together").wait_for()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, only="color-contrast") == []


@needs_axe
def test_axe_finds_no_problems_on_a_stale_page(console: Served, open_page: Open) -> None:
    page = come_back(open_page(reduced_motion="reduce"), console, "Mia", "viewer")
    page.goto(f"{console.url}#/table/seven")
    link_is(page, "live")
    console.console.pit.send = lambda *messages: None  # type: ignore[method-assign]
    link_is(page, "stale")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, only="color-contrast") == []
