"""Generated pages are fresh, and `make pages` writes all of them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from docs.site.generate import GENERATED, ROOT, SESSION, Generated

FRESH = "`{}` is stale: run `make pages`"


def named(each: Generated) -> str:
    return f"{each.path} {each.part}".strip()


# hil_tests/test_wire_transcript.py records the session.
@pytest.mark.parametrize("each", [each for each in GENERATED if each is not SESSION], ids=named)
def test_generated_page_is_fresh(each: Generated) -> None:
    assert each.is_fresh(), FRESH.format(each.path)


def test_every_section_between_marks_is_generated() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "docs").rglob("*.md")
        for name in re.findall(r"^<!-- (.*): begin -->$", path.read_text("utf-8"), re.M)
    }
    assert found == {
        (each.path, each.part) for each in GENERATED if each.path.endswith(".md") and each.part
    }


def test_every_page_that_calls_itself_generated_is_generated() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if re.search(r"\bGenerated from\b|`make pages` writes it", path.read_text("utf-8"))
    }
    assert found <= {each.path for each in GENERATED if not each.part}


def test_stale_section_is_regenerated_and_the_rest_of_the_page_is_kept() -> None:
    [section] = [each for each in GENERATED if each.path == "docs/reference/faults.md"]
    page = (ROOT / section.path).read_text("utf-8")
    assert section.write(page.replace("| `door-open` |", "| `door-ajar` |")) == page


def test_make_pages_reads_the_message_schema_after_writing_it() -> None:
    """Otherwise the pages of the wire would lack a new fault until the second run."""
    schema = "cutcard_firmware.core.schema.messages"
    code = f"import sys, docs.site.generate; print({schema!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "False\n", done.stderr
    assert GENERATED[0].path.endswith("core/schema/messages.py")
