"""The documents are consistent: links have targets, named files exist, and the site opens."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from docs.site.build import ROOT, build, headings, links, pages, shown

ROOMS = ("host", "firmware", "hil_tests", "rng_certification", "docs", "examples", r"\.ci")
NAMED = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+)`")


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_has_a_target(page: Path) -> None:
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
def test_every_file_named_on_a_page_exists(page: Path) -> None:
    named = NAMED.findall((ROOT / page).read_text("utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_blame_ignores_only_commits_that_move_or_rename_files() -> None:
    """Each commit on the list moves files; blame would hide the changes of another commit."""
    lines = (ROOT / ".git-blame-ignore-revs").read_text("utf-8").splitlines()
    commits = [line for line in lines if not line.startswith("#")]
    assert commits
    for commit in commits:
        assert re.fullmatch("[0-9a-f]{40}", commit)
        show = ["git", "show", "--find-renames", "--diff-filter=R", "--name-only", "--format="]
        done = subprocess.run([*show, commit], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            pytest.skip("this clone does not have the history of the moves")
        assert done.stdout.strip(), f"{commit} moves no file"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, str]:
    """Return every page of the built site, with its text."""
    folder = tmp_path_factory.mktemp("site")
    build(folder)
    return {file: file.read_text("utf-8") for file in folder.rglob("*.html")}


def test_site_has_every_page_and_uses_no_network(site: dict[Path, str]) -> None:
    assert len(site) == len(pages()) + len(shown())
    for text in site.values():
        loads = re.findall(r'(?:src|<link[^>]* href)="([^"]+)"', text)
        assert [load for load in loads if "://" in load] == []


def test_every_link_of_the_site_has_a_target_in_it(site: dict[Path, str]) -> None:
    """Also links to examples and cases: the site has more than the pages."""
    places = {file: set(re.findall(r' id="([^"]+)"', text)) for file, text in site.items()}
    dead = []
    for file, text in site.items():
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            if "://" in target or target.startswith("mailto:"):
                continue
            name, _, place = target.partition("#")
            there = Path(os.path.normpath(file.parent / name)) if name else file
            if not there.is_file() or (place and place not in places[there]):
                dead.append(f"{file}: {target}")
    assert dead == []
