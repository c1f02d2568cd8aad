"""The exception for an image, or for files on a device, that are not what they must be.

It stands apart from the format's reader: a device that only wants its own key does without that."""


class Refused(Exception):
    """An image, or what lies on the device, is not what it must be."""

    def __init__(self, reason, which=0, name=""):
        self.reason = reason  # one of manifest.REASONS
        self.which = which & 0xFFFF
        self.name = name
