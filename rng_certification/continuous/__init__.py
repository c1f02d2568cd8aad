"""Continuous shuffling: what a carousel deals while discards go back, against its own law."""
