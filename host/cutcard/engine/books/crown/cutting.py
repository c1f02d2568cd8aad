"""Crown's rules for the cut: 4.2; 9.11 for an empty shoe; 3.1.1 excludes continuous machines."""

from __future__ import annotations

from fractions import Fraction

from cutcard.engine.cutting import CuttingRules, Occasion

CUTTING = CuttingRules(
    {
        Occasion.START_OF_PLAY: "4.2.2(a)",
        Occasion.CUTTING_CARD_ON_BOX: "4.2.2(b)",
        Occasion.CUTTING_CARD_AT_DEALER: "4.2.2(c)",
        Occasion.CARDS_REPLACED: "4.2.2(d)",
        Occasion.SHOE_EMPTY: "9.11",
    },
    order="4.2.3",
    otherwise="tg-higher-duties-dealer",
    replaced_at_right=True,
    where="4.2.4",
    never_in_continuous="3.1.1",
    stays="4.2.5(b)",
    decks_from_back=Fraction(3, 2),
)
