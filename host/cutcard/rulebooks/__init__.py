"""The rulebooks as layered data: base, variant, side wager, pay scale and dated amendment."""

from cutcard.rulebooks.book import RULEBOOKS, Entry, Rulebook, open_rulebook

__all__ = ["RULEBOOKS", "Entry", "Rulebook", "open_rulebook"]
