"""The documents hold together: no dead link, no file named that is not there, a site that opens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.site.build import ROOT, build, headings, links, pages

ROOMS = ("host", "firmware", "hil_tests", "rng_certification", "docs", "examples", r"\.ci")
NAMED = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+)`")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = []
    for target in links((ROOT / page).read_text("utf-8")):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, place = target.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        known = file.exists() and (
            not place or file.suffix != ".md" or place in headings(file.read_text("utf-8"))
        )
        if not known:
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = NAMED.findall((ROOT / page).read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_site_has_every_page_and_asks_no_network(tmp_path: Path) -> None:
    build(tmp_path / "site")
    made = sorted((tmp_path / "site").rglob("*.html"))
    assert len(made) == len(pages())
    for file in made:
        loads = re.findall(r'(?:src|<link[^>]* href)="([^"]+)"', file.read_text("utf-8"))
        assert [load for load in loads if "://" in load] == []


def test_a_link_between_pages_is_a_link_within_the_site(tmp_path: Path) -> None:
    build(tmp_path / "site")
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    for target in re.findall(r'href="(docs/[^"#]+\.html)', front):
        assert (tmp_path / "site" / target).exists(), target
