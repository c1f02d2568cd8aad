"""Singapore, Free Bet Blackjack: its rules for irregularities."""
