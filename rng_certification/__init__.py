"""The statistical tests of random bits, draws and shuffles, and the judgement over them."""
