"""Table files and options: all mistakes of a table are reported together, each with its rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.table.plan.table_file import (
    PLANS,
    BadTablePlanError,
    built_in,
    plan_from,
    plan_text,
    shortened,
    with_changes,
)

GOOD = """
rulebook = "nz-division-2"
decks = 6
shuffler = "continuous"
players = [{ name = "Ana", box = 1, wager = 20, side = { push-22 = 5 } }]
[table]
min = 10
max = 1000
offers = { push-22 = "2" }
"""


@pytest.mark.parametrize("name", PLANS)
def test_the_tables_that_come_with_cutcard_can_be_opened(name: str) -> None:
    assert plan_from(built_in(name), Path("plan.toml")).players


def test_plan_has_the_players_and_their_wagers() -> None:
    plan = plan_from(GOOD, Path("seven.toml"))
    assert (plan.name, plan.cards, plan.rounds) == ("seven", "bench:carousel-60", 20)
    assert [(bet.bet, bet.amount) for bet in plan.placed] == [("main", 2000), ("push-22", 500)]


def test_tables_of_a_pit_with_two_scales_of_perfect_pair_are_refused(tmp_path: Path) -> None:
    """New Zealand 15B.8."""
    for name, scale in (("one", "1"), ("two", "2")):
        home = tmp_path / name
        home.mkdir()
        offers = f'offers = {{ perfect-pair = "{scale}" }}'
        text = GOOD.replace('offers = { push-22 = "2" }', offers)
        (home / "table.toml").write_text(text.replace(", side = { push-22 = 5 }", ""))
    done = CliRunner().invoke(app, ["table", "run", str(tmp_path)])
    assert done.exit_code == 2
    assert "[15B.8]" in done.output


def test_invalid_table_is_reported_with_all_mistakes() -> None:
    text = GOOD.replace("decks = 6", "decks = 9").replace(
        "max = 1000", 'max = 1000\nblackjack = "2:1"'
    )
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(text, Path("plan.toml"))
    assert len(bad.value.mistakes) >= 2
    assert all(mistake.endswith("]") for mistake in bad.value.mistakes)


def test_mistakes_of_file_and_rules_are_reported_together() -> None:
    text = """
