"""The rulebooks as layered data: base, variant, side wager, pay scale and dated amendment.

book = open_rulebook("crown-melbourne-26", ("crown-pontoon",))
book["blackjack.odds"]  # an Entry: its value, its rules, and the layer that defines it
"""

from cutcard.rulebooks.book import RULEBOOKS, Rulebook, open_rulebook
from cutcard.rulebooks.folder import UnknownRulebookError
from cutcard.rulebooks.layer import Entry
from cutcard.rulebooks.side_wagers.catalogue import NotInTheRulebookError
from cutcard.rulebooks.text import MalformedRulebookError

__all__ = [
    "RULEBOOKS",
    "Entry",
    "MalformedRulebookError",
    "NotInTheRulebookError",
    "Rulebook",
    "UnknownRulebookError",
    "open_rulebook",
]
