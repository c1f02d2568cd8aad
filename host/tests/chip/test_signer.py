"""Images of emulated chips are signed with one key per computer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cutcard.chip.programming import signer

AT_ONCE = 4  # boards of four machines, each started by another process


def test_concurrent_first_boards_share_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with ThreadPoolExecutor(AT_ONCE) as people:
        signers = [asked.result() for asked in [people.submit(signer) for _ in range(AT_ONCE)]]
    assert len({one.public for one in signers}) == 1
