"""`python -m cutcard.cli`: the command `cutcard` of the current Python."""

from cutcard.cli.main import main

main()
