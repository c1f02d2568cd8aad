"""The obligations that a round reports."""

from __future__ import annotations

from cutcard.engine.events import Act, Settled
from cutcard.engine.obligations import Decision, NextCard, Offered, Settlement, obligations
from cutcard.engine.round import finish, owed, step
from tests.engine.table import deal, dealt


def test_next_card_of_the_initial_deal_has_a_place() -> None:
    round = dealt("nz-division-2", "Th 5c", (1, "A", 10), (3, "B", 10))
    assert obligations(round) == [NextCard("dealer")]


def test_insurance_is_offered_against_an_ace() -> None:
    round = dealt("uk-blackjack", "Th Ad 8h", (1, "A", 10))
    assert obligations(round) == [
        Offered(Act("insure", box=1, player="A")),
        Settlement("interim"),
    ]


def test_decision_lists_the_acts_that_the_rulebook_allows() -> None:
    round = dealt("nz-division-2", "8h 6d 8s", (1, "A", 10))
    round = step(round, Settled("interim"))
    (decision,) = obligations(round)
    assert isinstance(decision, Decision)
    assert [act.kind for act in decision.ways] == ["hit", "stand", "double", "split"]


def test_owed_names_the_step_after_the_interim_settlement() -> None:
    round = dealt("nz-division-2", "8h 6d 8s", (1, "A", 10))
    assert owed(round) == "the interim settlement, then a decision for hand 1 (16)"
    assert owed(step(round, Settled("interim"))) == "a decision for hand 1 (16)"


def test_owed_is_none_if_the_interim_settlement_decides_all() -> None:
    round = dealt("nz-division-2", "Ah 6d Ks", (1, "A", 10))
    assert owed(round) is None
    assert finish(round).over


def test_select_offers_no_double_and_no_split() -> None:
    round = dealt("crown-melbourne-26", "8h 6d 8s", (1, "A", 10), variant="select")
    (decision,) = obligations(step(round, Settled("interim")))
    assert isinstance(decision, Decision)
    assert [act.kind for act in decision.ways] == ["hit", "stand"]


def test_hand_that_must_draw_gets_a_card_without_a_decision() -> None:
    round = dealt("nz-division-2", "2h 6d 3s", (1, "A", 10))
    round = deal(step(round, Act("hit")), "4c")
    assert obligations(round) == [NextCard("1")]


def test_vegas_offers_surrender_to_all_players_before_the_turns() -> None:
    round = dealt(
        "crown-melbourne-26", "Th 9c Kd 6h 9h", (1, "A", 10), (2, "B", 10), variant="vegas", decks=4
    )
    offered = [due.act.box for due in obligations(round) if isinstance(due, Offered)]
    assert offered == [1, 2]


def test_settlement_is_due_after_the_last_card() -> None:
    round = dealt("uk-blackjack", "Th 9d 8h", (1, "A", 10))
    round = deal(step(round, Act("stand")), "8c")
    assert obligations(round) == [Settlement("round")]
