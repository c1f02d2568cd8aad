"""Collection: raw output and final outcomes of a bench, a board or the twin, with a manifest."""
