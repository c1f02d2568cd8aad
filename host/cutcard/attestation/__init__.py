"""Is what lies in a device's flash what was put there? Asked by challenge, not by request."""
