"""A user at the page; and checks of accessibility by axe-core."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.console.served import Served

AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"
# A test skipped in its middle would leave its table with an open question.
needs_axe = pytest.mark.skipif(
    not AXE.exists() and os.environ.get("CI") != "true",
    reason="axe-core is not installed: run .ci/set-up-node",
)


def signed_in(page: Any, console: Served, name: str, *titles: str) -> Any:
    """Return the page after a person has typed name and passphrase."""
    passphrase = console.console.sessions.people.add(name, titles)
    page.goto(console.url)
    page.get_by_label("Name").fill(name)
    page.get_by_label("Passphrase").fill(passphrase)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Tables").wait_for()
    return page


def come_back(page: Any, console: Served, name: str, *titles: str) -> Any:
    """Return the page of a person with the cookie of an earlier sign-in."""
    people = console.console.sessions.people
    people.add(name, titles)
    secret = console.console.sessions.begin(people.persons[name])
    page.context.add_cookies(
        [{"name": console.console.cookie, "value": secret, "url": console.url, "httpOnly": True}]
    )
    return page


def violations(page: Any, only: str = "") -> list[str]:
    """Return axe-core's findings on the current page, each with its place; by one rule, or by
    all."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    how = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
    found = page.evaluate("how => axe.run(document, how)", how)
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


def link_is(page: Any, state: str) -> None:
    """Wait until the page shows that it is live, or stale."""
    page.wait_for_selector(f"#link[data-state={state}]")
