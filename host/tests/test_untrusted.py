"""Untrusted text is parsed correctly, or refused with a sentence: no crash, no hang."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutcard
import rng_certification
from cutcard import untrusted
from cutcard.untrusted import BadContentError, content, file_beside, json_from, shown, toml_from

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@given(PLAIN)
def test_plain_json_is_parsed_unchanged(value: Any) -> None:
    assert json_from(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"verdict": "fail", "verdict": "pass"}', "the key 'verdict' is given twice"),
        ('[{"a": {"b": 1, "b": 1}}]', "the key 'b' is given twice"),
        ("[" * 100_000, "deeper than 40"),
        ("[" * 41 + "]" * 41, "deeper than 40"),
        ('{"a":' * 50 + "1" + "}" * 50, "deeper than 40"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("[1e999]", "inf"),
        ("1" * 5000, "thousands of digits"),
        (f"[{10**40}]", "64 bits"),
        ('["\\ud800"]', "surrogate"),
        ('{"\\ud800": 1}', "surrogate"),
        ("[1,]", "line 1, column 4"),
        ("\n\n{", "line 3, column 2"),
    ],
)  # fmt: skip
def test_invalid_json_is_refused_with_reason_and_place(text: str, problem: str) -> None:
    with pytest.raises(BadContentError, match=problem):
        json_from(text)


def test_too_many_values_are_refused_before_parsing() -> None:
    with pytest.raises(BadContentError, match="values"):
        json_from("[" + "[]," * untrusted.MOST_VALUES + "[]]")


def test_text_that_is_not_utf_8_is_refused_with_its_line() -> None:
    with pytest.raises(BadContentError, match="line 2: it is not UTF-8"):
        json_from(b'["a",\n"\xff"]')


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a = " + "[" * 100_000, "line 1: it is nested"),
        ("\na = " + "{b = " * 50_000, "line 2: it is nested"),
        (".".join("a" * 200_000) + " = 1", "line 1: a key has more"),
        ("[" + ".".join("a" * 200_000) + "]", "a key has more"),
        ('"a"."b".' * 20_000 + "c = 1", "a key has more"),
        ("a = {" + ".".join("b" * 100_000) + " = 1}", "a key has more"),
        ('x = """a""""\nb = ' + "[" * 10_000, "line 2: it is nested"),
        ("x = '''a'''''\nb = " + "[" * 10_000, "line 2: it is nested"),
        ('x = """\\""" # """\nb = ' + "[" * 10_000, "line 2: it is nested"),
        ("# it's\nb = " + "[" * 10_000, "line 2: it is nested"),
        ("a = inf", "not a valid number"),
        ("a = nan", "not a valid number"),
        ("a = 0x" + "f" * 9000, "64 bits"),
        ("a = " + "1" * 9000, "not TOML"),
        ('a = "\\u001B[2J"', "control character"),
        ('"\\u001B" = 1', "control character"),
        ("a = 1\na = 2", "not TOML"),
        ('a = "', "not TOML"),
    ],
)  # fmt: skip
def test_invalid_toml_is_refused_with_reason_and_place(text: str, problem: str) -> None:
    with pytest.raises(BadContentError, match=problem):
        toml_from(text)


def test_dots_and_brackets_in_strings_do_not_count_as_nesting() -> None:
    text = 'a = "' + "x.[{" * 5000 + '"\nb = """\n' + "1.2.[\n" * 500 + '"""\nc = 1.5\n'
    assert toml_from(text)["c"] == 1.5


def test_exact_numbers_are_bounded_too() -> None:
    assert toml_from("a = 1.10", exact=True) == {"a": Decimal("1.10")}
    with pytest.raises(BadContentError, match="is not a usable number"):
        toml_from("a = 1e999999999", exact=True)


@given(st.text(st.sampled_from("a.=[]{}\"'\\#\n ,1"), max_size=200))
def test_any_text_is_toml_or_is_refused(text: str) -> None:
    with suppress(BadContentError):
        toml_from(text)


def test_file_is_read_only_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(1025))
    assert len(content(file, 1025)) == 1025
    with pytest.raises(BadContentError, match="longer than 1 KiB"):
        content(file, 1024)
    with pytest.raises(BadContentError, match="longer"):
        content(Path("/dev/zero"), 1024)


