"""Everything that a person types: the command `cutcard` and its subcommands."""
