"""The British rulebook: its irregularities."""

BRITISH = "uk-blackjack"
