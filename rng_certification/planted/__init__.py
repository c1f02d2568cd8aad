"""Known-bad sources and machines, each of which the tests must find."""
