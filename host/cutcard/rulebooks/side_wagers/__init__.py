"""The side wagers of the rulebooks as data: their permitted places and payments."""
