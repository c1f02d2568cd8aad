"""The session in docs/reference/wire-protocol.md can be reproduced byte for byte."""

from __future__ import annotations

import pytest

from docs.site.generate import SESSION


def test_session_on_the_page_is_reproduced_byte_for_byte(request: pytest.FixtureRequest) -> None:
    if not str(request.config.getoption("--port", default="bench:")).startswith("bench"):
        pytest.skip("only a bench starts alike twice")
    assert SESSION.is_fresh(), "the wire has changed: run `make pages`"
