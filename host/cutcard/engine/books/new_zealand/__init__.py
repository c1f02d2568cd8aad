"""New Zealand, Division 2: its rules for irregularities."""
