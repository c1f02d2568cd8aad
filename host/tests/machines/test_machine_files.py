"""One file describes a machine; every mistake in it is reported."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cutcard.cli.boards.machine_command import app
from cutcard.machines import MachineFileError, find, load, shipped, spec_text
from cutcard.machines.legs import ways

CAROUSEL = """
name = "mine"
kind = "shuffler"
mechanism = "carousel"
[bins]
count = 20
capacity = 10
[chute]
low = 4
high = 10
[decks]
most = 3
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text)
    return file


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(MachineFileError) as caught:
        load(written(folder, text))
    return caught.value.problems


def spec(name: str, board: str = "") -> Any:
    names: dict[str, Any] = {}
    exec(spec_text(find(name), board), names)
    return SimpleNamespace(**names)


@pytest.mark.parametrize("file", shipped(), ids=lambda file: file.stem)
def test_every_machine_that_ships_is_sound_and_named_as_its_file(file: Path) -> None:
    assert load(file).name == file.stem


def test_list_of_shipped_machines_is_complete() -> None:
    assert [file.stem for file in shipped()] == [
        "carousel-38",
        "carousel-44",
        "carousel-60",
        "controller-4",
        "drum-60",
        "elevator-8",
        "shelves-10",
        "shoe-8",
        "slots-416",
    ]


def test_minimal_machine_file_is_valid(tmp_path: Path) -> None:
    machine = load(written(tmp_path, CAROUSEL))
    assert (machine.name, machine.continuous, machine.whole("timing.debounce")) == (
        "mine",
        True,
        15,
    )


def test_a_machine_is_found_by_the_path_of_its_file(tmp_path: Path) -> None:
    assert find(str(written(tmp_path, CAROUSEL))).name == "mine"


def test_unknown_machine_is_rejected_with_the_known_names() -> None:
    with pytest.raises(MachineFileError, match=r"caroussel: no machine .* carousel-38"):
        find("caroussel")


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("count = 20", "count = 0", "bins.count = 0: a shuffler needs at least 1"),
        ("count = 20", "count = 9999", "bins.count = 9999: must be an integer from 0 to 512"),
        ("count = 20", "count = true", "bins.count = True: must be an integer"),
        ("count = 20", "cuont = 20", "bins.cuont = 20: unknown key; did you mean bins.co"),
        ("count = 20", "size = 20", "bins.size = 20: unknown key; use one of bins.count"),
        ("most = 3", "most = 5", "decks.most = 5: 260 cards do not fit into 20 bins of 10"),
        ("most = 3", "most = 3\npacks = [54]", "decks.packs = [54]: must be a list of some of 48"),
        ("most = 3", "", "decks.most is missing: it must be an integer from 1 to 8"),
        ("low = 4", "low = 10", "chute.low = 10: must be above 0 and below chute.high (10)"),
        ('"carousel"', '"wheel"', "mechanism = 'wheel': must be one of carousel"),
        ('"carousel"', '"stack"', "mechanism = 'stack': a shoe has mechanism stack"),
        ('"carousel"', '"slots"', "bins.capacity = 10: a slot holds 1 card"),
        (
            "capacity = 10",
            "capacity = 128",
            "bins.capacity = 128: a bin of a carousel holds at most 127 cards",
        ),
        ('"mine"', '"my machine"', "name = 'my machine': must be letters, digits and dashes"),
        ("[decks]", "[noise]\nentropy = 1.5\n[decks]", "noise.entropy = 1.5: must be a number"),
        ("[decks]", "[noise]\nentropy = 0.01\n[decks]", "noise.entropy = 0.01: at 0.01 bits"),
        (
            "[decks]",
            "[timing]\nentry_seen = 2000\n[decks]",
            "timing.entry_seen = 2000: must not be above timing.entry_retry (1000)",
        ),
    ],
)
def test_mistake_names_key_value_and_allowed_values(
    tmp_path: Path, before: str, after: str, problem: str
) -> None:
    assert any(
        found.startswith(problem) for found in problems(tmp_path, CAROUSEL.replace(before, after))
    )


WEIGHTS = """
[weights.104]
in = [9, 8, 7, 6, 5, 4, 3, 2, 1, 1]
out = [1, 2, 3, 4, 5, 6, 7, 8, 9, 255]
"""


