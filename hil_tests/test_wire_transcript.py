"""The session in docs/wire-protocol.md happens again, byte for byte."""

from __future__ import annotations

import pytest

from hil_tests.wire_transcript import record, written
from tests.devices.protocol_page import PAGE, between


def test_the_session_in_the_page_happens_again(request: pytest.FixtureRequest) -> None:
    """If this fails because the wire has changed: python -m hil_tests.wire_transcript"""
    if not str(request.config.getoption("--port", default="bench:")).startswith("bench"):
        pytest.skip("only a bench starts alike twice")
    assert written(record()) == between(PAGE.read_text(), "session")
