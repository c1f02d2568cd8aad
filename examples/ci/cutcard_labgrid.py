"""A labgrid driver for a shuffler, a shoe or a controller.

In the environment file, `imports: [cutcard_labgrid.py]`, a resource (`CutcardPort`, or the
`RawSerialPort`, `USBSerialPort` or `NetworkSerialPort` of an exporter) and `CutcardDriver`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import attr
from labgrid.driver import Driver
from labgrid.factory import target_factory
from labgrid.resource import Resource
from labgrid.step import step

from cutcard.devices import AnyDevice, open_device


@target_factory.reg_resource
@attr.s(eq=False)
class CutcardPort(Resource):
    """A port string: `bench:carousel-38?decks=1`, `chip:carousel-38` or `/dev/ttyACM0`."""

    port: str = attr.ib(validator=attr.validators.instance_of(str))


@target_factory.reg_driver
@attr.s(eq=False)
class CutcardDriver(Driver):
    """Opens the device at activation and closes it at deactivation; `device` is its driver."""

    bindings: ClassVar[dict[str, set[str]]] = {
        "port": {"CutcardPort", "RawSerialPort", "USBSerialPort", "NetworkSerialPort"},
    }

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self._device: AnyDevice | None = None

    def on_activate(self) -> None:
        """Open a session with the device."""
        self._device = open_device(_port_string(self.port))

    def on_deactivate(self) -> None:
        """Close the session; the board stays as it is."""
        if self._device is not None:
            self._device.close()
            self._device = None

    @property
    def device(self) -> AnyDevice:
        """Return the driver of cutcard. Raises RuntimeError unless this driver is active."""
        if self._device is None:
            raise RuntimeError("CutcardDriver is not active; call target.activate(driver) first")
        return self._device

    @Driver.check_active
    @step(args=["decks"])
    def load(self, decks: int = 1) -> None:
        """Take in decks and count them."""
        self.device.load(decks)

    @Driver.check_active
    @step(args=["cards"], result=True)
    def deal(self, cards: int = 1) -> list[str]:
        """Call for cards, and return them as labgrid logs them."""
        return [str(self.device.deal().card) for _ in range(cards)]


def _port_string(resource: Any) -> str:
    """Return the port string of a resource of labgrid."""
    if type(resource).__name__ == "NetworkSerialPort":
        return f"rfc2217://{resource.host}:{resource.port}"
    return str(resource.port)
