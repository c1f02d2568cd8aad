"""The documentation: its site builds without a dead link, and the files that it names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(path.relative_to(ROOT) for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
ROOMS = ("host", "firmware", "hil_tests", "rng_certification", "docs", "examples", r"\.ci")
NAMED = re.compile(rf"`((?:{'|'.join(ROOMS)})/[\w./-]+)`")


@pytest.mark.parametrize("page", PAGES, ids=str)
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
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, built as `make docs` does: a dead link is an error."""
    folder = tmp_path_factory.mktemp("site")
    doctrees = tmp_path_factory.mktemp("doctrees")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    where = ["-c", "docs/site", "-d", str(doctrees), ".", str(folder)]
    done = subprocess.run([*build, *where], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    missing = [page for page in PAGES if not (site / page.with_suffix(".html")).is_file()]
    assert missing == []


def test_the_site_loads_nothing_from_the_network(site: Path) -> None:
    loads = re.compile(r'(?:src|<link[^>]* href)="([^"]+)"')
    for file in site.rglob("*.html"):
        assert [load for load in loads.findall(file.read_text("utf-8")) if "://" in load] == [], (
            file
        )
    for file in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:", file.read_text("utf-8")), file


def test_the_search_works_without_a_server(browser: Any, site: Path) -> None:
    page = browser.new_page()
    page.goto(f"file://{site}/search.html?q=jam-on-exit")
    page.locator("#search-results a", has_text="faults").first.wait_for()
    page.close()
