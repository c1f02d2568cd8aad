"""Drive a device on the other end of a port string: open it, call for cards, read what it tells.

    with Shuffler.open("bench:carousel-38?decks=6") as shuffler:
        shuffler.load(decks=6)
        print(shuffler.deal().card)

Everything that can go wrong is a DeviceError: `problem` says what happened, `hint` what to do.
"""

from cutcard.devices.controller import Controller
from cutcard.devices.errors import (
    AuthenticationFailed,
    BadArgument,
    BadPort,
    DeviceError,
    InFault,
    KeyMissing,
    KeyUnsafe,
    NoAnswer,
    NotInTime,
    NotProvisioned,
    OutOfStep,
    PortBusy,
    PortLost,
    PortNotFound,
    Refused,
    StateLost,
    WrongDevice,
    WrongTable,
)
from cutcard.devices.events import (
    Burned,
    CardDealt,
    CuttingCard,
    Event,
    FaultRaised,
    IdlePress,
    LaboratoryMode,
    LastCard,
    Loaded,
    NewIdentity,
    PrizeDrawn,
    ReadingsDiffer,
    Recovered,
    Resumed,
    Returned,
    Started,
    Unloaded,
)
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler

__all__ = [
    "AuthenticationFailed",
    "BadArgument",
    "BadPort",
    "Burned",
    "CardDealt",
    "Controller",
    "CuttingCard",
    "DeviceError",
    "Event",
    "FaultRaised",
    "IdlePress",
    "InFault",
    "KeyMissing",
    "KeyUnsafe",
    "LaboratoryMode",
    "LastCard",
    "Loaded",
    "NewIdentity",
    "NoAnswer",
    "NotInTime",
    "NotProvisioned",
    "OutOfStep",
    "PortBusy",
    "PortLost",
    "PortNotFound",
    "PrizeDrawn",
    "ReadingsDiffer",
    "Recovered",
    "Refused",
    "Resumed",
    "Returned",
    "Shoe",
    "Shuffler",
    "Started",
    "StateLost",
    "Unloaded",
    "WrongDevice",
    "WrongTable",
]
