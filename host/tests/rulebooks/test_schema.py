"""The schema, the code and the rulebooks' data agree on every key."""

from __future__ import annotations

import pytest

from cutcard.rulebooks.book import RULEBOOKS, contents, layers
from cutcard.rulebooks.layer import mistakes_in, read_layer
from cutcard.rulebooks.schema import ANY, RulebookKey, schema
from cutcard.rulebooks.side_wagers.catalogue import read_side_wagers
from cutcard.rulebooks.text import MalformedRulebookError
from cutcard.rulebooks.vocabulary import RULINGS
from tests.rulebooks.key_reads import Named, keys_demanded, keys_named, keys_valued


def fits(named: Named, key: str) -> bool:
    return named.fits(key) or (key.endswith(ANY) and named.fits(f"{key[:-1]}anything"))


def test_every_key_named_in_code_is_in_the_schema() -> None:
    unknown = {named for named in keys_named() if not any(fits(named, key) for key in schema())}
    assert unknown == set()


def test_every_key_of_the_schema_is_read_by_the_code() -> None:
    named = list(keys_named())
    assert [key for key in schema() if not any(fits(name, key) for name in named)] == []


def test_key_has_an_effect_exactly_if_code_reads_its_value() -> None:
    valued = list(keys_valued())
    deciding = {key.name for key in schema().values() if not key.cited}
    assert {key for key in schema() if any(fits(name, key) for name in valued)} == deciding


def test_key_that_code_requires_is_needed_in_the_schema() -> None:
    demanded = list(keys_demanded())
    optional = {
        key.name for key in schema().values() if not key.needed and key.needed_where is None
    }
    asked_first = {"double.paid_instead", "split.paid_instead", "boxes.one_wager_each"}
    asked_first |= {"double.after_split", "ante.missing", f"side_stakes.{ANY}", "super_bonus.prize"}
    assert {key for key in optional if any(fits(name, key) for name in demanded)} == asked_first


def test_a_condition_names_keys_and_values_of_the_schema() -> None:
    for key in schema().values():
        for other, values in (key.needed_where or {}).items():
            assert values == ANY or all(schema()[other].accepts(value) for value in values)
        assert key.like is None or key.like in schema()


def test_words_have_no_effect_and_a_choice_lists_its_words() -> None:
    for key in schema().values():
        assert key.cited or key.kind != "words"
        assert key.among or key.kind != "choice"
        assert key.says


def test_every_possible_ruling_has_a_key() -> None:
    of_rulings = {key.removeprefix("rulings.") for key in schema() if key.startswith("rulings.")}
    assert of_rulings - {"settled", "interim_stands"} == set(RULINGS)


def test_every_value_of_every_choice_is_used_by_a_rulebook() -> None:
    said = {
        (name, repr(entry.value))
        for book in RULEBOOKS
        for variant in contents(book).variants
        for layer in layers(book, (variant,))
        for name, entry in layer.entries.items()
    }
    said |= {("double.totals", repr("hard-10-11"))}  # for rules of one's own
    verdicts = ("win", "lose", "stand-off")
    for key in schema().values():
        if key.kind == "choice" and key.among != verdicts:
            assert [v for v in key.among if (key.name, repr(v)) not in said] == [], key.name


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("dealer.soft_17", ["stand", "draw"], ["hit", "", True, 1, ["stand"]]),
        ("split.allowed", [True, False], [1, 0, "true", "yes", None]),
        ("split.hands", [0, 3, 99], [True, -1, 100, 3.0, "3"]),
        ("blackjack.odds", ["3:2", "6:5"], ["3/2", "3:0", "0:1", 1.5, "²:1", ":"]),
        ("cards.decks", [[4, 6], [8]], [[], [0], [9], [4, 4], 6, [True]]),
        ("blackjack.layout", [["3:2", "1:1"]], [[], ["3:2", "even"], "3:2"]),
        ("surrender.against", ["TJQKA", "A"], ["", "10", "AA", "tjq"]),
        ("double.one_card", [True], [False, "true"]),
        ("double.pays", ["1:1"], ["2:1"]),
        ("deal.further", ["as the player decides"], ["", True, 3]),
    ],
)
def test_key_accepts_only_its_allowed_values(
    key: str, good: list[object], bad: list[object]
) -> None:
    assert [value for value in good if not schema()[key].accepts(value)] == []
    assert [value for value in bad if schema()[key].accepts(value)] == []


