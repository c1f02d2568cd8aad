"""The one exception of images and of what lies on a device, apart from the format's reader: a
device that only wants its own key need not load that."""


class Refused(Exception):
    """An image, or what lies on the device, is not what it must be."""

    def __init__(self, reason, which=0, name=""):
        self.reason = reason  # one of manifest.REASONS
        self.which = which & 0xFFFF
        self.name = name
