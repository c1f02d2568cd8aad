"""Requirements of regulators and laboratories, clause by clause, and the tests that answer them."""
