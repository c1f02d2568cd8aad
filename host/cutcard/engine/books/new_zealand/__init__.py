"""New Zealand, Division 2: its rules for irregularities, the cut and the button."""

NEW_ZEALAND = "nz-division-2"
