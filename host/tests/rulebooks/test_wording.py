"""The quoted words of the rules: each possible ruling under a rule has a short quotation."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from cutcard.engine.events import Event
from cutcard.engine.state import Round
from cutcard.rulebooks.book import RULEBOOKS, Rules
from cutcard.rulebooks.readings import is_reading, reading
from cutcard.rulebooks.wording import Wording, _of, wording
from cutcard.rulings.matrix import matrix

LIBRARY = Path(str(resources.files("cutcard.cases") / "library"))
MOST_WORDS = 22  # of a rule: the reader looks up the full text by its number
Offered = set[tuple[str, str, Rules]]


def noting(step: Callable[[Round, Event], Round], offered: Offered) -> Callable[..., Round]:
    """Return a step that notes every choice that it leaves open."""

    def noted(round: Round, event: Event) -> Round:
        after = step(round, event)
        for choice in after.choices:
            for option in choice.options:
                offered.add((after.book.name, option.ruling, option.rules_now(after)))
        return after

    return noted


@pytest.fixture(scope="module")
def offered() -> Offered:
    """Return every ruling that the matrix of irregularities or a case of the library offers."""
    found: Offered = set()
    asking = importlib.import_module("cutcard.rulings.matrix")
    runner = importlib.import_module("cutcard.cases.runner")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "step", noting(asking.step, found))
        patch.setattr(asking, "cell", asking.cell.__wrapped__)  # keeps the choices of earlier calls
        list(matrix())
        patch.setattr(runner, "step", noting(runner.step, found))
        for case in sorted(LIBRARY.rglob("*.toml")):
            runner.run_file(case)
    return found


def test_every_open_ruling_has_the_words_of_its_rule(offered: Offered) -> None:
    by_rule = {each for each in offered if not all(is_reading(rule) for rule in each[2])}
    bare = {each for each in by_rule if wording(*each) is None}
    assert bare == set()
    assert len(offered) > 100


def test_no_words_are_unused(offered: Offered) -> None:
    used = {(each[0], each[1], said.rule) for each in offered if (said := wording(*each))}
    written = {
        (book, ruling, rule)
        for book in RULEBOOKS
        for ruling, entries in _of(book).items()
        for rule in entries
    }
    assert written == used


def test_quotation_is_a_few_words_of_a_rule() -> None:
    texts = [said for book in RULEBOOKS for of in _of(book).values() for said in of.values()]
    for said in texts:
        quoted = " ".join(re.findall("“([^”]+)”", said)).split()
        assert 0 < len(quoted) <= MOST_WORDS, said


def test_quoted_rule_is_the_rule_that_governs_the_ruling() -> None:
    found = wording("nz-division-2", "void-round", ("16.13", reading("void-round-returns-all")))
    assert found == Wording("16.13", "“at his or her discretion, either declare the Round void”")


def test_ruling_without_a_rule_has_no_quotation() -> None:
    assert wording("nz-division-2", "void-round", ()) is None
    assert wording("./my-rules", "void-round", ("16.13",)) is None
