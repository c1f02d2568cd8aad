"""Images of emulated chips are signed with one key a computer, whoever asks first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cutcard.chip.programming import signer

AT_ONCE = 4  # boards of four machines, each started by somebody else


def test_boards_that_are_the_first_at_the_same_moment_share_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ThreadPoolExecutor(AT_ONCE) as people:
        signers = [asked.result() for asked in [people.submit(signer) for _ in range(AT_ONCE)]]
    assert len({one.public for one in signers}) == 1
