"""Outcomes cite only the rules that they depend on."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutcard.cases.runner import run_file
from cutcard.engine.events import Act, Irregularity, Ruling
from cutcard.engine.ledger import Key
from cutcard.engine.results import results
from cutcard.engine.round import step
from cutcard.engine.state import Round
from cutcard.rulebooks.readings import reading
from tests.engine.table import dealt

CONTINUOUS = {"shuffler": "continuous"}
CASES = Path(__file__).parents[2] / "cutcard" / "cases" / "library"


def played(case: str) -> Round:
    report = run_file(CASES / case)
    assert report.ok, report.malformed or report.differences
    assert report.round is not None
    return report.round


def rules_of(case: str, box: int, player: str, bet: str = "main") -> tuple[str, ...]:
    wagers = {result.key: result.rules for result in results(played(case))}
    return wagers[Key(box, player, bet)]


@pytest.mark.parametrize(
    ("case", "times"),
    [
        ("crown-melbourne-26/dealer-soft-17.toml", 1),
        ("crown-melbourne-26/plus-22.toml", 0),
        ("crown-melbourne-26/dealer-bust.toml", 0),
        ("crown-melbourne-26/crown-blackjack-soft-17-draws.toml", 1),
    ],
)
def test_rule_of_dealers_ace_is_cited_only_if_the_dealer_stands_on_it(
    case: str, times: int
) -> None:
    draws = [note for note in played(case).story if note.text.startswith("The dealer draws")]
    assert draws
    assert sum("3.2.1(b)" in note.rules for note in draws) == times


@pytest.mark.parametrize(
    ("case", "player", "cited"),
    [
        ("pontoon/withdraw-by-each.toml", "B", False),
        ("pontoon/follower-who-loses.toml", "B", False),
        ("pontoon/follower-who-does-not-double-wins-even-money.toml", "A", False),
        ("pontoon/follower-who-does-not-double-wins-even-money.toml", "B", True),
    ],
)
def test_even_money_of_a_player_that_did_not_follow_a_double_is_cited_only_for_that_player(
    case: str, player: str, cited: bool
) -> None:
    assert ("10.5.2(d)(i)" in rules_of(f"crown-melbourne-26/{case}", 1, player)) is cited


@pytest.mark.parametrize(
    ("case", "rule", "cited"),
    [
        ("side-wagers/buster-beside-a-hand-in-play.toml", "26.4.3(a)", False),
        ("side-wagers/buster-draws-when-all-hands-are-done.toml", "26.4.3(a)", True),
        ("side-wagers/buster-after-a-five-and-under.toml", "26.4.3(a)", False),
        ("side-wagers/buster-beside-a-hand-in-play.toml", "dealer-draws-for-side-wagers", False),
        (
            "side-wagers/buster-draws-when-all-hands-are-done.toml",
            "dealer-draws-for-side-wagers",
            False,
        ),
    ],
)
def test_buster_cites_the_rule_that_kept_the_dealer_drawing(
    case: str, rule: str, cited: bool
) -> None:
    wanted = reading(rule) if not rule[0].isdigit() else rule
    wagers = [r for r in results(played(f"crown-melbourne-26/{case}")) if r.key.bet == "buster"]
    assert wagers
    assert all((wanted in wager.rules) is cited for wager in wagers)


def test_riding_hand_without_a_split_cites_no_reading_of_splits() -> None:
    rules = rules_of("nz-division-2/side-wagers/house-money-riding.toml", 1, "A", "house-money")
    assert reading("riding-after-a-split") not in rules


def test_void_round_cites_its_reading_only_for_settled_wagers() -> None:
    case = "crown-melbourne-26/irregularities/disruption-refunds-what-was-settled.toml"
    assert reading("crown-void-outcome") in rules_of(case, 1, "A", "perfect-pairs")
    assert reading("crown-void-outcome") not in rules_of(case, 1, "A")


def test_void_round_cites_the_rule_of_standing_settlements_only_for_settled_wagers() -> None:
    case = "crown-melbourne-26/irregularities/two-irregularities-after-the-interim-settlement.toml"
    assert "9.12.1" in rules_of(case, 1, "A", "perfect-pairs")
    assert rules_of(case, 1, "A") == ("9.12", "32.5")


def test_void_unsettled_hand_cites_no_reading_of_payments() -> None:
    case = "nz-division-2/irregularities/void-hand-after-even-money.toml"
    assert reading("void-hand-paid") in rules_of(case, 1, "A")
    assert rules_of(case, 1, "B") == ("16.13",)


NZ = "nz-division-2/irregularities"


def test_insurance_returned_at_even_money_does_not_cite_a_void_hand() -> None:
    rules = rules_of(f"{NZ}/returned-insurance-keeps-its-rule.toml", 1, "A", "insurance")
    assert "10.3" in rules
    assert "9.6" not in rules


def test_void_round_keeps_the_rules_of_wagers_returned_before() -> None:
    round = dealt("nz-division-2", "Ah 9c Ad Kc 8d", (1, "A", 20), (2, "B", 10), **CONTINUOUS)
    for event in (
        Act("insure", box=1, player="A", amount=1000),
        Act("even-money", box=1, player="A"),
        Irregularity("malfunction", hands=("2",)),
        Ruling("void-hands", hands=("2",)),
        Irregularity("malfunction"),
        Ruling("void-round"),
    ):
        round = step(round, event)
    wagers = {result.key: result.rules for result in results(round)}
    assert wagers[Key(1, "A", "insurance")] == ("10.3",)
    assert wagers[Key(2, "B", "main")] == ("16.13",)
    assert "16.13" in wagers[Key(1, "A", "main")]


def test_hand_voided_twice_cites_only_the_first_rule() -> None:
    round = dealt("nz-division-2", "Th 9c 6d 9h 8d", (1, "A", 20), (2, "B", 10), **CONTINUOUS)
    for event in (
        Irregularity("misdeal", boxes=(1,)),
        Ruling("void-hands", hands=("1",)),
        Irregularity("malfunction", hands=("1",)),
        Ruling("void-hands", hands=("1",)),
    ):
        round = step(round, event)
    wagers = {result.key: result.rules for result in results(round)}
    assert wagers[Key(1, "A", "main")] == ("16.5(a)", "16.5(b)")


def test_partly_settled_wager_cites_the_rule_by_which_its_payment_stands() -> None:
    case = "crown-melbourne-26/irregularities/blackpot-payment-stands-in-a-void-round.toml"
    assert "9.12.1" in rules_of(case, 1, "A", "blackpot")
    assert "9.12.1" not in rules_of(case, 1, "A")
