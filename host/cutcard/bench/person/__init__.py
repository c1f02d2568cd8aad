"""The person at the bench: what can be said at the second port, and who listens there."""
