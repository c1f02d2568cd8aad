"""Singapore, Free Bet Blackjack: its rules for irregularities and the cut."""

SINGAPORE = "mbs-free-bet-3"
