"""Run established batteries (dieharder, PractRand, TestU01), if they are installed."""
