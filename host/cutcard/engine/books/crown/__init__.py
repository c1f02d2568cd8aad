"""Crown Melbourne: its rules for irregularities, the cut, the button and jackpots."""

CROWN = "crown-melbourne-26"
