"""The side wagers of all rulebooks: pure functions of cards and a pay table.

`rulebooks.side_wagers` reads the data, `offering` has the limits for a table, `decide` returns the
outcome of a wager; the other modules each evaluate a family of wagers.
"""
