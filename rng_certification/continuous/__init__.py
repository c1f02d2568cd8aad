"""Continuous shuffling: the cards dealt by a carousel that takes discards back, and their law."""
