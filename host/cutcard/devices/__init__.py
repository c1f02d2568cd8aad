"""Devices on the other end of a port string: open one, call for cards, read what it tells.

with Shuffler.open("bench:carousel-38?decks=6") as shuffler:
    shuffler.load(decks=6)
    print(shuffler.deal().card)
"""

from cutcard.devices.controller import Controller
from cutcard.devices.errors import DeviceError
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler

__all__ = ["Controller", "DeviceError", "Shoe", "Shuffler"]
