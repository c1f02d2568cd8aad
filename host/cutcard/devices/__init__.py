"""Drive a device at a port: open it, call for cards, and read its events.

    with Shuffler.open("bench:carousel-60?decks=6") as shuffler:
        shuffler.load(decks=6)
        print(shuffler.deal().card)

`open_device` opens a device of any kind. Every expected failure raises a DeviceError: `problem` is
the failure, `hint` the next step.
"""

from typing import TYPE_CHECKING

from cutcard.devices.any_device import AnyDevice, open_device
from cutcard.devices.card_device import CardDevice, Witness
from cutcard.devices.controller import Controller, Identity, TablePanel
from cutcard.devices.device import Counters, Device, Status
from cutcard.devices.errors import (
    AuthenticationFailedError,
    BadArgumentError,
    BadPortError,
    CommandRefusedError,
    DeviceClosedError,
    DeviceError,
    InFaultError,
    KeyMissingError,
    KeysNotStoredError,
    KeyUnsafeError,
    NoAnswerError,
    NotInTimeError,
    NotProvisionedError,
    OutOfStepError,
    PortBusyError,
    PortLostError,
    PortNotFoundError,
    SchemaMismatchError,
    StateLostError,
    WrongDeviceError,
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
    UnknownEvent,
    Unloaded,
)
from cutcard.devices.keys import KeyStore
from cutcard.devices.laboratory import Laboratory
from cutcard.devices.log import DeviceLog, Intent, UnloggedDeviceWarning
from cutcard.devices.shoe import Shoe
from cutcard.devices.shuffler import Shuffler
from cutcard.devices.wire import Frame, Tap
from cutcard.renamed import renamed

__all__ = [
    "AnyDevice",
    "AuthenticationFailedError",
    "BadArgumentError",
    "BadPortError",
    "Burned",
    "CardDealt",
    "CardDevice",
    "CommandRefusedError",
    "Controller",
    "Counters",
    "CuttingCard",
    "Device",
    "DeviceClosedError",
    "DeviceError",
    "DeviceLog",
    "Event",
    "FaultRaised",
    "Frame",
    "Identity",
    "IdlePress",
    "InFaultError",
    "Intent",
    "KeyMissingError",
    "KeyStore",
    "KeyUnsafeError",
    "KeysNotStoredError",
    "Laboratory",
    "LaboratoryMode",
    "LastCard",
    "Loaded",
    "NewIdentity",
    "NoAnswerError",
    "NotInTimeError",
    "NotProvisionedError",
    "OutOfStepError",
    "PortBusyError",
    "PortLostError",
    "PortNotFoundError",
    "PrizeDrawn",
    "ReadingsDiffer",
    "Recovered",
    "Resumed",
    "Returned",
    "SchemaMismatchError",
    "Shoe",
    "Shuffler",
    "Started",
    "StateLostError",
    "Status",
    "TablePanel",
    "Tap",
    "UnknownEvent",
    "Unloaded",
    "UnloggedDeviceWarning",
    "Witness",
    "WrongDeviceError",
    "open_device",
]

if not TYPE_CHECKING:  # for programs written for version 0.1
    __getattr__ = renamed(
        __name__,
        {
            "AuthenticationFailed": "AuthenticationFailedError",
            "BadArgument": "BadArgumentError",
            "BadPort": "BadPortError",
            "DeviceClosed": "DeviceClosedError",
            "InFault": "InFaultError",
            "KeyMissing": "KeyMissingError",
            "KeyUnsafe": "KeyUnsafeError",
            "KeysNotStored": "KeysNotStoredError",
            "NoAnswer": "NoAnswerError",
            "NotInTime": "NotInTimeError",
            "NotProvisioned": "NotProvisionedError",
            "OutOfStep": "OutOfStepError",
            "PortBusy": "PortBusyError",
            "PortLost": "PortLostError",
            "PortNotFound": "PortNotFoundError",
            "Refused": "CommandRefusedError",
            "SchemaMismatch": "SchemaMismatchError",
            "StateLost": "StateLostError",
            "WrongDevice": "WrongDeviceError",
        },
    )
