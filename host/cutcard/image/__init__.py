"""Firmware images: built reproducibly, signed, and explained."""
