"""The procedure that the rulebooks share when something goes wrong in a round."""