def test_a_machine_with_weights_admits_the_packs_that_have_a_row(tmp_path: Path) -> None:
    machine = load(written(tmp_path, CAROUSEL + WEIGHTS))
    assert machine.admitted() == [(2, 52)]
    assert machine.row(104).out[-1] == 255
    with pytest.raises(ValueError, match="no pack of 52 cards"):
        machine.row(52)
    assert "ROWS = (104,)" in spec_text(machine)


def test_without_weights_all_bins_are_equal_and_all_packs_are_admitted(tmp_path: Path) -> None:
    machine = load(written(tmp_path, CAROUSEL))
    assert machine.row(52) == ((1,) * 10, (1,) * 10)
    assert len(machine.admitted()) == 6


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("9, 8, 7", "9, 7", "weights.104.in = [9, 7, 6, 5, 4, 3, 2, 1, 1]: must be 10 integers"),
        ("255", "256", "weights.104.out = [1, 2, 3, 4, 5, 6, 7, 8, 9, 256]: must be 10 integers"),
        ("[9,", "[0,", "weights.104.in = [0, 8, 7, 6, 5, 4, 3, 2, 1, 1]: must be 10 integers"),
        ("[9,", "[true,", "weights.104.in = [True, 8,"),
        ("104", "105", "weights.105: not a pack of decks.most and decks.packs; use 48, 52, 96"),
        ("104", "many", "weights.many: not a pack of decks.most"),
        ("in =", "into =", "weights.104: must have exactly the keys `in` and `out`"),
        ("[weights.104]", "[weights]", "weights.in: not a pack of decks.most"),
    ],
)
def test_invalid_weights_are_reported_with_their_pack(
    tmp_path: Path, before: str, after: str, problem: str
) -> None:
    text = CAROUSEL + WEIGHTS.replace(before, after)
    assert any(found.startswith(problem) for found in problems(tmp_path, text))


def test_only_a_carousel_has_weights_and_ejects_single_cards(tmp_path: Path) -> None:
    slots = CAROUSEL.replace('"carousel"', '"slots"').replace("capacity = 10", "capacity = 1")
    slots = slots.replace("count = 20", "count = 200").replace("[chute]\nlow = 4\nhigh = 10", "")
    assert problems(tmp_path, slots + WEIGHTS) == [
        "weights: only a carousel chooses bins by weights"
    ]
    single = slots.replace("[bins]", 'ejection = "single"\n[bins]')
    assert problems(tmp_path, single) == [
        "ejection = 'single': only a carousel ejects single cards"
    ]


def test_legs_of_a_turn_must_reach_every_bin(tmp_path: Path) -> None:
    text = CAROUSEL + "[motor]\nlegs = [10, 5, 3, 1]\n"
    (problem,) = problems(tmp_path, text)
    assert "[10, 5, 3, 1]: no turn with these legs moves the wheel by " in problem
    odd = CAROUSEL + "[motor]\nlegs = [10, 5, 2, 1]\nsteps_bin = 15\n"
    assert "motor.steps_bin = 15: must be even if turns have legs" in problems(tmp_path, odd)[0]
    assert load(written(tmp_path, CAROUSEL)).legs == ()


@pytest.mark.parametrize("file", shipped(), ids=lambda file: file.stem)
def test_legs_of_every_machine_reach_every_bin(file: Path) -> None:
    machine = load(file)
    if not machine.legs:
        return
    back = ways(machine.legs, machine.positions)
    gone = [
        sum(-leg if back[bins] >> i & 1 else leg for i, leg in enumerate(machine.legs))
        for bins in range(machine.positions)
    ]
    assert [halves % (2 * machine.positions) for halves in gone] == [
        2 * bins for bins in range(machine.positions)
    ]


def test_all_mistakes_are_reported_at_once(tmp_path: Path) -> None:
    text = CAROUSEL.replace("count = 20", "count = -1").replace("most = 3", "most = 9")
    assert [problem.split(" ")[0] for problem in problems(tmp_path, text)] == [
        "bins.count",
        "decks.most",
    ]


MISSPELLED = """
name = "my machine"
kind = "shufler"
mechanism = "carousell"
[bin]
count = 20
capacity = 10
[chute]
low = 12
high = 10
[decks]
mots = 9
[timing]
entry_seen = 2000
legs = [1]
[pins.picco]
entry = 12
[pins.pico]
link_tx = 25
"""


