"""A campaign: a plan declared in advance, its parts run on any number of machines, one verdict."""
