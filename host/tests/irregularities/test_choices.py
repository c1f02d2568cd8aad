"""Who may rule, on what, and when: the answers that hold for every rulebook."""

from __future__ import annotations

import pytest

from cutcard.cards import parse_cards
from cutcard.engine.events import Act, Deal, Event, Irregularity, Ruling, Settled
from cutcard.engine.irregularities.stage import Stage, stage_of
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.results import results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.rulebooks.book import RULEBOOKS, open_rulebook

JAM = Irregularity("malfunction", device="shuffler", hands=("2",))
WHO = {
    "nz-division-2": ("casino-operator", "16.13"),
    "crown-melbourne-26": ("tg-higher-duties-dealer", "9.12"),
    "mbs-free-bet-3": ("gaming-shift-manager", "6.1"),
    "uk-blackjack": ("manager", ""),
}


def dealt(rulebook: str, *events: Event, shuffler: str = "continuous") -> Round:
    """Two boxes with 18 and 16 against a six, and what happened since."""
    table = Table(open_rulebook(rulebook), 6, shuffler=shuffler)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for event in (*map(Deal, parse_cards("Th 9c 6d 8h 7d")), *events):
        round = step(round, event)
    return round


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_nothing_goes_on_before_a_required_ruling(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    with pytest.raises(OutOfTurnError, match="must be ruled on first"):
        step(round, Act("stand"))


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_ruling_by_somebody_not_entitled_is_refused_with_the_rule(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    _, rule = WHO[rulebook]
    with pytest.raises(RefusedError) as refused:
        step(round, Ruling("void-round", by="dealer"))
    assert rule in refused.value.rules or not rule


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_player_cannot_rule_in_an_officials_place(rulebook: str) -> None:
    with pytest.raises(RefusedError):
        step(dealt(rulebook, JAM), Ruling("void-round", by="A"))


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_who_is_named_and_everybody_above_may_rule(rulebook: str) -> None:
    lowest, _ = WHO[rulebook]
    roles = open_rulebook(rulebook).roles
    for role in roles[roles.index(lowest) :]:
        ruled = step(dealt(rulebook, JAM), Ruling("void-round", by=role))
        assert ruled.phase is Phase.VOID
        assert ruled.rulings[-1].by == role


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_refused_ruling_changes_nothing(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    before = (round.choices.copy(), round.postings.copy(), round.record)
    with pytest.raises(RefusedError):
        step(round, Ruling("void-round", by="dealer"))
    assert (round.choices, round.postings, round.record) == before


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_ruling_for_a_settled_round_is_refused(rulebook: str) -> None:
    cards = map(Deal, parse_cards("Ts 9s"))
    round = dealt(rulebook, Act("stand"), Act("stand"), *cards, Settled("round"), JAM)
    who, _ = WHO[rulebook]
    with pytest.raises(RefusedError, match="too late"):
        step(round, Ruling("void-round", by=who))
    assert [line.net for line in results(round)] == [2000, 1000]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_the_same_fault_twice_needs_one_ruling(rulebook: str) -> None:
    round = dealt(rulebook, JAM, JAM)
    assert len(round.choices) == 1


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_two_faults_at_once_are_ruled_on_the_latest_first(rulebook: str) -> None:
    round = dealt(rulebook, JAM, Irregularity("absent", box=1))
    assert [choice.irregularity.kind for choice in round.choices] == ["malfunction", "absent"]
    round = step(round, Ruling("continue"))
    assert [choice.irregularity.kind for choice in round.choices] == ["malfunction"]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_void_round_closes_every_other_choice(rulebook: str) -> None:
    who, _ = WHO[rulebook]
    round = dealt(rulebook, Irregularity("absent", box=1), JAM)
    assert step(round, Ruling("void-round", by=who)).choices == []


def test_a_fault_during_a_ruling_waits_for_its_own() -> None:
    fire = Irregularity("disruption", cause="fire")
    round = dealt("crown-melbourne-26", JAM, fire)
    round = step(round, Ruling("continue", by="tg-area-manager"))
    assert round.rulings[-1].irregularity == "disruption"
    with pytest.raises(OutOfTurnError) as refused:
        step(round, Act("stand"))
    assert refused.value.rules == ("9.12",)


def test_an_optional_choice_that_nobody_takes_is_recorded_as_the_rule_has_it() -> None:
    round = dealt("nz-division-2", Irregularity("suspect-shuffle"), Act("stand"), Act("stand"))
    for card in parse_cards("Ts 9s"):
        round = step(round, Deal(card))
    end = finish(round)
    assert [(ruled.irregularity, ruled.ruling) for ruled in end.rulings] == [
        ("suspect-shuffle", None)
    ]
    assert end.rulings[0].rules == ("7.1(e)",)


@pytest.mark.parametrize(
    ("events", "stage"),
    [
        ((), Stage.INITIAL_DEAL),
        ((Settled("interim"),), Stage.AFTER_INTERIM),
        ((Act("stand"),), Stage.PLAYERS_TURN),
        ((Act("stand"), Act("stand")), Stage.DEALERS_HAND),
    ],
)
def test_the_stage_follows_the_round(events: tuple[Event, ...], stage: Stage) -> None:
    assert stage_of(dealt("nz-division-2", *events)) is stage


def test_before_a_round_and_before_its_first_card_is_one_stage() -> None:
    table = Table(open_rulebook("nz-division-2"), 6)
    assert stage_of(None) is Stage.BEFORE_FIRST_CARD
    assert stage_of(start(table, [Placed(1, "A", "main", 2000)])) is Stage.BEFORE_FIRST_CARD


def test_what_the_device_must_do_goes_with_the_answer() -> None:
    round = dealt("nz-division-2", Irregularity("cut-card"), shuffler="shoe")
    order = round.orders[-1]
    assert (order.what, order.when) == ("shuffle", "at the end of the round")
    assert order.rules == ("7.1(c)", "8.7")
