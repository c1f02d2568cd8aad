"""A campaign: a plan declared beforehand, its parts run on any number of machines, one verdict."""
