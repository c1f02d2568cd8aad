"""Tests of the jackpot button: prizes by their number, table by table and player by player."""
