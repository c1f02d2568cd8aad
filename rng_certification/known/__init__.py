"""Known generators, good and bad, and what each battery says of them: docs/reference/known-generators.md."""
