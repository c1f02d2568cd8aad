"""Attestation: a challenge that shows whether a device's flash holds what was put there."""
