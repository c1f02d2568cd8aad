"""The person's port: plain words and JSON, and replies to mistakes."""

from __future__ import annotations

import pytest

from cutcard.bench.person import cards, faults, power
from cutcard.bench.person.words import WORDS, WordError, parse
from tests.bench.plants import plant, say

_ = (cards, faults, power)  # imported for their words


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("status", {"do": "status"}),
        ("jam entry after=3", {"do": "jam", "where": "entry", "after": "3"}),
        (
            "draw 2 order=unknown force",
            {"do": "draw", "count": "2", "order": "unknown", "force": True},
        ),
        ("stick mouth 1", {"do": "stick", "sensor": "mouth", "level": "1"}),
        ('put cards="As Kd"', {"do": "put", "cards": "As Kd"}),
        ("noise biased 0.9", {"do": "noise", "how": "biased", "value": "0.9"}),
        ("flash cut at=7", {"do": "flash", "what": "cut", "at": "7"}),
        ('{"do": "jam", "where": "exit"}', {"do": "jam", "where": "exit"}),
    ],
)
def test_plain_words_and_json_are_equivalent(line: str, request_: dict[str, object]) -> None:
    assert parse(line) == request_


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", "nothing said"),
        ("dance", "no word 'dance'"),
        ("{", "not JSON"),
        ('{"where": "exit"}', 'no "do"'),
        ("door open wide", "one word too many"),
        ('put cards="As', "cannot be read"),
    ],
)
def test_invalid_line_names_its_error(line: str, error: str) -> None:
    with pytest.raises(WordError, match=error):
        parse(line)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        ({"do": "jam"}, "where is missing"),
        ({"do": "jam", "where": "hall"}, "'hall' is not known"),
        ({"do": "jam", "where": "exit", "depth": 3}, "takes no 'depth'"),
        ({"do": "jam", "where": "exit", "after": 1, "step": "hop"}, "'hop' is no step"),
        ({"do": "misfeed", "rate": "often"}, "no number"),
        ({"do": "draw", "count": -1}, "below 0"),
        ({"do": "hand", "on": "perhaps"}, "not on or off"),
        ({"do": "draw", "count": 5, "force": True}, "5 cards cannot be drawn"),
        ({"do": "draw"}, "1 cards cannot be drawn"),
        ({"do": "swap", "with": "Zz", "where": "tray"}, "'Zz' is not a card"),
        ({"do": "cut", "depth": 10}, "a shuffler has no stack"),
        ({"do": "take", "count": 60}, "only 52 cards"),
        ({"do": "steal", "bin": 99}, "there is no bin 99"),
    ],
)
def test_impossible_word_is_refused(request_: dict[str, object], error: str) -> None:
    made = plant()
    with pytest.raises(WordError, match=error):
        say(made, str(request_.pop("do")), **request_)


def test_every_word_has_a_help_text() -> None:
    assert [name for name, found in WORDS.items() if not found.help] == []
