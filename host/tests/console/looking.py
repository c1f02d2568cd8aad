"""Somebody at the page: signs in, looks, and asks axe-core what shuts people out."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.console.served import Served

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"


def signed_in(page: Any, console: Served, name: str, *titles: str) -> Any:
    """The page after a person has typed name and passphrase."""
    passphrase = console.console.sessions.people.add(name, titles)
    page.goto(console.url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Passphrase").fill(passphrase)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Tables").wait_for()
    return page


def violations(page: Any) -> list[str]:
    """What axe-core finds on the page as it is now, each with its place."""
    if not AXE.exists() and os.environ.get("CI") != "true":
        pytest.skip("axe-core is not installed: run .ci/set-up-node")
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def link_is(page: Any, state: str) -> None:
    """Wait until the page says that it is live, or stale."""
    page.wait_for_selector(f"#link[data-state={state}]")
