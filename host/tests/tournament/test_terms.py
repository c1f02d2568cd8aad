"""The checklist of 31.4 and its command."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.tournament.terms import TermsFileError, check, checklist, facts, read_terms


def full_terms() -> dict[str, dict[str, object]]:
    terms: dict[str, dict[str, object]] = {}
    for item in checklist():
        table, _, key = item.key.partition(".")
        terms.setdefault(table, {})[key] = "as the casino has it"
    return terms


def as_toml(terms: dict[str, dict[str, object]]) -> str:
    lines = []
    for table, entries in terms.items():
        lines.append(f"[{table}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in entries.items()]
    return "\n".join(lines)


def missing(terms: dict[str, dict[str, object]]) -> list[str]:
    return [result.item.rule for result in check(terms) if result.state == "missing"]


def test_complete_terms_have_every_item() -> None:
    assert missing(full_terms()) == []


@pytest.mark.parametrize("item", checklist(), ids=lambda item: item.rule)
def test_every_absent_item_is_reported_missing(item: object) -> None:
    terms = full_terms()
    table, _, key = str(getattr(item, "key", "")).partition(".")
    del terms[table][key]
    assert missing(terms) == [getattr(item, "rule", None)]


def test_an_empty_text_is_missing() -> None:
    terms = full_terms()
    terms["prizes"]["pool"] = "  "
    assert missing(terms) == ["31.4.7(a)"]


def test_conditional_item_is_excused_only_by_a_stated_fact() -> None:
    terms = full_terms()
    del terms["format"]["buy_back"]
    assert missing(terms) == ["31.4.3(a)(iv)"]
    terms["tournament"] = {"buy_back": False}
    assert missing(terms) == []


def test_an_unconditional_item_is_never_excused() -> None:
    assert "31.4.6(a)" in missing({"tournament": dict.fromkeys(facts(), False)})


def test_unknown_key_is_refused_with_the_valid_keys(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text('[prizes]\npoool = "x"\n')
    with pytest.raises(TermsFileError, match=r"prizes.poool; use one of prizes.distribution, p"):
        read_terms(file)


def test_command_exits_1_if_an_item_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text(as_toml(full_terms()))
    runner = CliRunner()
    assert runner.invoke(app, ["tournament", "check", str(file)]).exit_code == 0
    file.write_text('[prizes]\npool = "x"\n')
    result = runner.invoke(app, ["tournament", "check", str(file), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.stdout)["ok"] is False


@pytest.mark.parametrize("text", [None, "= not toml", "stray = 1"])
def test_unreadable_file_exits_with_2(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "terms.toml"
    if text is not None:
        file.write_text(text)
    assert CliRunner().invoke(app, ["tournament", "check", str(file)]).exit_code == 2


def test_blank_terms_file_lacks_every_item(tmp_path: Path) -> None:
    file = tmp_path / "terms.toml"
    file.write_text(CliRunner().invoke(app, ["tournament", "blank"]).stdout)
    assert {result.state for result in check(read_terms(file))} == {"missing"}


def test_command_shows_the_schedule(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["tournament", "schedule", "98", "--json"])
    assert json.loads(result.stdout)["pool"] == 740_000
    assert CliRunner().invoke(app, ["tournament", "schedule", "50"]).exit_code == 2
