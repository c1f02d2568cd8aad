"""Tests of raw bits in addition to SP 800-22, for example for short faults in long files."""
