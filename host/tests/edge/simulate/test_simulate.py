"""`cutcard edge simulate`: the same rounds everywhere, intervals, refusals with a rule."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from statistics import pstdev

import pytest
from typer.testing import CliRunner

from cutcard.cli.edges.simulate import basic_strategy
from cutcard.cli.main import app
from cutcard.edge.side_bets import side_edges
from cutcard.edge.simulate import kernel
from cutcard.edge.simulate.figures import SURE, Shard, figures
from cutcard.edge.simulate.job import SHARD, Job, ready, run_shard
from cutcard.edge.simulate.running import played_shards, simulate
from cutcard.edge.strategy import BadStrategyError, as_json, read_strategy
from rng_certification.base.cluster import ClusterFailedError

BRITISH = Job("uk-blackjack", ("blackjack",), 6, basic_strategy())
ROUNDS = 3_000_000


def typed(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["edge", "simulate", *words])
    return done.exit_code, done.output


def test_number_of_cores_does_not_change_the_result() -> None:
    one, two = (simulate(BRITISH, ready(BRITISH), ROUNDS, cores=cores) for cores in (1, 2))
    assert one == two


def test_side_wager_has_its_exact_edge() -> None:
    job = replace(BRITISH, sides={"perfect-pairs": ("", 100), "21-plus-3": ("", 100)})
    found, _ = simulate(job, ready(job), ROUNDS)
    for side in found.sides:
        exact = float(next(iter(side_edges("uk-blackjack", side.bet, 6))).edge)
        assert abs(side.edge.value - exact) < 5 * side.edge.error


def test_nine_wagers_on_one_dealers_hand_have_the_error_of_one() -> None:
    job = Job(
        "crown-melbourne-26", ("blackjack",), 8, basic_strategy(), sides={"buster": ("a", 100)}
    )
    one, nine = (simulate(each, ready(each), 50_000)[0] for each in (job, replace(job, boxes=9)))
    assert nine.sides[0].edge.error == pytest.approx(one.sides[0].edge.error, rel=0.3)
    assert sum(nine.sides[0].rows.values()) == 9 * 50_000


def test_intervals_of_a_shoe_use_entire_shards() -> None:
    """Shards with identical results have no error, whatever their rounds were."""
    job = replace(BRITISH, dealing="shoe", sides={"perfect-pairs": ("", 100)})
    made = ready(job)
    shards, _ = played_shards(job, 8192)
    found = figures(job, made.bets, made.sides, shards * 2)
    assert (found.edge.error, found.with_insurance.error, found.sides[0].edge.error) == (0, 0, 0)


def test_interval_with_insurance_uses_the_sum_of_both_wagers() -> None:
    insured = replace(read_strategy(BRITISH.strategy), insurance="always")
    job = replace(BRITISH, strategy=as_json(insured), boxes=2)
    made, data = ready(job), asdict(job)
    shards: list[Shard] = [run_shard(data, shard, 1) for shard in range(300)]
    found = figures(job, made.bets, made.sides, shards)
    nets = [
        (shard[0][kernel.MAIN] + shard[0][kernel.INSURANCE]) / (2 * job.stake) for shard in shards
    ]
    assert found.with_insurance.error == pytest.approx(pstdev(nets) / 300**0.5)
    assert found.with_insurance.error != found.edge.error


def test_side_wagers_do_not_change_the_main_game() -> None:
    job = replace(BRITISH, sides={"perfect-pairs": ("", 100)})
    with_side, _ = simulate(job, ready(job), 100_000)
    without, _ = simulate(BRITISH, ready(BRITISH), 100_000)
    assert with_side.edge == without.edge


def test_rounds_before_ctrl_c_are_printed_with_their_interval() -> None:
    def stop(rounds: int) -> None:
        raise KeyboardInterrupt

    found, whole = simulate(BRITISH, ready(BRITISH), ROUNDS, cores=1, played=stop)
    assert not whole
    assert 0 < found.rounds < ROUNDS
    assert found.edge.high - found.edge.low == pytest.approx(2 * SURE * found.edge.error)


def test_rounds_without_enough_cards_are_left_out_and_counted() -> None:
    job = replace(BRITISH, decks=1, boxes=9, dealing="shoe", cut=0.95)
    found, _ = simulate(job, ready(job), 100_000)
    assert found.out_of_cards > 0
    assert found.rounds + found.out_of_cards == 100_000


def test_shoe_is_shuffled_after_the_cutting_card() -> None:
    job = replace(BRITISH, dealing="shoe", cut=0.5)
    found, _ = simulate(job, ready(job), 100_000)
    cards_a_shoe = found.rounds * found.cards / found.shoes
    assert 0.5 * 312 <= cards_a_shoe <= 0.5 * 312 + 12


def test_ante_is_a_loss_of_the_most_that_the_rulebook_allows() -> None:
    code, said = typed("nz-division-2", "ante-up", "--decks", "6", "--rounds", "20000")
    assert code == 0
    assert "ante                  $1.25, counted as a loss" in said


def test_layout_is_printed_as_text_and_as_json() -> None:
    words = ("nz-division-2", "ante-up", "--decks", "6", "--rounds", "1000", "--blackjack", "6:5")
    _, said = typed(*words)
    _, result = typed(*words, "--json")
    assert "nz-division-2 ante-up, a Blackjack pays 6:5, 6 decks" in said
    table = json.loads(result.splitlines()[-1])
    assert (table["blackjack"], table["ante_cents"], table["forced_draw"]) == ("6:5", 125, False)


def test_side_wager_is_shown_with_its_pay_scale_and_stake() -> None:
    words = ("crown-melbourne-26", "--decks", "8", "--rounds", "1000", "--side", "buster/a=5")
    _, said = typed(*words)
    _, result = typed(*words, "--json")
    assert "\nbuster/a=5.00         " in said
    (side,) = json.loads(result.splitlines()[-1])["sides"]
    assert (side["bet"], side["choice"], side["stake_cents"]) == ("buster", "a", 500)


def test_json_has_the_figures() -> None:
    code, said = typed("uk-blackjack", "--decks", "6", "--rounds", "10000", "--json")
    assert code == 0
    result = json.loads(said.splitlines()[-1])  # after the progress lines, on a slow computer
    assert result["complete"]
    assert result["rounds"] == 10_000
    assert result["edge"]["low"] < result["edge"]["value"] < result["edge"]["high"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("uk-blackjack", "--decks", "9"), "blackjack-house-edge"),
        (("crown-melbourne-26", "vegas", "--decks", "8"), "12.3.1"),
        (("crown-melbourne-26", "roulette", "--decks", "8"), "no variant 'roulette'"),
        (("mbs-free-bet-3", "--decks", "6", "--boxes", "8"), "[7]"),
        (("nz-division-2", "--decks", "6", "--side", "house-money"), "house-money is not in the"),
        (("uk-blackjack", "--decks", "6", "--side", "buster"), "no side wager 'buster'"),
        (("uk-blackjack", "--decks", "6", "--blackjack", "6:5"), "a Blackjack pays 3:2, not 6:5"),
        (("uk-blackjack", "--decks", "6", "--blackjack", "banana"), "is not valid odds"),
        (("uk-blackjack", "--decks", "6", "--blackjack", "²:1"), "is not valid odds"),
        (("uk-blackjack", "--decks", "6", "--dealing", "wheel"), "every-round"),
        (("uk-blackjack", "--decks", "6", "--strategy", "nowhere.json"), "cannot be read"),
        (("uk-blackjack", "--decks", "6", "--forced-draw"), "no rule of uk-blackjack"),
        (("uk-blackjack", "--decks", "6", "--ante", "1"), "has none"),
        (
            ("nz-division-2", "ante-up", "--decks", "6", "--ante", "0"),
            "use dollars and cents, above 0",
        ),
        (("uk-blackjack", "--decks", "6", "--cut", "0.5"), "requires a shoe"),
        (("uk-blackjack", "--decks", "6", "--meter", "gold=5"), "--meter gold: this table has"),
        (
            ("crown-melbourne-26", "--decks", "6", "--side", "supernova"),
            "--meter supernova-major=DOLLARS --meter supernova-minor=DOLLARS",
        ),
        (
            ("uk-blackjack", "--decks", "6", "--side", "perfect-pairs/z=5"),
            "perfect-pairs has no pay scales to choose from; leave /z out",
        ),
        (("uk-blackjack", "--decks", "6", "--side", "top-3=inf"), "write top-3=5"),
        (("uk-blackjack", "--decks", "6", "--meter", "gold=inf"), "write NAME=DOLLARS"),
        (
            ("uk-blackjack", "--decks", "6", "--boxes", "0"),
            "--boxes 0: the simulator supports 1 to 9",
        ),
        (("uk-blackjack", "--decks", "6", "--cores", "-1"), "--cores -1: use 1 or more"),
        (("uk-blackjack", "--decks", "6", "--side", "top-3", "--side", "top-3=5"), "given twice"),
        (
            ("crown-melbourne-26", "--decks", "8", "--side", "buster"),
            "its choices are 'a', 'b'",
        ),
    ],
)
def test_unsupported_game_is_refused_with_the_reason(words: tuple[str, ...], reason: str) -> None:
    code, said = typed(*words)
    assert code == 2
    assert reason in said


def test_gap_in_a_strategy_is_named_by_its_hand(tmp_path: Path) -> None:
    data = json.loads(basic_strategy())
    data["money"]["hard"]["14"] = "S S S S S H H"
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data))
    code, said = typed("uk-blackjack", "--decks", "6", "--strategy", str(file))
    assert code == 2
    assert "hard 14 against 9 is missing" in said


def test_strategy_that_stands_on_a_forced_draw_is_refused(tmp_path: Path) -> None:
    data = json.loads(basic_strategy())
    data["money"]["hard"]["8"] = " ".join("S" * 10)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(data))
    code, said = typed("nz-division-2", "--decks", "6", "--strategy", str(file))
    assert code == 2
    assert "hard 8 against 2" in said


@pytest.mark.parametrize(
    ("made_for", "said"),
    [
        (
            {"rulebook": "crown-melbourne-26", "variants": ["crown-pontoon"], "decks": 8},
            "it has rulebook crown-melbourne-26, variants crown-pontoon, decks 8",
        ),
        ({"rulebook": "uk-blackjack", "rules_of_ones_own": {"a.b": 1}}, "it has rules_of_ones_own"),
        ({"rulebook": "uk-blackjack", "variants": ["blackjack"], "decks": 6}, ""),
        ("whom it may concern", ""),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "machines"])
def test_strategy_for_another_game_is_played_with_a_warning(
    command: str, made_for: object, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # no machine: the command ends there
    monkeypatch.setattr("cutcard.cli.edges.machines.shipped", list)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(json.loads(basic_strategy()) | {"for": made_for}))
    words = ["edge", command, "uk-blackjack", "--decks", "6", "--rounds", "1000"]
    ended = ["--machine", "none"] if command == "machines" else []
    done = CliRunner().invoke(app, [*words, "--strategy", str(file), *ended])
    assert ("was written for another game" in done.stderr) == bool(said)
    assert said in done.stderr


def test_strategy_is_written_as_it_was_read() -> None:
    strategy = read_strategy(basic_strategy())
    assert read_strategy(as_json(strategy)) == strategy


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"money": {}}, "hard 4 against 2 is missing"),
        ({"insurance": "sometimes"}, "when it gains"),
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"exceptions": [{"up": "T", "cards": "A-4", "do": "X"}]}, "'X' is no way"),
    ],
)
def test_invalid_strategy_names_its_error(change: dict[str, object], reason: str) -> None:
    with pytest.raises(BadStrategyError, match=reason):
        read_strategy(json.dumps(json.loads(basic_strategy()) | change))


@pytest.mark.parametrize("text", ["[" * 100_000, '{"money": {}, "money": {}}', "1" * 5000])
def test_hostile_strategy_is_refused_by_a_sentence(text: str) -> None:
    with pytest.raises(BadStrategyError, match=r"^(it|the key) "):
        read_strategy(text)


@pytest.mark.soak
def test_cluster_gives_the_same_numbers() -> None:
    distributed = pytest.importorskip("distributed")
    here = simulate(BRITISH, ready(BRITISH), ROUNDS)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        there = simulate(BRITISH, ready(BRITISH), ROUNDS, scheduler=address)
    assert there == here


def test_missing_scheduler_is_named() -> None:
    code, said = typed("uk-blackjack", "--decks", "6", "--scheduler", "nowhere")
    assert code == 2
    assert "--scheduler: no Dask scheduler answers at nowhere: missing port number" in said


def test_rounds_before_the_loss_of_a_cluster_are_printed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def goes_away(
        scheduler: str, work: Callable[..., Shard], arguments: list[tuple[object, ...]]
    ) -> Iterator[tuple[int, Shard]]:
        yield 0, work(*arguments[0])
        raise ClusterFailedError(f"the Dask cluster at {scheduler} went away")

    monkeypatch.setattr("cutcard.edge.simulate.running.on_cluster", goes_away)
    words = ("uk-blackjack", "--decks", "6", "--rounds", "2_000_000", "--scheduler", "tcp://far:1")
    done = CliRunner().invoke(app, ["edge", "simulate", *words, "--json"])

    assert done.exit_code == 1
    result = json.loads(done.stdout)
    assert (result["complete"], result["rounds"]) == (False, SHARD)
    assert "the Dask cluster at tcp://far:1 went away" in done.stderr


@pytest.mark.parametrize("command", ["simulate", "machines"])
def test_too_few_rounds_for_an_interval_are_refused(command: str) -> None:
    words = ["edge", command, "uk-blackjack", "--decks", "6", "--rounds", "999"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "--rounds 999: from 1,000" in " ".join(done.output.split())


def test_output_fits_a_terminal() -> None:
    code, said = typed(
        *("crown-melbourne-26", "blackjack", "--decks", "8", "--rounds", "1000"),
        *("--side", "buster/a=5"),
    )
    assert code == 0
    assert "of the initial wager" in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80