rulebook = "nz-division-2"
decks = 9
shuffler = "continuous"
cards = "bench:carusel"
rounds = 0
colour = "green"
players = [
  { name = "Ana", box = 1, stake = 20 },
  { name = "Ben", box = 77, wager = 20 },
  { name = 3, box = 0, wager = -1 },
]
mishaps = { 3 = "flood" }
[table]
min = 10
max = 5
blackjack = "2:1"
"""
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(text, Path("plan.toml"))
    keys = [mistake.split(":")[0] for mistake in bad.value.mistakes]
    assert keys == [
        "table.max",
        "players[0].wager",
        "players[0].stake",
        "players[2].name",
        "players[2].box",
        "players[2].wager",
        "cards",
        "rounds",
        "mishaps.3",
        "colour",
        "9 decks are not allowed; the rulebook allows 4, 5, 6, 7, 8 [3.3(a)]",
        "a Blackjack may not pay 2",
        "there is no box 77",
    ]


@pytest.mark.parametrize("gone", ["rulebook", "decks", "players"])
def test_file_without_a_required_key_is_reported(gone: str) -> None:
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith(gone))
    with pytest.raises(BadTablePlanError, match=gone):
        plan_from(text, Path("plan.toml"))


@pytest.mark.parametrize(
    ("was", "now", "said"),
    [
        ("wager = 20", "stake = 20", "players\\[0\\].wager: is missing"),
        ("decks = 6", "dekcs = 6", "decks: is missing"),
        ("[table]", 'mishaps = { 3 = "flood" }\n[table]', "mishaps.3: must be one of jam"),
        ("[table]", "mishaps = { late = 'jam' }\n[table]", "is not a round"),
        ("players", "nobody = 1\nplayers", "nobody: is an unknown key"),
    ],
)
def test_a_mistake_is_named_with_its_key(was: str, now: str, said: str) -> None:
    with pytest.raises(BadTablePlanError, match=said):
        plan_from(GOOD.replace(was, now, 1), Path("plan.toml"))


def test_a_mishap_of_a_round_that_is_not_played_is_a_mistake() -> None:
    text = "rounds = 4\nmishaps = { 4 = 'jam', 5 = 'late-wager', 20 = 'power' }" + GOOD
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(text, Path("plan.toml"))
    assert bad.value.mistakes == [
        "mishaps.5: late-wager is for round 5, and the table plays only 4 rounds: take it out, "
        "or let `rounds` be 5 or more",
        "mishaps.20: power is for round 20, and the table plays only 4 rounds: take it out, "
        "or let `rounds` be 20 or more",
    ]
    assert plan_from(text.replace("rounds = 4", "rounds = 20"), Path("plan.toml")).mishaps[20]


def test_mishaps_are_not_checked_if_the_number_of_rounds_is_invalid() -> None:
    text = "rounds = 'thirty'\nmishaps = { 25 = 'jam' }" + GOOD
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(text, Path("plan.toml"))
    assert [mistake.split(":")[0] for mistake in bad.value.mistakes] == ["rounds"]


@pytest.mark.parametrize("rounds", [1, 8, 30])
@pytest.mark.parametrize("name", PLANS)
def test_a_table_that_comes_with_cutcard_is_shortened_with_its_mishaps(
    name: str, rounds: int
) -> None:
    whole = plan_from(built_in(name), Path("plan.toml"))
    text = with_changes(built_in(name), shortened(built_in(name), rounds))
    plan = plan_from(text, Path("plan.toml"))
    assert plan.rounds == rounds
    assert plan.mishaps == {at: what for at, what in whole.mishaps.items() if at <= rounds}


JACKPOT = GOOD.replace("push-22 = 5", "madness-21 = 5").replace('push-22 = "2"', 'madness-21 = ""')
METERED = """
rulebook = "crown-melbourne-26"
decks = 6
shuffler = "continuous"
players = [{ name = "Ana", box = 1, wager = 20, side = { blackjack-jackpots = 5 } }]
[table]
offers = { blackjack-jackpots = "" }
"""
BOARD = "cards = '/dev/ttyACM0'\nplayers"


@pytest.mark.parametrize("name", ["", " Ana", "A\u202ena", "A\u200dna", "A" * 41])
def test_player_name_that_a_page_cannot_show_is_refused(name: str) -> None:
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(GOOD.replace("Ana", name), Path("plan.toml"))
    (mistake,) = bad.value.mistakes
    assert mistake.startswith("players[0].name: must be 1 to 40 printable characters, not")
    assert mistake.isprintable()


def test_table_name_that_a_page_cannot_show_is_refused() -> None:
    with pytest.raises(BadTablePlanError, match="name: must be 1 to 40 printable characters"):
        plan_from('name = "Table\u202e 7"' + GOOD, Path("plan.toml"))


def test_wager_with_the_same_key_as_another_is_refused() -> None:
    """Otherwise the table would play rounds that cannot be replayed."""
    twice = GOOD.replace("wager = 20,", "wager = 20 }, { name = 'Ana', box = 1, wager = 5,")
    with pytest.raises(BadTablePlanError, match="Ana already has main on box 1"):
        plan_from(twice, Path("plan.toml"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("rounds = 0", "rounds: must be a number of rounds, 1 or more, not 0"),
        ("pace = -5", "pace: must be milliseconds from card to card, 0 or more, not -5"),
    ],
)
def test_too_small_number_is_reported_with_its_value(line: str, said: str) -> None:
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(line + GOOD, Path("plan.toml"))
    assert bad.value.mistakes == [said]


def test_a_jackpot_on_the_bench_has_its_equipment_on_the_bench() -> None:
    plan = plan_from(JACKPOT, Path("seven.toml")).jackpot
    assert (plan.button, plan.controller, plan.place) == ("madness-21", "bench:controller-4", 1)
    plan = plan_from(METERED, Path("three.toml")).jackpot
    assert (plan.metered, plan.meters, plan.controller) == ("blackjack-jackpots", "bench", "")
    assert plan.managers == {"Ana": "box-1"}


def test_at_a_real_machine_the_jackpots_equipment_is_named() -> None:
    with pytest.raises(BadTablePlanError, match=r"controller: is missing: madness-21 .* \[15A\]"):
        plan_from(JACKPOT.replace("players", BOARD, 1), Path("a.toml"))
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(METERED.replace("players", f"meters = 'm.sqlite'\n{BOARD}", 1), Path("a.toml"))
    assert [mistake.split(":")[0] for mistake in bad.value.mistakes] == [
        "meter_table",
        "players[0].manager",
    ]
    assert all(mistake.endswith("]") for mistake in bad.value.mistakes)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (GOOD, "controller = 'bench:controller-4'", "controller: no wager at this table uses it"),
        (GOOD, "meters = 'bench'", "meters: no side wager of this table"),
        (GOOD, "one_in = 5", "one_in: no wager of this table can be picked"),
        (GOOD, "place = 2", "place: must be left out"),
        (JACKPOT, "place = 5", "place: must be the table's place at its controller, 1 to 4"),
        (JACKPOT, "controller = 'bench:toaster'", "controller: .*toaster"),
        (GOOD, "cards = 'bench:carousel-38?seed=4'", "cards: .*its seed is --seed"),
        (METERED, "meter_table = 'Table 7'", "meter_table: 'Table 7' cannot be the name"),
        (
            GOOD,
            "mishaps = { 2 = 'controller-power' }",
            "mishaps.2: .*needs a controller on a bench",
        ),
        (GOOD.replace("continuous", "shoe"), "mishaps = { 2 = 'jam' }", "mishaps.2: must be one"),
        (GOOD, f"mishaps = {{ 0 = 'jam' }}\n{BOARD[:-8]}", "mishaps.0: is not a round"),
    ],
)
def test_key_for_a_missing_jackpot_is_a_mistake(text: str, line: str, said: str) -> None:
    with pytest.raises(BadTablePlanError, match=said):
        plan_from(text.replace("players", f"{line}\nplayers", 1), Path("a.toml"))


def test_real_machine_allows_only_mishaps_that_people_cause() -> None:
    text = GOOD.replace("players", f"mishaps = {{ 1 = 'late-wager', 2 = 'jam' }}\n{BOARD}", 1)
    with pytest.raises(BadTablePlanError) as bad:
        plan_from(text, Path("a.toml"))
    assert [mistake.split(":")[0] for mistake in bad.value.mistakes] == ["mishaps.2"]


def test_options_and_files_describe_the_same_table() -> None:
    from_options = plan_text(
        {
            "rulebook": "nz-division-2",
            "decks": 6,
            "shuffler": "continuous",
            "players": [{"name": "Ana", "box": 1, "wager": 20, "side": {"push-22": 5}}],
            "table": {"min": 10, "max": 1000, "offers": {"push-22": "2"}},
        }
    )
    assert plan_from(from_options, Path("a.toml")) == plan_from(GOOD, Path("a.toml"))


def test_options_override_the_file() -> None:
    plan = plan_from(with_changes(GOOD, {"decks": 4, "rounds": 3}), Path("a.toml"))
    assert (plan.table.decks, plan.rounds) == (4, 3)


def test_top_level_option_keeps_the_files_sign() -> None:
    text = METERED + "meters = { blackjack-jackpots = 12000 }\n"
    plan = plan_from(with_changes(text, {"meters": "bench", "rounds": 3}), Path("a.toml"))
    assert plan.table.meters == {"blackjack-jackpots": 1_200_000}


def test_command_reports_mistakes_and_makes_no_folder(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(GOOD.replace("decks = 6", "decks = 9"))
    asked = ["table", "run", str(plan), "--folder", str(tmp_path / "table")]
    answer = CliRunner().invoke(app, asked)
    assert (answer.exit_code, "9 decks" in answer.output) == (2, True)
    assert not (tmp_path / "table").exists()


@pytest.mark.parametrize(("decks", "machine"), [(6, "carousel-60"), (4, "carousel-38")])
def test_a_table_without_cards_gets_a_machine_that_admits_its_pack(
    decks: int, machine: str
) -> None:
    text = GOOD.replace("decks = 6", f"decks = {decks}")
    assert plan_from(text, Path("t.toml")).cards == f"bench:{machine}"
