"""Crown Melbourne: its rules for irregularities and jackpots."""
