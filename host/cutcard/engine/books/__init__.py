"""The procedures of the rulebooks, in code: a package for each, named by its jurisdiction."""
