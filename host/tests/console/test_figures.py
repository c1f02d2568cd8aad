"""The measurement of the console: when an event left its machine, and when a viewer received it."""

from __future__ import annotations

from pathlib import Path

from cutcard.console.bench.machine import SENT
from cutcard.console.bench.table import HEARD, sent_at
from cutcard.console.bench.viewers import ViewerLog


def test_event_left_its_machine_with_the_first_byte_of_the_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / SENT).write_text("1.5 0102\n2.5 0304\n3.5 05\n4.5 0102\n")
    (tmp_path / HEARD).write_text("7 02030405\n9 0102\n")
    assert sent_at(tmp_path) == {7: 1.5, 9: 4.5}


def message(number: int, records: int) -> dict[str, object]:
    return {"table": "a", "records": records, "picture": {"n": number}}


def test_viewer_receives_a_record_with_the_first_message_up_to_it() -> None:
    heard = ViewerLog()
    heard.take({"tables": [{"table": "a", "picture": {"n": 3}}]}, 0.0)
    heard.take(message(5, 2), 1.0)
    heard.take(message(6, 1), 2.0)
    assert [heard.when("a", number) for number in (4, 5, 6, 7)] == [1.0, 1.0, 2.0, None]
    assert heard.counted == {"a": 6}


def test_count_reveals_a_record_sent_twice_or_never() -> None:
    heard = ViewerLog()
    heard.take({"tables": [{"table": "a", "picture": {"n": 3}}]}, 0.0)
    heard.take(message(6, 2), 1.0)
    assert heard.counted["a"] != heard.positions["a"][-1][0]
