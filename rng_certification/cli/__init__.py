"""Everything that a person types after `cutcard certify`."""
