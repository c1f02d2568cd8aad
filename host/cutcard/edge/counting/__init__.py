"""Card counting: named counts, indices, bets by the true count, and their risk."""
