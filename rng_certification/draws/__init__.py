"""Tests of draws from a range: the lists of GLI-11 and GLI-19, streamed."""
