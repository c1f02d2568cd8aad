"""The command line: `cutcard` and its subcommands."""
