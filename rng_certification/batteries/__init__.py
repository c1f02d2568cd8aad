"""Runs established batteries (dieharder, PractRand, TestU01), where they are installed."""
