"""Known generators, good and bad; docs/reference/known-generators.md has the results."""
