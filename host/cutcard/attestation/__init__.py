"""Attestation: a challenge that verifies the content of a device's flash."""
