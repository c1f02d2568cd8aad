"""Known-bad sources and machines, which the tests must find."""
