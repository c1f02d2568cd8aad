"""The session in docs/wire-protocol.md happens again, byte for byte."""

from __future__ import annotations

import pytest

from docs.site.generate import SESSION


def test_the_session_in_the_page_happens_again(request: pytest.FixtureRequest) -> None:
    if not str(request.config.getoption("--port", default="bench:")).startswith("bench"):
        pytest.skip("only a bench starts alike twice")
    assert SESSION.is_fresh(), "the wire has changed: run `make pages`"