class TestFileBeside:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "folder"
        (folder / "parts").mkdir(parents=True)
        (folder / "parts" / "a.json").write_text("{}")
        (tmp_path / "secret").write_text("mine")
        return folder

    def test_a_file_in_the_folder_is_found(self, folder: Path) -> None:
        assert file_beside(folder, "parts/a.json").read_text() == "{}"

    @pytest.mark.parametrize(
        "name", ["../secret", "/etc/passwd", "parts/../../secret", "", ".", "parts//a.json", "a\0b"]
    )
    def test_name_that_leaves_the_folder_is_refused(self, folder: Path, name: str) -> None:
        with pytest.raises(BadContentError, match="leads out"):
            file_beside(folder, name)

    def test_link_is_refused_at_any_part_of_the_path(self, folder: Path) -> None:
        (folder / "link.json").symlink_to(folder.parent / "secret")
        (folder / "linked").symlink_to(folder / "parts")
        for name in ("link.json", "linked/a.json"):
            with pytest.raises(BadContentError, match="link"):
                file_beside(folder, name)

    def test_file_that_is_not_regular_is_refused(self, folder: Path) -> None:
        os.mkfifo(folder / "pipe")
        for name in ("pipe", "parts"):
            with pytest.raises(BadContentError, match="not a regular file"):
                file_beside(folder, name)
        for name in ("nothing", "x" * 300, f"{'x' * 300}/a.json"):
            with pytest.raises(BadContentError, match="missing"):
                file_beside(folder, name)


@pytest.mark.parametrize("text", ["", "²", "\u0661", "-1", "+1", " 1", "1_0", "1.0", "1" * 13])
def test_number_must_be_a_few_plain_digits(text: str) -> None:
    assert untrusted.whole_number(text) is None
    assert (untrusted.whole_number("007"), untrusted.whole_number("1" * 12)) == (7, int("1" * 12))


def test_shown_text_has_no_control_characters_and_is_cut() -> None:
    assert shown("a\x1b[2K\rVERIFIED\x9b") == "a\\x1b[2K\\rVERIFIED\\x9b"
    assert len(shown("x" * 10_000)) == 120
    assert shown({"a": 1}) == "{'a': 1}"


class TestNoOtherWay:
    """A new command that parses a file cannot bypass the rules of this module."""

    PARSERS = ("json.load", "json.loads", "tomllib.load", "tomllib.loads")
    # Readers of files shipped with cutcard, or of output of processes that it starts.
    OWN = (
        "cutcard/bench/__main__.py",  # the arguments of a bench, from the bench
        "cutcard/bench/client.py",  # answers of a bench started here
        "cutcard/bench/folder.py",  # a device's folder; other tests cover damage
        "cutcard/cases/collection.py",
        "cutcard/chip/emulator.py",  # answers of an emulator started here
        "cutcard/chip/snapshot.py",  # files in the user's cache
        "cutcard/cli/doctor.py",  # the package file of the emulator that npm installed here
        "cutcard/cli/edges/game.py",  # text that was written a line before
        "cutcard/console/bench/machine.py",  # arguments from the starting program
        "cutcard/console/bench/table.py",  # output of the machine that it started
        "cutcard/console/bench/viewers.py",  # output of the server that it started
        "cutcard/edge/game/published.py",
        "cutcard/edge/game/stored_sides.py",
        "cutcard/edge/game/sweep.py",
        "cutcard/faults/__init__.py",
        "cutcard/meters/ledger.py",  # one row at a time, of limited length, each error reported
        "cutcard/rulebooks/readings.py",
        "cutcard/rulebooks/register/entries.py",
        "cutcard/rulebooks/schema.py",
        "cutcard/rulebooks/wording/__init__.py",
        "cutcard/table/replay/replay_log.py",  # text that was written a line before
        "cutcard/tournament/schedule.py",
        "cutcard/tournament/terms.py",
        "cutcard/untrusted.py",
        "rng_certification/campaign/declared.py",
        "rng_certification/campaign/layers.py",
        "rng_certification/continuous/kept_laws.py",  # files in the user's cache
        "rng_certification/known/measuring.py",
        "rng_certification/known/page.py",
        "rng_certification/planted/power.py",
        "rng_certification/report/content.py",
        "rng_certification/report/evaluation.py",
        "rng_certification/report/glossary.py",
        "rng_certification/report/planted.py",
    )

    def test_no_other_module_parses_untrusted_files(self) -> None:
        roots = [Path(package.__path__[0]).parent for package in (cutcard, rng_certification)]
        assert sorted(set(self._parsing(roots))) == sorted(self.OWN)

    def _parsing(self, roots: list[Path]) -> Iterator[str]:
        for root, package in zip(roots, ("cutcard", "rng_certification"), strict=True):
            for path in (root / package).rglob("*.py"):
                name = path.relative_to(root).as_posix()
                if "/tests/" in name:
                    continue
                for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                    if isinstance(node, ast.Call) and ast.unparse(node.func) in self.PARSERS:
                        yield name
