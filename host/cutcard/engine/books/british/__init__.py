"""The British rulebook: what it says of irregularities."""

BRITISH = "uk-blackjack"
