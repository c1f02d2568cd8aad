"""Drive a device on the other end of a port string: open it, call for cards, read what it tells.

    with Shuffler.open("bench:carousel-38?decks=6") as shuffler:
        shuffler.load(decks=6)
        print(shuffler.deal().card)

`open_device` opens whatever is there. Everything that can go wrong is a DeviceError: `problem` says
what happened, `hint` what to do.
"""

from cutcard.devices.any_device import AnyDevice, open_device
from cutcard.devices.card_device import CardDevice, Witness
from cutcard.devices.controller import Controller, Identity, TablePanel
from cutcard.devices.device import Counters, Device, Status
from cutcard.devices.errors import (
    AuthenticationFailed,
    BadArgument,
    BadPort,
    DeviceClosed,
    DeviceError,
    InFault,
    KeyMissing,
    KeysNotStored,
    KeyUnsafe,
    NoAnswer,
    NotInTime,
    NotProvisioned,
    OutOfStep,
    PortBusy,
    PortLost,
    PortNotFound,
    Refused,
    SchemaMismatch,
    StateLost,
    WrongDevice,
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
from cutcard.devices.keys import KeyStore
from cutcard.devices.laboratory import Laboratory
from cutcard.devices.log import DeviceLog, Intent
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.devices.wire import Frame, Tap

__all__ = [
    "AnyDevice",
    "AuthenticationFailed",
    "BadArgument",
    "BadPort",
    "Burned",
    "CardDealt",
    "CardDevice",
    "Controller",
    "Counters",
    "CuttingCard",
    "Device",
    "DeviceClosed",
    "DeviceError",
    "DeviceLog",
    "Event",
    "FaultRaised",
    "Frame",
    "Identity",
    "IdlePress",
    "InFault",
    "Intent",
    "KeyMissing",
    "KeyStore",
    "KeyUnsafe",
    "KeysNotStored",
    "Laboratory",
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
    "SchemaMismatch",
    "Shoe",
    "Shuffler",
    "Started",
    "StateLost",
    "Status",
    "TablePanel",
    "Tap",
    "Unloaded",
    "Witness",
    "WrongDevice",
    "open_device",
]
