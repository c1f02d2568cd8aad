"""`python -m cutcard.cli`: the command `cutcard` of this very Python."""

from cutcard.cli.main import main

main()
