"""House edges, exact: all possible deals, in integers and fractions."""
