"""A short evening on the bench, and consoles that show it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cutcard.console.people import People
from cutcard.journal import Journal
from cutcard.table.plan.table_file import TablePlan, plan_from
from cutcard.table.running import run
from tests.console.questioned_table import QuestionedTable
from tests.console.served import Served, serving

PATIENCE = 120_000  # milliseconds: the result of a page must not depend on the load
PLAN = """
name = "Table 7"
rulebook = "nz-division-2"
variant = "blackjack"
decks = 6
shuffler = "continuous"
rounds = 4
players = [
  { name = "Ana", box = 1, wager = 20, side = { push-22 = 5 } },
  { name = "Ben", box = 3, wager = 50 },
]
mishaps = { 2 = "jam" }
[table]
min = 10
max = 1000
offers = { push-22 = "2" }
"""


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished evening: four rounds, a jam in the second. Must not be
    changed."""
    folder = tmp_path_factory.mktemp("tables") / "seven"
    run(plan_from(PLAN, folder / "table.toml"), folder, lambda line: None, seed=1)
    return folder.parent


@pytest.fixture
def evening(played: Path, tmp_path: Path) -> Path:
    """Return a copy of its journal that a test may extend, with the name of its key."""
    (tmp_path / "tables" / "seven").mkdir(parents=True)
    for name in ("table.journal", "table.public"):
        shutil.copy(played / "seven" / name, tmp_path / "tables" / "seven")
    return tmp_path / "tables"


@pytest.fixture
def people(tmp_path: Path) -> People:
    return People.of(tmp_path / "people.json")


@pytest.fixture
def console(evening: Path, people: People) -> Iterator[Served]:
    """Serve a console over the evening, for people added by the test."""
    with serving(evening, people) as served:
        yield served


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "a.journal") as opened:
        yield opened


@pytest.fixture
def asked(journal: Journal, plan: TablePlan) -> QuestionedTable:
    """Return a desk with a journal, which answers like a table at a console; `plan` is the
    test's."""
    return QuestionedTable(journal, plan)


@pytest.fixture
def open_page(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens pages of separate users; an error on a page fails the test."""
    contexts, complaints = [], []

    def opened(**how: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **how})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
