"""The machines that take a cutting card, by rulebook."""

from __future__ import annotations

import pytest

from cutcard.engine import Table
from cutcard.rulebooks import open_rulebook
from cutcard.table.machine.clearing import refuses_cutting_card


@pytest.mark.parametrize(
    ("rulebook", "shuffler", "rule"),
    [
        ("crown-melbourne-26", "continuous", "3.1.1"),
        ("crown-melbourne-26", "shoe", ""),
        ("uk-blackjack", "continuous", ""),
    ],
)
def test_continuous_machine_refuses_a_cutting_card_by_its_rule(
    rulebook: str, shuffler: str, rule: str
) -> None:
    refused = refuses_cutting_card(Table(open_rulebook(rulebook), 6, shuffler))
    said = f"a continuous shuffling machine takes no cutting card ({rule})"
    assert refused == (said if rule else "")
