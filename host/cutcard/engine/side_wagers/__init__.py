"""The side wagers of all rulebooks: pure functions of cards and a pay table.

`rulebooks.side_wagers` reads the data, `offering` says what a table may not do, `decide` asks a
wager what the cards made of it; the families behind it have a module each.
"""
