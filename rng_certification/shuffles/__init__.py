"""Tests of shuffles, each a permutation of 0 .. n-1, and the exact laws of two machines."""
