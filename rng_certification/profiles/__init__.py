"""What regulators and laboratories ask, clause by clause, and the tests that answer it."""
