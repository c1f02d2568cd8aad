"""Prize tables as text for a controller; the text's SHA-256 identifies the table in every draw."""

from __future__ import annotations

from cutcard.rulebooks import RULEBOOKS
from cutcard.rulebooks.side_wagers.catalogue import side_wagers
from cutcard.rulebooks.side_wagers.prize_table import PrizeTable
from cutcard_firmware.core.jackpot import prize_table

MOST_TEXT = 218  # bytes of a text that fit in one frame


def text_of(table: PrizeTable) -> str:
    """Return a prize table as text, in the order of the rulebook."""
    return "".join(f"{number} {amount}\n" for amount, number in table.chances)


def rulebook_tables() -> dict[str, tuple[str, int]]:
    """Return text and number of prizes of every rulebook's tables, by the bet and its choice."""
    found = {}
    for rulebook in RULEBOOKS:
        for bet, wager in side_wagers(rulebook).items():
            for column in wager.columns:
                if column.prizes.chances:
                    name = f"{bet}-{column.choice}" if column.choice else bet
                    text = text_of(column.prizes)
                    found[name] = text, int(prize_table.total(text.encode()))
    return found
