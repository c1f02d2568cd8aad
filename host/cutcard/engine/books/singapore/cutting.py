"""Singapore has a rule for the cut only when the shoe has run empty: 5.19 names one player."""

from __future__ import annotations

from cutcard.engine.cutting import CuttingRules, Occasion

CUTTING = CuttingRules(
    {Occasion.SHOE_EMPTY: "5.19"}, order="5.19", otherwise="dealer", one_player_only=True
)
