"""The British rulebook: its rules for irregularities."""
