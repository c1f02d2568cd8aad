"""Sentences are plain: phrases that hide the actor or the object are rare in every package.

`python -m tests.plain_words FOLDER` in `host` lists the phrases found in a folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.plain_words import (
    AMBIGUOUS,
    DATA,
    DOCSTRINGS,
    DOCUMENTATION,
    LIMITS,
    ROOT,
    STRINGS,
    TEST_NAMES,
    Rate,
    Text,
    ambiguous_names,
    files,
    in_markdown,
    in_python,
    in_toml,
    lowered,
    package_of,
    phrases_in,
    rates,
    recorded,
    texts,
)

SOURCE = '''
"""A docstring."""

def test_a_name(x):  # a comment
    return f"the value {x} is too large"

CODE = "a short one"
'''


@pytest.fixture(scope="module")
def measured() -> dict[tuple[str, str], Rate]:
    return rates(texts())


def test_no_package_is_above_its_limit_or_recorded_rate(
    measured: dict[tuple[str, str], Rate],
) -> None:
    allowed = recorded()
    above = [
        f"{package}, {area}: {rate.per_thousand():.1f} phrases per 1,000 words, "
        f"allowed are {allowed.get((package, area), LIMITS[area]):g}: "
        f"run `python -m tests.plain_words {package}` in host"
        for (package, area), rate in measured.items()
        if rate.per_thousand() > allowed.get((package, area), LIMITS[area])
    ]
    assert above == []


def test_a_package_below_its_limit_has_no_recorded_rate(
    measured: dict[tuple[str, str], Rate],
) -> None:
    stale = [
        f"{package}, {area}: run `python -m tests.plain_words --record` in host"
        for package, area in recorded()
        if measured.get((package, area), Rate(0, 0)).per_thousand() <= LIMITS[area]
    ]
    assert stale == []


def test_no_identifier_contains_an_ambiguous_word() -> None:
    """They had five meanings: report, send, log, describe and leak are distinct."""
    found = [
        f"{file}: {name}"
        for file in files(".py")
        if AMBIGUOUS.search(source := (ROOT / file).read_text("utf-8"))
        for name in ambiguous_names(source)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def card_told(): pass", {"card_told"}),
        ("def f(tell_all=1): return g(telling=tell_all)", {"tell_all", "telling"}),
        ("x.teller = Foretold.untold", {"teller", "Foretold", "untold"}),
        ("class LateTold: pass", {"LateTold"}),
        ("from a import tell as told", {"tell", "told"}),
        ("position = file.tell()", set()),
        ("stellar = constellation + hotelling", set()),
    ],
)
def test_ambiguous_words_are_found_in_identifiers(source: str, names: set[str]) -> None:
    assert ambiguous_names(source) == names


@pytest.mark.parametrize("phrase", DATA["phrase"], ids=lambda phrase: phrase["name"])
def test_a_phrase_is_found_in_its_example(phrase: dict[str, Any]) -> None:
    assert [name for name, _ in phrases_in(phrase["example"])] == [phrase["name"]]


def test_question_and_python_constant_are_not_counted() -> None:
    assert list(phrases_in("What is the edge? Return None.")) == []


def areas(found: Iterator[Text]) -> list[tuple[str, str]]:
    return [(text.area, text.prose) for text in found if text.prose]


def test_python_is_split_into_names_docstrings_and_strings() -> None:
    code = areas(in_python("host/cutcard/x.py", SOURCE))
    assert (STRINGS, "the value X is too large") in code
    assert (DOCSTRINGS, "A docstring.") in code
    assert (DOCSTRINGS, "a comment") in code
    assert len(code) == 3
    tests = areas(in_python("host/tests/test_x.py", SOURCE))
    assert (TEST_NAMES, "a name") in tests
    assert STRINGS not in dict(tests)


def test_toml_is_split_into_comments_and_strings() -> None:
    found = areas(in_toml("host/x.toml", '# a comment\na = [{ b = "the card is too large" }]\n'))
    assert found == [(DOCSTRINGS, "a comment"), (STRINGS, "the card is too large")]


def test_code_blocks_of_a_page_are_not_counted() -> None:
    page = "Text and `nobody`.\n```sh\ntell nobody\n```\n"
    [(area, prose)] = areas(in_markdown("docs/x.md", page))
    assert area == DOCUMENTATION
    assert list(phrases_in(prose)) == []


def test_a_file_is_counted_with_its_package() -> None:
    assert package_of("README.md") == "."
    assert package_of("docs/site/conf.py") == "docs"
    assert package_of("host/cutcard/table/plan/own.py") == "host/cutcard/table"
    assert package_of("rng_certification/campaign/parts/board.py") == "rng_certification/campaign"


def test_a_recorded_rate_falls_and_never_rises() -> None:
    key = ("docs", DOCUMENTATION)
    assert lowered({key: Rate(1000, 9)}, {key: 20}) == {key: 9}
    assert lowered({key: Rate(1000, 30)}, {key: 20}) == {key: 20}
    assert lowered({key: Rate(1000, 3)}, {key: 20}) == {}
