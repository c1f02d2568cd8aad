"""The exception for an invalid image, or for invalid files on a device.

It is separate from the format's reader, because a device that only needs its own key does not load
that.
"""


class Refused(Exception):
    """Raised for an image, or a file on the device, that is invalid."""

    def __init__(self, reason, which=0, name=""):
        self.reason = reason  # one of manifest.REASONS
        self.which = which & 0xFFFF
        self.name = name
