"""Known generators, good and bad, and the results of each battery: docs/reference/known-generators.md."""
