"""`.ci/release` tags a version that the changelog has with its date."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IDENTITY = ("-c", "user.name=test", "-c", "user.email=test@example.org")
DATED = "# Changelog\n\n## 1.2.0, 2026-11-19\n- Added: `name`\n"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *IDENTITY, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the script, version 1.2.0 and a changelog that dates it."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/release", tmp_path / ".ci/release")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(DATED)
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "test")
    git(tmp_path, "config", "user.email", "test@example.org")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "start")
    return tmp_path


def release(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [".ci/release", *words], cwd=folder, check=False, capture_output=True, text=True
    )


def test_release_tags_the_version_of_the_changelog(repository: Path) -> None:
    assert release(repository, "--check").returncode == 0
    assert git(repository, "tag") == ""
    assert release(repository).returncode == 0
    assert git(repository, "tag") == "v1.2.0"


def test_release_rejects_a_version_that_is_tagged(repository: Path) -> None:
    git(repository, "tag", "v1.2.0")
    done = release(repository)
    assert done.returncode == 1
    assert "v1.2.0 is a tag already" in done.stderr


@pytest.mark.parametrize("heading", ["## 1.2.0, not yet tagged", "## 1.3.0, 2026-11-19"])
def test_release_rejects_a_changelog_without_the_dated_version(
    repository: Path, heading: str
) -> None:
    (repository / "CHANGELOG.md").write_text(f"# Changelog\n\n{heading}\n")
    git(repository, "commit", "-q", "-am", "change")
    done = release(repository)
    assert done.returncode == 1
    assert "write '## 1.2.0, YYYY-MM-DD'" in done.stderr


def test_release_rejects_uncommitted_changes(repository: Path) -> None:
    (repository / "new.txt").write_text("new")
    assert "uncommitted" in release(repository).stderr
