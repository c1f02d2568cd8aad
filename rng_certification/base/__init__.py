"""The base of tests, campaigns, collections and reports: findings, laws, judgement."""
