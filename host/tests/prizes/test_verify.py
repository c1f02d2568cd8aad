"""Verification of draws with only the public key and no controller."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from cutcard.cli.meters.prize import app
from cutcard.prizes.draw import BadDrawError, Draw
from cutcard.prizes.verify import verify

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes_raw()
TEXT = b"1 1000\n2 100\n"
TABLES = {sha256(TEXT).digest(): TEXT}


def signed(draw: Draw) -> Draw:
    return replace(draw, signature=KEY.sign(draw.message))


def chain(length: int = 4) -> list[Draw]:
    """Return draws that a correct controller would have signed."""
    draws: list[Draw] = []
    for counter in range(1, length + 1):
        prize = counter % 3 + 1
        draw = Draw(
            serial=b"serial01",
            counter=counter,
            kind="prize",
            table=1,
            round=counter,
            box=3,
            seat=0,
            attempt=0,
            wager=500,
            prizes=3,
            prize=prize,
            amount=1000 if prize == 1 else 100,
            digest=sha256(TEXT).digest(),
            previous=draws[-1].record_digest if draws else bytes(32),
            signature=bytes(64),
        )
        draws.append(signed(draw))
    return draws


def problems(draws: list[Draw]) -> list[str]:
    return verify(draws, PUBLIC, TABLES).problems


def test_signed_draws_of_a_controller_are_valid() -> None:
    found = verify(chain(), PUBLIC, TABLES)
    assert (found.ok, found.draws, found.first, found.last, found.priced) == (True, 4, 1, 4, 4)


def test_file_order_and_repeated_draws_are_accepted() -> None:
    draws = chain()
    assert not problems([draws[2], *draws, draws[0]])


@pytest.mark.parametrize(
    "change",
    [
        {"prize": 2},
        {"amount": 5},
        {"wager": 100},
        {"table": 2},
        {"round": 9},
        {"box": 1},
        {"seat": 1},
        {"attempt": 1},
        {"serial": b"serial02"},
        {"prizes": 4},
        {"digest": bytes(32)},
        {"signature": bytes(64)},
    ],
)
def test_a_changed_field_breaks_the_signature(change: dict[str, object]) -> None:
    draws = chain()
    draws[2] = replace(draws[2], **change)  # type: ignore[arg-type]
    assert any("draw 3: the signature" in problem for problem in problems(draws))


def test_missing_draw_is_detected() -> None:
    draws = chain()
    assert problems([draws[0], draws[2], draws[3]]) == [
        "draw 3: earlier draws are missing (2 to 2)"
    ]


def test_second_history_signed_with_the_same_key_is_detected() -> None:
    """A thief of the key can sign any draw, but not two histories with one chain."""
    draws = chain()
    draws[1] = signed(replace(draws[1], prize=1, amount=1000))
    assert problems(draws) == ["draw 3: it follows another record than draw 2"]
    assert problems([*chain(), draws[1]])[0] == "draw 2: two different draws have this number"


def test_number_or_amount_outside_the_table_is_detected() -> None:
    draws = chain(1)
    assert problems([signed(replace(draws[0], prize=9))]) == ["draw 1: 9 is not in 1 to 3"]
    assert problems([signed(replace(draws[0], amount=1))]) == ["draw 1: prize 2 is $100, not $1"]
    assert problems([signed(replace(draws[0], prizes=7))]) == ["draw 1: the table has 3 prizes"]


def test_draws_do_not_match_another_key() -> None:
    assert len(verify(chain(), bytes(31) + b"\1", TABLES).problems) == 4


@given(st.sampled_from(chain()))
def test_draw_survives_a_json_round_trip(draw: Draw) -> None:
    assert Draw.from_json(json.loads(json.dumps(draw.as_json()))) == draw


@pytest.mark.parametrize(
    "change",
    [
        {"counter": -1},
        {"counter": "1"},
        {"table": 300},
        {"kind": "gift"},
        {"digest": "00"},
        {"signature": "zz"},
        {"signature": None},
    ],
)
def test_invalid_draw_is_reported(change: dict[str, object]) -> None:
    with pytest.raises(BadDrawError, match="not a draw"):
        Draw.from_json(chain(1)[0].as_json() | change)


def test_a_missing_field_is_named() -> None:
    written = chain(1)[0].as_json()
    del written["wager"]
    with pytest.raises(BadDrawError, match="wager"):
        Draw.from_json(written)


# the command


def run(tmp_path: Path, draws: list[Draw], *more: str, key: str = PUBLIC.hex()) -> tuple[int, str]:
    file = tmp_path / "draws.jsonl"
    file.write_text("".join(json.dumps(draw.as_json()) + "\n" for draw in draws))
    done = CliRunner().invoke(app, ["verify", str(file), "--public-key", key, *more])
    return done.exit_code, done.stdout or done.stderr


def test_command_exits_with_0_1_or_2(tmp_path: Path) -> None:
    table = tmp_path / "prizes.txt"
    table.write_bytes(TEXT)
    key = tmp_path / "key.hex"
    key.write_text(PUBLIC.hex() + "\n")
    code, said = run(tmp_path, chain(), "--table", str(table), key=str(key))
    assert (code, said) == (
        0,
        "4 draws, numbers 1 to 4, 4 compared with their table: all are valid.\n",
    )
    code, said = run(tmp_path, chain()[1:])
    assert code == 0
    assert "before number 2" in said
    code, said = run(tmp_path, chain()[::2], "--json")
    assert (code, json.loads(said)["ok"]) == (1, False)
    assert run(tmp_path, chain(), key="no such file")[0] == 2
    assert run(tmp_path, [])[0] == 2
    table.write_text("none")
    assert run(tmp_path, chain(), "--table", str(table))[0] == 2


def test_rulebooks_tables_are_printed_in_the_hashed_form() -> None:
    printed = CliRunner().invoke(app, ["table", "madness-21"]).output
    listed = json.loads(CliRunner().invoke(app, ["table", "--json"]).stdout)["tables"]
    [row] = [row for row in listed if row["name"] == "madness-21"]
    assert row["prizes"] == 3750
    assert row["sha256"] == sha256(printed.encode()).hexdigest()
    assert CliRunner().invoke(app, ["table", "roulette"]).exit_code == 2
