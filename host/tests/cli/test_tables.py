"""Every table that a command prints fits a terminal of 80 columns, and cuts no word."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.columns import show_table, wrapped
from tests.pages.blocks import ROOT

KEY = "a-rather-long-name-of-a-key"
HEX = "1c6d6799a8259710f9b0dd4cd91a42c7ef4f9f6ed36b67bb2f088d20b6d4ee8d"
# Every module that prints a table, and the commands that show each of them.
COMMANDS = {
    "cli/devices/device_list.py": [["devices", "--ask", "no-such-bench/port"]],
    "cli/doctor.py": [["doctor"]],
    "cli/edges/beside.py": [],  # half a minute if the code is not compiled yet
    "cli/edges/counting.py": [
        ["edge", "counting", "uk-blackjack", "--decks", "6", "--rounds", "20000"]
    ],
    "cli/edges/game.py": [["edge", "game", "uk-blackjack", "--decks", "6"]],
    "cli/edges/machines.py": [],  # minutes
    "cli/edges/side.py": [
        ["edge", "prizes", "crown-melbourne-26"],
        ["edge", "side", "mbs-free-bet-3", "--decks", "6"],
    ],
    "cli/edges/sweep.py": [["edge", "sweep"]],
    "cli/boards/flash.py": [],  # hil_tests/test_flash.py: it needs a board
    "cli/boards/image.py": [["image", "verify", "{image}"]],
    "cli/boards/keys.py": [["keys", "list"]],
    "cli/boards/machine_command.py": [["machine", "list"], ["machine", "show", "carousel-38"]],
    "cli/boards/machine_assess.py": [["machine", "assess", "shelves-10", "--pack", "52"]],
    "cli/meters/meter_command.py": [["meter", "show"]],
    "cli/tables/person.py": [["person", "list"]],
    "cli/meters/prize.py": [["prize", "table"]],
    "cli/rulebooks/register.py": [
        ["rulebook", "register", "uk-blackjack"],
        ["rulebook", "readings"],
    ],
    "cli/rulebooks/check.py": [["rulebook", "keys"]],
    "cli/rulebooks/rulebook_command.py": [
        ["rulebook", "list"],
        ["rulebook", "diff", "nz-division-2/free-bet", "crown-melbourne-26", "vegas"],
        ["rulebook", "show", "crown-melbourne-26"],
        ["rulebook", "show", "nz-division-2", "style-a"],
    ],
    "cli/rulebooks/rulings.py": [["rulings", "--irregularity", "malfunction"]],
    "cli/tables/tournament.py": [
        ["tournament", "schedule", "98"],
        ["tournament", "check", "{terms}"],
    ],
    "rng_certification/cli/battery.py": [],  # dieharder: minutes; the same columns as given_data
    "rng_certification/cli/campaign.py": [],  # a whole campaign: `make soak` types it
    "rng_certification/cli/given_data.py": [],  # docs/how-to/certify.md types it
    "rng_certification/cli/noise.py": [],
    "rng_certification/cli/report.py": [
        ["certify", "profiles"],
        ["certify", "profiles", "gli-19"],
        ["certify", "profiles", "shuffler"],
    ],
}
CASES = [words for each in COMMANDS.values() for words in each]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home folder with a key, an image, a meter and a terms file."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def made(home: Path) -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        _at(home, patch)
        for words in (
            ["keys", "make", KEY, "--purpose", "image"],
            ["person", "add", "Mia", "--title", "tg-assistant-casino-manager"],
            ["image", "build", "--board", "rp2", "--key", KEY, "-o", str(home / "image")],
            ["meter", "create", "city", "--meter", "blackjack-jackpots=10000@1.5%"],
        ):
            assert CliRunner().invoke(app, words).exit_code == 0
        terms = CliRunner().invoke(app, ["tournament", "blank"]).stdout
    (home / "terms.toml").write_text(terms)
    return {"image": str(home / "image"), "terms": str(home / "terms.toml")}


def _at(home: Path, patch: pytest.MonkeyPatch) -> None:
    patch.setenv("CUTCARD_HOME", str(home))
    patch.setenv("CUTCARD_METERS", str(home / "meters.sqlite"))
    patch.setenv("CUTCARD_PASSPHRASE", "a pass phrase")
    patch.setenv("COLUMNS", "80")


def too_wide(text: str) -> list[str]:
    """Return lines over 80 columns with more than one word: a digest or a path cannot be broken."""
    return [
        line for line in text.splitlines() if cell_len(line.rstrip()) > 80 and " " in line.strip()
    ]


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_table_fits_eighty_columns(
    words: list[str], home: Path, made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _at(home, monkeypatch)
    narrow = CliRunner().invoke(app, [word.format(**made) for word in words])
    assert narrow.exit_code in (0, 1), narrow.output
    assert not too_wide(narrow.stdout)
    assert "…" not in narrow.stdout


@pytest.mark.parametrize("words", CASES, ids=" ".join)
def test_table_has_the_same_words_on_a_narrow_and_a_wide_terminal(
    words: list[str], home: Path, made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _at(home, monkeypatch)
    typed = [word.format(**made) for word in words]
    narrow = CliRunner().invoke(app, typed).stdout
    monkeypatch.setenv("COLUMNS", "1000")
    wide = CliRunner().invoke(app, typed).stdout
    missing = _words(wide) - _words(narrow)
    assert not missing


def _words(text: str) -> set[str]:
    """Return the words without the frame, and without the colon of a heading within a line."""
    return {word.rstrip(":") for word in text.split() if word[0] not in "┏┡└├┃│━─╇┳┩┓╎┼┤┘"}


def test_all_modules_print_tables_with_show_table() -> None:
    """Rich's own tables cut words where there is no room."""
    folders = (ROOT / "host" / "cutcard", ROOT / "rng_certification")
    found = set()
    for folder in folders:
        for file in folder.rglob("*.py"):
            text = file.read_text("utf-8")
            if "rich.table" in text and file.name != "columns.py":
                raise AssertionError(f"{file} prints its own table: use show_table")
            if "show_table(" in text and file.name != "columns.py":
                found.add(str(file.relative_to(folder if folder.name == "cutcard" else ROOT)))
    assert found == set(COMMANDS)


def test_evening_fits_eighty_columns(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "cutcard.cli",
            *["table", "run", "--rounds", "5", "--folder", "ev"],
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not too_wide(done.stdout)


def test_player_name_is_not_interpreted_as_markup(tmp_path: Path) -> None:
    words = ["--rulebook", "nz-division-2", "--rounds", "1", "--player", "[/x]:1:20"]
    command = [sys.executable, "-m", "cutcard.cli", "table", "run", *words, "--folder", "ev"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "money: [/x] " in done.stdout


# The columns themselves


def shown(width: int, *rows: tuple[str | Text, ...]) -> str:
    console = Console(width=width, highlight=False, file=io.StringIO())
    show_table(("name", "what it is"), rows, title="Some things", console=console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_fitting_table_is_printed_as_a_table() -> None:
    assert "┃ name" in shown(40, ("one", "the first"))


def test_word_that_does_not_fit_prints_row_by_row() -> None:
    text = shown(80, ("key-1", HEX), ("key-2", "x" * 75))
    assert f"  what it is:\n    {HEX}" in text or f"  what it is: {HEX}" in text
    assert "┃" not in text


def test_square_brackets_are_not_markup() -> None:
    assert "[16.13]" in shown(40, ("ruling", "void-hands [16.13]"))


def test_text_is_broken_only_between_words() -> None:
    lines = wrapped("one two-and-a-half three", 10, later="  ")
    assert lines == ["one", "  two-and-a-half", "  three"]
