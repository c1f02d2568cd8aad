"""The procedures for irregularities that the rulebooks share."""