def test_check_reports_every_mistake_in_one_run_with_suggestions(tmp_path: Path) -> None:
    found = problems(tmp_path, MISSPELLED)
    assert [problem for problem in found if " is missing: " not in problem] == [
        "[bin]: unknown table; did you mean [bins]?",
        "decks.mots = 9: unknown key; did you mean decks.most?",
        "timing.legs = [1]: unknown key; did you mean motor.legs?",
        "name = 'my machine': must be letters, digits and dashes, at most 24 characters",
        "kind = 'shufler': must be one of shuffler, shoe, controller; did you mean shuffler?",
        "mechanism = 'carousell': must be one of carousel, shelves, slots, stack; "
        "did you mean carousel?",
        "decks.most = 9: must be an integer from 1 to 8",
        "chute.low = 12: must be above 0 and below chute.high (10)",
        "timing.entry_seen = 2000: must not be above timing.entry_retry (1000)",
        "motor.legs = [1]: no turn with these legs moves the wheel by 0, 1, 2, 3, ... bins",
        "pins.picco: unknown board; did you mean pins.pico?",
        "pins.pico.link_tx = 25: must be a GPIO, 0 to 22 or 26 to 28",
    ]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("count = 20", "count = 0", ["bins.count", "decks.most", "pins.pico.lever"]),
        ("low = 4", "low = 11", ["chute.low", "pins.pico.lever"]),
        ("count = 20", "count = -1", ["bins.count", "pins.pico.lever"]),
        ('mechanism = "carousel"', "", ["mechanism", "pins.pico.lever"]),
        ("most = 3", "most = 9", ["decks.most", "pins.pico.lever"]),
    ],
)
def test_check_reports_values_rules_and_pins_together(
    tmp_path: Path, before: str, after: str, found: list[str]
) -> None:
    pins = find("carousel-38").pins["pico"]
    wiring = "\n".join(f"{name} = {gpio}" for name, gpio in pins.items())
    text = CAROUSEL.replace(before, after) + f"[pins.pico]\n{wiring}\nlever = 22\n"
    assert [problem.split(" ")[0] for problem in problems(tmp_path, text)] == found


def test_check_suggests_the_pin_for_a_misspelled_one(tmp_path: Path) -> None:
    pins = find("carousel-38").pins["pico"]
    wiring = "\n".join(f"{name.replace('entry', 'etnry')} = {gpio}" for name, gpio in pins.items())
    assert problems(tmp_path, f"{CAROUSEL}\n[pins.pico]\n{wiring}\n") == [
        f"pins.pico.etnry = {pins['entry']}: a shuffler has no such pin; did you mean entry?"
    ]


def test_a_controller_has_no_weights(tmp_path: Path) -> None:
    text = '\nname = "mine"\nkind = "controller"\n[weights.52]\nin = [1]\nout = [1]\n'
    assert problems(tmp_path, text) == ["weights: only a carousel chooses bins by weights"]


@pytest.mark.parametrize(
    ("pins", "problem"),
    [
        ("link_tx = 25", "pins.pico.link_tx = 25: must be a GPIO, 0 to 22 or 26 to 28"),
        ("feed = 6\neject = 6", "pins.pico.eject = 6: feed already has this GPIO"),
        ("lever = 3", "pins.pico.lever = 3: a shuffler has no such pin"),
        ("link_tx = 0", "pins.pico.entry is missing: a shuffler needs it"),
    ],
)
def test_impossible_wiring_is_reported_by_pin(tmp_path: Path, pins: str, problem: str) -> None:
    assert problem in problems(tmp_path, f"{CAROUSEL}\n[pins.pico]\n{pins}\n")


def test_invalid_toml_is_reported_with_its_line(tmp_path: Path) -> None:
    assert "line 2" in problems(tmp_path, "\nname: mine\n")[0]


def test_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MachineFileError, match="cannot be read: No such file"):
        load(tmp_path / "none.toml")


