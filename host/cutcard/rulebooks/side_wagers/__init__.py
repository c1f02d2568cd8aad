"""The side wagers of the rulebooks as data: where they may lie and what they pay."""
