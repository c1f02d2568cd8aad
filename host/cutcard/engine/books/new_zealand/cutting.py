"""New Zealand's rules for the cut: 7.2-7.6, and 16.7 when the shoe has run empty."""

from __future__ import annotations

from cutcard.engine.cutting import CuttingRules, Occasion

CUTTING = CuttingRules(
    {
        Occasion.START_OF_PLAY: "7.3(a)",
        Occasion.CUTTING_CARD_ON_BOX: "7.3(b)",
        Occasion.CUTTING_CARD_AT_DEALER: "7.3(c)",
        Occasion.CARDS_REPLACED: "7.3(d)",
        Occasion.SHOE_EMPTY: "16.7",
    },
    order="7.4",
    otherwise="casino employee",
    where="7.5",
    stays="7.6(a)",
)
