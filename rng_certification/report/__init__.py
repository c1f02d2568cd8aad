"""The report on a campaign, readable for a regulator and verifiable by everyone."""
