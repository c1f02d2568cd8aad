"""Tests of raw bits beside SP 800-22, for what that misses: short faults in long files."""
