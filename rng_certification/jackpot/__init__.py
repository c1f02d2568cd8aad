"""Tests of the jackpot button: prizes by number, by table and by player."""
