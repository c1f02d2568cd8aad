"""Predictability of a shuffler's next card, by its law and by its sound."""
