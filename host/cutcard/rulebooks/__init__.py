"""The rulebooks as layered data: base, variant, side wager, pay scale and dated amendment."""

from cutcard.rulebooks.book import RULEBOOKS, Rulebook, open_rulebook
from cutcard.rulebooks.folder import UnknownRulebookError
from cutcard.rulebooks.layer import Entry
from cutcard.rulebooks.text import MalformedRulebookError

__all__ = [
    "RULEBOOKS",
    "Entry",
    "MalformedRulebookError",
    "Rulebook",
    "UnknownRulebookError",
    "open_rulebook",
]
