"""Shared by tests, campaigns, collections and reports: findings, laws and the verdict."""
