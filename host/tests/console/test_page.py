"""The page in Debian's Chromium, as people use it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cutcard.console.people import People
from tests.console.looking import link_is, signed_in
from tests.console.moments import fault_at, until
from tests.console.served import Served, serving
from tests.console.table_journal import open_journal

Open = Callable[..., Any]


@pytest.fixture
def page(console: Served, open_page: Open) -> Any:
    return signed_in(open_page(), console, "Mia", "viewer")


def test_pit_leads_to_a_table_by_keyboard_only(page: Any) -> None:
    page.get_by_role("link", name=re.compile("Table 7")).focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Table 7", level=1).wait_for()
    page.get_by_role("region", name="Round 4").wait_for()
    bens = page.get_by_role("region", name="Box 3").get_by_text(re.compile(r"Ben \$"))
    bens.first.wait_for()  # $50, or more if he has doubled


def test_skip_link_leads_to_no_other_page(page: Any, console: Served) -> None:
    page.goto(f"{console.url}#/table/seven")
    page.get_by_role("heading", name="Table 7", level=1).wait_for()
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    assert page.url == f"{console.url}#/table/seven"
    assert page.get_by_role("heading", name="Table 7", level=1).count() == 1


def test_unknown_address_is_reported(page: Any, console: Served) -> None:
    for place, said in (
        ("table/%E0%A4%A", "There is no such table here."),
        ("table/seven/round/x", "There is no such number."),
        ("table/seven/round/99", "seven has no round 99."),
        ("nowhere", "rounds played"),
    ):
        page.goto(f"{console.url}#/{place}")
        page.locator("main", has_text=said).wait_for()
        assert "NaN" not in page.inner_text("main")


def test_new_records_appear_automatically(page: Any, console: Served, evening: Path) -> None:
    page.goto(f"{console.url}#/table/seven")
    page.get_by_role("heading", name="Table 7", level=1).wait_for()
    with open_journal(evening) as journal:
        journal.append("returned", {"cards": 77})
    page.get_by_text("77 discards are back in the machine.").first.wait_for()
    page.locator("#polite", has_text="77 discards").wait_for(state="attached")


def test_update_does_not_move_the_keyboard_focus(page: Any, console: Served, evening: Path) -> None:
    page.goto(f"{console.url}#/table/seven")
    slider = page.get_by_role("slider")
    slider.focus()
    with open_journal(evening) as journal:
        journal.append("returned", {"cards": 77})
    page.get_by_text("77 discards").first.wait_for()
    assert page.evaluate("document.activeElement.type") == "range"


def test_evening_can_be_moved_back_to_a_fault_and_to_now(
    page: Any, console: Served, evening: Path
) -> None:
    number = fault_at(evening)
    page.goto(f"{console.url}#/table/seven/at/{number - 1}")
    page.get_by_text("The table as it was").wait_for()
    assert page.get_by_text("Machine stopped").count() == 0
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="Machine stopped: jam on exit").wait_for()
    assert page.get_by_text("A card is stuck between bins and chute").is_visible()
    page.get_by_role("link", name="Back to now").click()
    page.get_by_text("The table as it was").wait_for(state="detached")
    assert page.get_by_text("Machine stopped").count() == 0


def test_round_is_printed_for_a_dispute(page: Any, console: Served) -> None:
    page.goto(f"{console.url}#/table/seven/round/2")
    page.get_by_role("heading", name="Table 7, round 2").wait_for()
    assert page.get_by_text("The machine stops: jam on exit").is_visible()
    page.emulate_media(media="print")
    assert not page.get_by_role("button", name="Print").is_visible()
    assert page.get_by_text("For the house").is_visible()
    assert page.get_by_text("Hash of the last").is_visible()
    assert page.pdf().startswith(b"%PDF")


def test_page_reconnects_when_the_server_returns(
    evening: Path, people: People, open_page: Open
) -> None:
    page = open_page()
    with serving(evening, people) as console:
        signed_in(page, console, "Mia", "viewer")
        page.goto(f"{console.url}#/table/seven")
        link_is(page, "live")
    link_is(page, "stale")
    with open_journal(evening) as journal:
        journal.append("returned", {"cards": 99})
    with serving(evening, people, console.port):
        link_is(page, "live")
        page.get_by_text("99 discards are back in the machine.").first.wait_for()


def test_silence_is_stale_within_a_second(page: Any, console: Served) -> None:
    link_is(page, "live")
    console.console.pit.send = lambda *messages: None  # type: ignore[method-assign]
    link_is(page, "stale")
    worker = console.ask("/stream.js")[2].decode()
    stale, look = re.findall(r"STALE = (\d+), LOOK = (\d+)", worker)[0]
    assert int(stale) + int(look) < 1000


def test_two_tabs_share_one_stream(page: Any, console: Served) -> None:
    link_is(page, "live")
    other = page.context.new_page()
    other.goto(console.url)
    link_is(other, "live")
    assert console.console.pit.watching == 1


def test_unwitnessed_journal_is_shown_with_its_start_time(
    page: Any, console: Served, evening: Path
) -> None:
    with open_journal(evening) as journal:
        since = "2026-11-19T20:15:00.000Z"
        data = {"witness": "http://house/", "size": 9, "since": since, "why": "does not answer"}
        journal.append("unwitnessed", data)
    shown = "Unwitnessed since 20:15:00 UTC: http://house/"
    page.get_by_text(shown).wait_for()
    page.goto(f"{console.url}#/table/seven")
    page.get_by_text(shown).wait_for()
    page.get_by_text("No checkpoint since 20:15 is at the witness http://house/").first.wait_for()


def test_journal_text_is_never_markup(page: Any, console: Served, evening: Path) -> None:
    with open_journal(evening, "<img src=x onerror=alert(1)>") as journal:
        journal.append("locked", {"why": "<script>document.title='owned'</script>"})
    page.goto(f"{console.url}#/table/seven")
    page.get_by_text("<script>document.title='owned'</script>").first.wait_for()
    assert "owned" not in page.title()
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("width", [320, 768])
def test_page_is_not_cut_off_on_a_phone_or_a_tablet(
    console: Served, open_page: Open, evening: Path, width: int
) -> None:
    page = signed_in(open_page(viewport={"width": width, "height": 700}), console, "Mia", "viewer")
    for place in (
        "",
        "#/table/seven",
        f"#/table/seven/at/{fault_at(evening)}",
        "#/table/seven/round/2",
    ):
        page.goto(console.url + place)
        page.locator("main h1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, place


def test_evening_of_many_rounds_is_not_wider_than_a_phone(console: Served, open_page: Open) -> None:
    page = signed_in(open_page(viewport={"width": 320, "height": 700}), console, "Mia", "viewer")
    marks = console.console.pit.tables["seven"].marks
    marks[:] = [replace(marks[-1], round=number) for number in range(600)]
    page.goto(f"{console.url}#/table/seven")
    page.locator(".strip i").nth(599).wait_for(state="attached")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_slider_stays_with_the_hand_while_the_table_plays(
    page: Any, console: Served, evening: Path
) -> None:
    page.goto(f"{console.url}#/table/seven")
    page.locator("summary", has_text="Rounds (4)").wait_for()  # the layout is complete
    slider = page.get_by_role("slider")
    slider.scroll_into_view_if_needed()
    handle, box = slider.element_handle(), slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 3 / 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.wait_for_url("**/at/*")  # the page has the moment
    with open_journal(evening) as journal:
        journal.append("returned", {"cards": 77})
    page.locator("#moment", has_text=re.compile(rf"of {journal.number}$")).wait_for()
    held = page.url
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.up()
    page.wait_for_url(lambda url: url != held)
    page.get_by_text("The table as it was").wait_for()
    assert handle.evaluate("slider => slider.isConnected")
    assert "/at/" in page.url


def test_new_records_do_not_move_the_slider_under_a_hand(page: Any, console: Served) -> None:
    waiting: list[Any] = []
    page.route("**/timeline", lambda route: waiting.append(route))
    page.goto(f"{console.url}#/table/seven")
    slider = page.get_by_role("slider")
    before = slider.bounding_box()
    assert page.locator(".strip i").count() == 0
    for route in waiting:
        route.continue_()
    page.locator("summary", has_text="Rounds (4)").wait_for()
    assert page.locator(".strip i").count() > 1
    assert slider.bounding_box() == before


def test_opened_list_stays_open(page: Any, console: Served, evening: Path) -> None:
    page.goto(f"{console.url}#/table/seven")
    page.locator("summary", has_text="Rounds (4)").click()
    page.get_by_role("link", name=re.compile("Round 4, house")).focus()
    with open_journal(evening) as journal:
        journal.append("device", {"fault": "door-open", "stage": "settled"})
    page.locator("summary", has_text="2 with faults").wait_for()
    assert page.locator("details[open]").count() == 1
    assert page.evaluate("document.activeElement.textContent") == "4"


def test_past_is_replayed_record_by_record(page: Any, console: Served) -> None:
    page.goto(f"{console.url}#/table/seven/at/100")
    page.get_by_role("button", name="Replay").press("Enter")
    page.wait_for_function("() => parseInt(document.getElementById('moment').textContent) > 102")
    page.get_by_role("button", name="Stop").press("Enter")
    page.get_by_role("button", name="Replay").wait_for()


def test_typed_input_survives_incoming_updates(
    evening: Path, people: People, open_page: Open
) -> None:
    until(evening, fault_at(evening))
    question = {"kind": "count", "asked": "count", "n": 5, "attempt": "Attempt 1 of 3."}
    live = {"connected": True, "bench": [], "question": question, "status": {"free_heap": 1000}}
    with serving(evening, people) as console:
        console.console.pit.extra = lambda key: {"live": live}
        page = signed_in(open_page(), console, "Mia", "casino-operator")
        page.goto(f"{console.url}#/table/seven")
        counted = page.get_by_label("Cards that are not in the machine")
        counted.fill("31")
        live["status"] = {"free_heap": 4096}
        with open_journal(evening) as journal:
            journal.append("returned", {"cards": 1})
        page.get_by_text("4.0 KB").wait_for()
        assert counted.input_value() == "31"