def entry(value: object) -> dict[str, object]:
    return {"is": value, "rule": "1"}


def test_all_mistakes_of_a_file_are_reported_together() -> None:
    data = {
        "title": "A game",
        "section": 1,
        "wiht": ["style-a"],
        "dealer": {"soft_17": entry("stnad"), "sotf_17": entry("stand")},
        "split": {"hands": {"is": 3}, "free": {"is": "never", "rule": 12, "raeding": "x"}},
        "dubble": {"cards": entry("two")},
        "draw": {"forced": {"is": "never", "rule": "1", "reading": "none"}},
        "cards": 52,
    }
    with pytest.raises(MalformedRulebookError) as caught:
        read_layer("variant-mine", data)
    assert str(caught.value).splitlines() == [
        "variant-mine.toml: wiht: unknown key; did you mean 'with'?",
        "variant-mine.toml: [dubble]: unknown key; did you mean 'double'?",
        "variant-mine.toml: cards: is 52; it must be a table, [cards]",
        "variant-mine.toml: section: is 1; it must be a string",
        'variant-mine.toml: dealer.soft_17: is "stnad"; it must be one of "stand", "draw"; '
        "did you mean 'stand'?",
        "variant-mine.toml: dealer.sotf_17: unknown key; did you mean 'dealer.soft_17'?",
        "variant-mine.toml: split.hands: is {'is': 3}; it must be a table, as in "
        "{ is = …, rule = … }, where `is` is an integer from 0 to 99",
        "variant-mine.toml: split.free.raeding: unknown key; did you mean 'reading'?",
        "variant-mine.toml: split.free.rule: is 12; it must be the number of a rule, or a list "
        "of them",
        'variant-mine.toml: draw.forced.reading: unknown reading "none"',
    ]


def test_a_key_named_by_its_side_wager_is_read() -> None:
    data = {"title": "", "section": "", "side_stakes": {"perfect-pair": entry(True)}}
    assert list(mistakes_in("variant-mine", data)) == []


def test_allowed_values_are_described_in_words() -> None:
    assert schema()["cards.pack"].allowed == "one of 48, 52"
    assert schema()["double.one_card"].allowed == "true"
    assert schema()["draw.most_cards"].allowed == "an integer from 0 to 21"
    assert RulebookKey("x.y", "list", "", of="odds").allowed == "a list of odds, as in [3:2]"


def test_side_wager_rejects_unknown_keys_and_invalid_words() -> None:
    wager = {
        "title": "Pair",
        "section": "1",
        "settles": "inital-deal",
        "pay_rule": "1",
        "columns": [{"choice": "", "odds": {"pair": "8:1"}, "pakc": 52}],
        "wins": {"pair": ["1"]},
        "loses": ["1"],
        "placed": {"where": "own-main", "rule": "1"},
        "notwith": {"bets": [], "rule": "1"},
    }
    with pytest.raises(MalformedRulebookError) as caught:
        read_side_wagers("mine", {"pair": wager, "other": {"title": "Other"}})
    assert str(caught.value).splitlines() == [
        "side_wagers/mine.toml: pair.notwith: unknown key; did you mean 'not_with'?",
        "side_wagers/mine.toml: pair.columns[0].pakc: unknown key; did you mean 'pack'?",
        "side_wagers/mine.toml: pair.settles: is 'inital-deal'; it must be one of initial-deal, "
        "third-card, dealer-hand, tokens, blackpot; did you mean 'initial-deal'?",
        "side_wagers/mine.toml: other: KeyError: 'wins'",
    ]