def test_compiled_machine_has_the_real_figures_as_defaults() -> None:
    made = spec("carousel-38")
    assert (made.BINS, made.CAPACITY, made.CHUTE_LOW, made.CHUTE_HIGH) == (38, 10, 8, 18)
    assert (made.DEBOUNCE, made.ENTRY_SEEN, made.ENTRY_RETRY, made.ENTRY_CLEAR) == (
        15,
        400,
        1000,
        1000,
    )
    assert (made.EXIT_SEEN, made.EXIT_VIBRATE, made.DOUBLE) == (200, 300, 130)
    assert (made.RCT, made.APT, made.LAG, made.SAMPLES) == (751, 1022, 1023, 8000)
    assert (made.PACKS, made.CONTINUOUS) == ((52, 48), True)


def test_pins_are_compiled_for_the_requested_board() -> None:
    assert spec("carousel-38").PINS == {}
    assert spec("carousel-38", "pico").PINS["entry"] == 12


def unwrapped(text: str) -> str:
    """Return an output in one line: its line breaks depend on the path of the test's folder."""
    return " ".join(text.split())


def test_check_exits_1_with_every_problem(tmp_path: Path) -> None:
    file = written(tmp_path, CAROUSEL.replace("most = 3", "most = 9"))
    result = CliRunner().invoke(app, ["check", str(file), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["problems"] == [
        "decks.most = 9: must be an integer from 1 to 8"
    ]


def test_check_exits_0_with_the_name(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["check", str(written(tmp_path, CAROUSEL))])
    assert result.exit_code == 0
    assert "mine is a shuffler" in unwrapped(result.stdout)


def test_check_of_a_machine_without_pins_reports_bench_only(tmp_path: Path) -> None:
    file = str(written(tmp_path, CAROUSEL))
    output = unwrapped(CliRunner().invoke(app, ["check", file]).stdout)
    assert "bench only: it has no pins" in output
    assert "can be built (" not in output
    answer = json.loads(CliRunner().invoke(app, ["check", file, "--json"]).stdout)
    assert (answer["bench_only"], answer["runs_on"]) == (True, ["bench"])


def test_check_names_the_boards_of_a_machine_that_has_pins() -> None:
    file = str(find("carousel-38").file)
    output = unwrapped(CliRunner().invoke(app, ["check", file]).stdout)
    assert "can be built (pico)" in output


@pytest.mark.parametrize(
    ("machine", "options", "problem"),
    [
        (CAROUSEL, ["--compiled", "--board", "pico"], "it has no boards: it is bench only"),
        ("carousel-38", ["--compiled", "--board", "picasso"], "no pins for a board 'picasso'"),
        ("carousel-38", ["--board", "pico"], "requires --compiled"),
        ("carousel-38", ["--toml", "--compiled"], "cannot be combined with --toml"),
    ],
)
def test_show_rejects_a_board_without_pins(
    tmp_path: Path, machine: str, options: list[str], problem: str
) -> None:
    name = str(written(tmp_path, machine)) if "\n" in machine else machine
    result = CliRunner().invoke(app, ["show", name, *options])
    assert result.exit_code == 2
    assert problem in result.stderr


def test_show_prints_the_machine_file_as_a_template(tmp_path: Path) -> None:
    text = CliRunner().invoke(app, ["show", "carousel-38", "--toml"]).stdout
    own = load(written(tmp_path, text))
    assert (own.values, own.pins) == (find("carousel-38").values, find("carousel-38").pins)


def test_show_of_an_unknown_machine_exits_with_2() -> None:
    assert CliRunner().invoke(app, ["show", "none"]).exit_code == 2


def test_list_names_every_machine() -> None:
    result = CliRunner().invoke(app, ["list", "--json"])
    rows = json.loads(result.stdout)
    assert [row["name"] for row in rows] == [file.stem for file in shipped()]
    assert all(row["runs_on"] == ["bench", "pico"] for row in rows)


def test_listening_test_needs_enough_legs_and_a_hidden_direction(tmp_path: Path) -> None:
    quiet = CAROUSEL + '[sound]\ndirection = "hidden"\n'
    assert load(written(tmp_path, quiet + "tested = [10000, 5200]\n")).values["sound.tested"] == [
        10000,
        5200,
    ]
    for wrong in ("[10]", "[100, 50]", "[2000, 3000]"):
        (problem,) = problems(tmp_path, quiet + f"tested = {wrong}\n")
        assert "must be [legs, legs guessed right], with at least 1,000 legs" in problem
    (problem,) = problems(tmp_path, CAROUSEL + "[sound]\ntested = [2000, 1000]\n")
    assert "an audible direction needs no test" in problem
