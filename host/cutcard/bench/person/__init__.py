"""The person's port of the bench: its commands, and the server that answers them."""
