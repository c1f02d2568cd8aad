"""Prizes that a controller drew: what was signed, and how a third party checks it."""
