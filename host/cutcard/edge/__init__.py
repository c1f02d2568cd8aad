"""House edges, exact: every way the cards can fall, in whole numbers and fractions."""
