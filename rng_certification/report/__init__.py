"""The report on a campaign: for a regulator to read, and for anybody to check."""
