"""Readings for which the figures have one reading only, each with the reason."""

from __future__ import annotations

# Each reason with its readings.
UNSWITCHED: dict[str, tuple[str, ...]] = {
    "It decides only after an error or a departure: a void round or hand, an irregularity, "
    "an absence, a withdrawn wager, a wager outside the limits.": (
        "singapore-hard-17",
        "singapore-outcome-established",
        "void-round-returns-all",
        "void-hand-side-wagers",
        "ante-kept",
        "crown-jackpot-tables",
        "singapore-most-detrimental",
        "limits-of-division-1",
        "warned-wager-plays",
        "ante-missing-empties-the-box",
        "madness-failure-flat",
        "crown-bust-in-a-void-round",
        "void-hand-paid",
        "dealers-hand-wagers",
        "singapore-late-surrender",
        "nz-absent-caller",
        "singapore-refused-card",
        "crown-void-outcome",
        "nz-round-is-settled",
        "british-void-round",
        "crown-power-failure",
        "crown-void-wager-paid",
        "crown-wrong-cards-when-settled",
        "nz-dealers-hand-is-reconstructed",
        "nz-power-failure",
        "nz-refused-card",
        "side-wager-on-an-emptied-box",
        "singapore-cards-left-over",
        "singapore-completed-hand",
        "singapore-first-marker",
        "super-bonus-in-a-void-round",
    ),
    "It decides which player cuts; the cards that follow have the same probabilities.": (
        "cut-designated-player-gone",
    ),
    "It applies to several players on a box, several boxes or several winners; the figures are "
    "for one.": (
        "crown-silent-at-a-split",
        "pontoon-surrender-of-a-box",
        "crown-several-suited-aces",
        "super-bonus-once",
        "pontoon-withdrawal",
    ),
    "The best play of one box never reaches it: insurance with a hand that then busts, even "
    "money with insurance, a Pontoon hand that is surrendered, before or after a split; and stakes "
    "here are paid without rounding.": (
        "insurance-outlives-the-hand",
        "crown-even-money",
        "pontoon-surrender-two-cards",
        "paid-up",
    ),
    "It determines the games at which a side wager is offered, or its cap: under the other reading "
    "there is no wager, and the figures have no cap.": (
        "crown-named-games",
        "blackpot-maximum-payout",
    ),
    "It changes no payment in New Zealand, the only place with riding wagers: a dealer's Blackjack "
    "takes only the original wager there, so an added wager is returned whether it belongs "
    "to the main wager or to the riding one. The choice of the hand of a split for it matters only "
    "if the limit of hands ends the splitting; otherwise the hands are alike.": (
        "riding-after-a-split",
    ),
}
