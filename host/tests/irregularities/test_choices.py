"""The persons that may rule, the subjects and the time: rules that all rulebooks share."""

from __future__ import annotations

import pytest

from cutcard.cards import Card, parse_cards
from cutcard.engine.events import Act, Deal, Event, Irregularity, Ruling, Settled
from cutcard.engine.irregularities.stage import Stage, stage_of
from cutcard.engine.ledger import Key
from cutcard.engine.refusal import OutOfTurnError, RefusedError
from cutcard.engine.results import results
from cutcard.engine.round import finish, start, step
from cutcard.engine.state import Phase, Placed, Round, Table
from cutcard.rulebooks.book import RULEBOOKS, open_rulebook
from cutcard.rulebooks.vocabulary import IrregularityKind

JAM = Irregularity("malfunction", device="shuffler", hands=("2",))
WHO = {
    "nz-division-2": ("casino-operator", "16.13"),
    "crown-melbourne-26": ("tg-higher-duties-dealer", "9.12"),
    "mbs-free-bet-3": ("gaming-shift-manager", "6.1"),
    "uk-blackjack": ("manager", ""),
}


def dealt(rulebook: str, *events: Event, shuffler: str = "continuous") -> Round:
    """Return two boxes with 18 and 16 against a six, after the events."""
    table = Table(open_rulebook(rulebook), 6, shuffler=shuffler)
    round = start(table, [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)])
    for event in (*map(Deal, parse_cards("Th 9c 6d 8h 7d")), *events):
        round = step(round, event)
    return round


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_events_are_rejected_before_a_required_ruling(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    with pytest.raises(OutOfTurnError, match="a ruling on malfunction is required first"):
        step(round, Act("stand"))


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_ruling_without_the_required_role_is_refused_with_the_rule(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    _, rule = WHO[rulebook]
    with pytest.raises(RefusedError) as refused:
        step(round, Ruling("void-round", by="dealer"))
    assert rule in refused.value.rules or not rule


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_player_cannot_make_an_officials_ruling(rulebook: str) -> None:
    with pytest.raises(RefusedError):
        step(dealt(rulebook, JAM), Ruling("void-round", by="A"))


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_named_role_and_all_higher_roles_may_rule(rulebook: str) -> None:
    lowest, _ = WHO[rulebook]
    roles = open_rulebook(rulebook).roles
    for role in roles[roles.index(lowest) :]:
        ruled = step(dealt(rulebook, JAM), Ruling("void-round", by=role))
        assert ruled.phase is Phase.VOID
        assert ruled.rulings[-1].by == role


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_refused_ruling_leaves_the_round_unchanged(rulebook: str) -> None:
    round = dealt(rulebook, JAM)
    before = (round.choices.copy(), round.postings.copy(), round.record)
    with pytest.raises(RefusedError):
        step(round, Ruling("void-round", by="dealer"))
    assert (round.choices, round.postings, round.record) == before


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_ruling_on_a_settled_round_is_refused(rulebook: str) -> None:
    cards = map(Deal, parse_cards("Ts 9s"))
    round = dealt(rulebook, Act("stand"), Act("stand"), *cards, Settled("round"), JAM)
    who, _ = WHO[rulebook]
    with pytest.raises(RefusedError, match="too late"):
        step(round, Ruling("void-round", by=who))
    assert [line.net for line in results(round)] == [2000, 1000]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_repeated_irregularity_needs_one_ruling(rulebook: str) -> None:
    round = dealt(rulebook, JAM, JAM)
    assert len(round.choices) == 1


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_two_open_irregularities_are_ruled_on_latest_first(rulebook: str) -> None:
    round = dealt(rulebook, JAM, Irregularity("absent", box=1))
    assert [choice.irregularity.kind for choice in round.choices] == ["malfunction", "absent"]
    round = step(round, Ruling("continue"))
    assert [choice.irregularity.kind for choice in round.choices] == ["malfunction"]


ONE_CARD = Irregularity("one-card", box=2)


def missing_second_card(rulebook: str, *events: Event) -> Round:
    """Return box 1 with 18 against a six, box 2 with one card, after the events."""
    table = Table(open_rulebook(rulebook), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, ("1", "2", "dealer", "1"))
    for event in (*map(Deal, parse_cards("Th 9c 6d 8h")), *events):
        round = step(round, event)
    return round


def test_officials_ruling_on_one_card_leaves_a_later_absence_open() -> None:
    """Crown 9.8.1 is for each player, and 9.5 for the official, who rules on it once."""
    round = missing_second_card("crown-melbourne-26", Irregularity("absent", box=1), ONE_CARD)
    go_on = Ruling("continue", by="tg-higher-duties-dealer")
    round = step(step(round, go_on), go_on)
    assert [ruled.irregularity for ruled in round.rulings] == ["one-card", "absent"]
    assert step(round, Ruling("withdraw", player="B")).rulings[-1].ruling == "withdraw"


@pytest.mark.parametrize(
    ("events", "ruling"),
    [
        ((Act("stand"), Deal(Card.parse("7d")), Act("stand")), None),
        ((Ruling("stay", player="B"), Act("stand"), Deal(Card.parse("7d")), Act("stand")), "stay"),
        ((Ruling("withdraw", player="B"), Act("stand")), "withdraw"),
    ],
)
def test_one_card_at_crown_is_recorded_once(events: tuple[Event, ...], ruling: str | None) -> None:
    round = missing_second_card("crown-melbourne-26", Settled("interim"), ONE_CARD, *events)
    for card in parse_cards("Ts 9s"):
        round = step(round, Deal(card))
    recorded = [(ruled.irregularity, ruled.ruling) for ruled in finish(round).rulings]
    assert recorded == [("one-card", ruling)]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("kind", ["one-card", "box-missed", "not-offered"])
def test_an_irregularity_of_a_box_without_a_wager_is_refused_with_the_boxes_in_play(
    rulebook: str, kind: IrregularityKind
) -> None:
    with pytest.raises(RefusedError, match=f"{kind}: box 3 has no main wager.*name one of 1, 2"):
        dealt(rulebook, Irregularity(kind, box=3))


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_a_wrong_number_of_cards_is_refused_with_the_right_irregularity(rulebook: str) -> None:
    with pytest.raises(RefusedError, match="box 2 has 2 cards; report misdeal instead"):
        dealt(rulebook, ONE_CARD)
    with pytest.raises(RefusedError, match="box 2 has 1 card; report one-card instead"):
        missing_second_card(rulebook, Irregularity("box-missed", box=2))


def test_burning_a_card_keeps_the_selection_of_two_others() -> None:
    """Ts 9d are out with the selection open; burning the face-up 5s keeps both."""
    two = Irregularity("simultaneous-draw", cards=tuple(parse_cards("Ts 9d")))
    face_up = Irregularity("face-up", cards=tuple(parse_cards("5s")))
    round = dealt("uk-blackjack", two, face_up, Ruling("burn", by="manager"))
    assert round.ahead == parse_cards("Ts 9d")
    round = step(round, Ruling("choose", by="manager", chosen=(2,)))
    assert round.ahead == parse_cards("9d Ts")


def test_discarding_a_seen_card_keeps_the_selection_of_two_unseen_cards() -> None:
    """Singapore 5.23.4.6 discards Td of the seen cards, and no unseen card (5.23.4.1)."""
    unseen = Irregularity("simultaneous-draw", cards=tuple(parse_cards("Ts 9d")))
    seen = Irregularity("simultaneous-draw", cards=tuple(parse_cards("2h Td")), disclosed=(1, 2))
    round = dealt("mbs-free-bet-3", Act("stand"), Act("stand"), unseen, seen)
    round = step(round, Ruling("choose", by="pit-manager", chosen=(1,)))
    assert round.ahead == parse_cards("2h Ts 9d")
    round = step(round, Ruling("choose", by="pit-manager", chosen=(2,)))
    assert [*round.dealer, *round.ahead] == parse_cards("6d 2h 9d Ts")


def test_absence_is_not_cited_for_an_earlier_returned_wager() -> None:
    order = ("1", "2", "1", "2")
    table = Table(open_rulebook("crown-melbourne-26"), 6)
    mains = [Placed(1, "A", "main", 2000), Placed(2, "B", "main", 1000)]
    round = start(table, mains, order)
    events: tuple[Event, ...] = (
        *map(Deal, parse_cards("Th 9c 6c 8h")),
        Irregularity("dealer-missed"),
        Irregularity("absent", box=1),
        Ruling("withdraw", player="A"),
        Ruling("continue", by="tg-higher-duties-dealer"),
    )
    for event in events:
        round = step(round, event)
    assert round.cited[Key(1, "A", "main")] == ("9.5",)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_void_round_closes_all_other_choices(rulebook: str) -> None:
    who, _ = WHO[rulebook]
    round = dealt(rulebook, Irregularity("absent", box=1), JAM)
    assert step(round, Ruling("void-round", by=who)).choices == []


def test_irregularity_during_a_ruling_needs_a_separate_ruling() -> None:
    fire = Irregularity("disruption", cause="fire")
    round = dealt("crown-melbourne-26", JAM, fire)
    round = step(round, Ruling("continue", by="tg-area-manager"))
    assert round.rulings[-1].irregularity == "disruption"
    with pytest.raises(OutOfTurnError) as refused:
        step(round, Act("stand"))
    assert refused.value.rules == ("9.12",)


def test_lapsed_optional_choice_is_recorded_with_its_default() -> None:
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
def test_stage_follows_the_round(events: tuple[Event, ...], stage: Stage) -> None:
    assert stage_of(dealt("nz-division-2", *events)) is stage


def test_no_round_and_no_first_card_are_the_same_stage() -> None:
    table = Table(open_rulebook("nz-division-2"), 6)
    assert stage_of(None) is Stage.BEFORE_FIRST_CARD
    assert stage_of(start(table, [Placed(1, "A", "main", 2000)])) is Stage.BEFORE_FIRST_CARD


def test_answer_includes_the_orders_for_the_device() -> None:
    round = dealt("nz-division-2", Irregularity("cut-card"), shuffler="shoe")
    order = round.orders[-1]
    assert (order.what, order.when) == ("shuffle", "at the end of the round")
    assert order.rules == ("7.1(c)", "8.7")
