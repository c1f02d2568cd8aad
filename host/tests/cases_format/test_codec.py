"""A journal keeps all data of tables, wagers and events."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import fields, make_dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

from cutcard.cards import Card
from cutcard.cases.codec import EVENTS, TABLE, WAGER, Codec, exact
from cutcard.cases.loader import load_case
from cutcard.cases.reading import Fields
from cutcard.cases.runner import run_file
from cutcard.cases.writing import case_of, case_text, result_of, step_of, table_of, wager_of
from cutcard.engine.events import Act, Deal, Irregularity, Settled
from cutcard.engine.results import came_to, results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Placed, Round, Table
from cutcard.rulebooks.book import open_rulebook
from cutcard.rulebooks.digest import digest
from tests.engine.random_rounds import Played, played_rounds

SOME = settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a case file is already short
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
cents = st.integers(1, 10**10)
perhaps = st.none() | cents


def journaled(said: dict[str, Any]) -> dict[str, Any]:
    """Return the value after a round trip through a journal's JSON."""
    back: dict[str, Any] = json.loads(json.dumps(said))
    return back


def as_case_file(round: Round, path: Path) -> Path:
    """Return a finished round of a live table as a case file."""
    table = journaled(table_of(round.table))
    case = case_of("a round", table, [journaled(wager_of(each)) for each in round.placed])
    case["steps"] = [journaled(step_of(event)) for event in round.record]
    case["round"] = came_to(round)
    case["expect"] = [journaled(result_of(line)) for line in results(round)]
    path.write_text(case_text(case))
    return path


@pytest.mark.parametrize("codec", [TABLE, WAGER, *EVENTS.values()], ids=lambda c: c.kind.__name__)
def test_field_without_a_codec_entry_is_refused(codec: Codec) -> None:
    more = make_dataclass("More", [("colour", str, "")], bases=(codec.kind,), frozen=True)
    with pytest.raises(TypeError, match="colour has no codec"):
        Codec(more, ("book",), **codec.entries)


def test_every_field_of_a_table_and_a_wager_is_kept() -> None:
    assert {field.name for field in fields(Table)} == {"book", *TABLE.entries}
    assert {field.name for field in fields(Placed)} == set(WAGER.entries)


@SOME
@given(played_rounds())
def test_journal_to_case_file_to_replay_gives_the_same_results(
    tmp_path: Path, played: Played
) -> None:
    assume(_could_be_dealt(played.end))
    path = as_case_file(played.end, tmp_path / "round.toml")
    case = load_case(path)
    assert case.table == played.end.table
    assert case.placed == played.end.placed
    report = run_file(path)
    assert report.ok, (report.malformed, report.differences, path.read_text())


@SOME
@given(
    st.builds(
        Table,
        st.sampled_from(
            [
                open_rulebook("nz-division-2", ("ante-up",)),
                open_rulebook("nz-division-2", ("blackjack",), date(2013, 4, 1)),
                open_rulebook("crown-melbourne-26"),
            ]
        ),
        st.integers(1, 8),
        st.sampled_from(["continuous", "shoe", "automatic"]),
        minimum=perhaps,
        maximum=perhaps,
        blackjack=st.sampled_from([None, "6:5", "3:2"]),
        offers=st.dictionaries(st.sampled_from(["push-22", "perfect-pair"]), st.just("1")),
        stakes=st.dictionaries(st.sampled_from(["push-22"]), cents),
        increment=perhaps,
        chip=perhaps,
        box_maximum=perhaps,
        player_maximum=perhaps,
        limit_per=st.sampled_from(["box", "player"]),
        ante=perhaps,
        ante_waived_from=perhaps,
        forced_draw=st.booleans(),
        meters=st.dictionaries(st.sampled_from(["supernova-mystery"]), cents),
        seeds=st.dictionaries(st.sampled_from(["supernova-mystery"]), cents),
        max_payout=st.dictionaries(st.sampled_from(["blackpot"]), cents),
        shoe_round=st.none() | st.integers(1, 500),
        side_minimum=st.dictionaries(st.sampled_from(["perfect-pair"]), st.integers(1, 500)),
        side_maximum=st.dictionaries(st.sampled_from(["perfect-pair"]), st.integers(500, 9000)),
    )
)
def test_any_table_survives_a_round_trip(table: Table) -> None:
    written = exact(journaled(table_of(table)))
    sign = Fields(written.pop("sign"), "table")
    read = TABLE.read(Fields(written, ""), ("decks", "shuffler")) | TABLE.read(
        sign, [key for key in (entry.key for entry in TABLE.entries.values()) if key in sign]
    )
    assert Table(table.book, **read) == table
    assert written.get("as_of") == (table.book.as_of and table.book.as_of.isoformat())


@SOME
@given(
    st.builds(
        Placed,
        st.integers(1, 9),
        st.text("AbC é", min_size=1),
        st.sampled_from(["main", "push-22"]),
        cents,
        st.booleans(),
        perhaps,
        st.booleans(),
        st.booleans(),
        st.booleans(),
    )
)
def test_any_wager_survives_a_round_trip(placed: Placed) -> None:
    assert Placed(**WAGER.read(Fields(exact(journaled(wager_of(placed))), ""))) == placed


def test_table_that_pays_6_to_5_replays_with_its_odds(tmp_path: Path) -> None:
    """Without the odds of its sign the same cards would be paid at 3 to 2."""
    table = Table(open_rulebook("nz-division-2"), 6, blackjack="6:5")
    played = start(table, [Placed(1, "Ana", "main", 1000)])
    for text in ("As", "7c", "Kd"):
        played = step(played, Deal(Card.parse(text)))
    played = finish(step(played, Settled("interim"))) if not played.over else finish(played)
    assert [line.net for line in results(played)] == [1200]
    assert run_file(as_case_file(played, tmp_path / "round.toml")).ok


def test_the_dealers_place_among_boxes_is_written_by_its_name() -> None:
    misdeal = Irregularity("misdeal", boxes=(1, 0))
    assert step_of(misdeal) == {"fault": "misdeal", "boxes": [1, "dealer"]}


def test_a_case_file_written_from_a_journal_names_its_irregularities() -> None:
    case = {"steps": [step_of(Irregularity("misdeal", boxes=(1, 0)))]}
    assert '\n  { irregularity = "misdeal", boxes = [1, "dealer"] },\n' in case_text(case)


def test_free_bet_paid_with_money_is_written() -> None:
    assert step_of(Act("double", amount=1050, free=False)) == {
        "act": "double",
        "amount": 10.5,
        "free": False,
    }


def test_each_rulebook_has_its_own_digest() -> None:
    assert len({digest(name) for name in ("nz-division-2", "crown-melbourne-26")}) == 2


def _could_be_dealt(round: Round) -> bool:
    dealt = Counter(event.card for event in round.record if isinstance(event, Deal))
    return all(count <= round.table.decks for count in dealt.values())
