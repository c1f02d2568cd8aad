"""Collect raw output and final outcomes from a bench, a board or the twin, with a manifest."""
