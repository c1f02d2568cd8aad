"""Firmware images: building them reproducibly, signing them, and explaining refusals."""
