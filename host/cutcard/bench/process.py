"""The bench process: it contains a device and its machine, and serves the host and the person.

It has one loop and one thread. It blocks while no event is due, so an idle bench uses no processor
time, and it never sleeps.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from cutcard.bench.cable import Cable, Network, PseudoTerminal
from cutcard.bench.chip import micropython_part
from cutcard.bench.clock import clock
from cutcard.bench.firmware import compiled
from cutcard.bench.flash import FlashImage
from cutcard.bench.folder import BenchFolder
from cutcard.bench.loop import Handler, Loop, Signals
from cutcard.bench.modelled_device import Kit, ModelledDevice, Running
from cutcard.bench.noise import BenchNoise, Chance
from cutcard.bench.person.port import PersonPort
from cutcard.bench.person.visitor import Visitor
from cutcard.bench.person.words import (
    WORDS,
    Answer,
    DelayedAnswer,
    Vocabulary,
    WordError,
    obey,
    parse,
)
from cutcard.bench.plant import Panel, Plant, works_of
from cutcard.bench.provision import Provisioning
from cutcard.bench.settings import Settings
from cutcard.machines import find

START = 60.0  # wall-clock seconds until host and person may connect; a start takes a quarter of one


class BenchFailedError(Exception):
    """The firmware did not start; the text has its output."""


class BenchProcess:
    start_seconds = START
    words: ClassVar[Vocabulary] = WORDS

    def __init__(self, settings: Settings) -> None:
        # Flash, key, cards and seed are readable only by their owner, also in the firmware's
        # process.
        os.umask(0o077)
        self.settings = settings
        # First of all: a bench that is ended during its setup must end properly, too.
        self._signals = Signals()
        self.machine = find(settings.machine)
        self.mishaps: list[str] = []
        self.is_ready = False
        self._ended = False
        self._provisioning: Provisioning | None = None
        # Socket paths must be short, so they have a separate folder.
        self._temporary = tempfile.TemporaryDirectory(prefix="cutcard-")
        self._short = Path(self._temporary.name)
        self.folder = BenchFolder(Path(settings.folder) if settings.folder else self._short)
        self.folder.check(self.machine.name, settings.seed)
        # One image for all devices of this process: it uses the codec loaded here.
        self._image = self._prepare()
        self.seed = self._first_seed()
        self.kit = self._make_kit()
        self.folder.restore(self.kit.plant, self.kit.flash)
        if self.folder.was_killed:
            print(
                f"the last bench in {self.folder.path} was killed: its cards are back where they "
                "were when it started, and the device remembers more. It may report a fault: "
                "unload it, or start with another --dir, which makes a new device",
                file=sys.stderr,
                flush=True,
            )
        self.device: Running = self._make_device()
        self.cable = self._lay_cable()
        self.person = PersonPort(self._short / "person")
        self._loop = Loop()
        self.device.on_change = self.watch
        self.device.on_crash = self._show_crash
        self._errors_shown = 0
        self._put(*settings.decks_and_pack())

    # Making devices

    def _first_seed(self) -> int:
        if self.settings.seed is not None:
            return self.settings.seed
        return secrets.randbelow(1 << 32) if self.folder.seed is None else self.folder.seed

    def _prepare(self) -> Path:
        return compiled(self.machine, self.settings.lines)

    def _make_device(self) -> Running:
        return ModelledDevice(self.kit, clock(self.settings.clock), self._to_host)

    def _make_kit(self) -> Kit:
        seed = self.seed
        return Kit(
            plant=works_of(self.machine, str(seed)),
            flash=FlashImage(self.folder.flash, str(seed)),
            micropython=micropython_part(self.folder.micropython),
            # A device that is switched on again has other noise than before.
            noise=BenchNoise(f"{seed}/{self.folder.runs}"),
            chance=Chance(),
            serial=sha256(f"cutcard bench {self.machine.name} {seed}".encode()).digest()[:8],
            image=self._image,
            heap=self.settings.heap,
            errors=self._short / "stderr",
            stock=self.settings.blank,
        )

    def _lay_cable(self) -> Cable:
        if self.settings.listen:
            host, _, port = self.settings.listen.rpartition(":")
            return Network(host, int(port))
        return PseudoTerminal(self.folder.path / "port")

    def make_device(self, seed: int | None, decks: str) -> None:
        """Replace the device, with its cards, by a new one on a new cable."""
        chosen = Settings(decks=decks).decks_and_pack()
        self.device.power_off()
        self.cable.unplug()  # a host that never disconnected keeps the old cable
        self.cable.replug()
        self.kit.flash.close()
        self.folder.forget()
        self.mishaps.clear()
        self.seed = secrets.randbelow(1 << 32) if seed is None else seed
        self.kit = self._make_kit()
        self.kit.flash.renew()
        self.device.renew(self.kit, clock(self.settings.clock))
        self._put(*chosen)
        self._start()

    def _put(self, decks: int, pack: int) -> None:
        if decks:
            obey(self, {"do": "put", "decks": decks, "pack": pack})

    def _start(self) -> None:
        self.is_ready = False
        self._provisioning = None
        self.device.power_on()

    @property
    def plant(self) -> Plant:
        if not isinstance(self.kit.plant, Plant):
            raise WordError("a controller has no cards", "see `press` and `display`")
        return self.kit.plant

    @property
    def panel(self) -> Panel:
        if not isinstance(self.kit.plant, Panel):
            raise WordError(
                f"a {self.machine.kind} has no buttons", "start the bench with controller-4"
            )
        return self.kit.plant

    # The loop

    def run(self, announce: Callable[[Answer], None]) -> None:
        """Run until a client ends it. `announce` is called once, when host and person may
        connect."""
        try:
            deadline = time.monotonic() + self.start_seconds
            self._start()
            while not self.is_ready and not self._ended:
                self._turn(deadline)
            if not self._ended:
                self._keep(ended=False)  # if it is killed, the next start has other noise too
                if self.settings.stays:
                    self.folder.say_where(self.introduction())
                announce(self.introduction())
            while not self._ended:
                self._turn()
        finally:
            self._close()

    def _turn(self, deadline: float | None = None) -> None:
        # In this order: `get ready` sends data that wakes the firmware.
        became_ready = not self.is_ready and self._get_ready()
        wait = self.device.pass_time()
        if became_ready:
            wait = 0.0  # answer a waiting client before the next wait
        elif deadline is not None:
            left = deadline - time.monotonic()
            if left <= 0:
                raise BenchFailedError(self._too_late())
            wait = left if wait is None else min(wait, left)
        answered = self.person.somebody_waits and self.person.serve_waiting(self.hear)
        if wait != 0.0 and not answered:
            self._loop.wait(wait)

    def _get_ready(self) -> bool:
        """Return whether the firmware is ready; a blank one gets its key first."""
        if self.device.gave_up:
            raise BenchFailedError(
                "the firmware does not start; its output is above. "
                f"Is a heap of {self.settings.heap} enough? {self._other_folder()}"
            )
        if not self.device.ready:
            return False
        if self._needs_key() and self._provisioning is None:
            self._provisioning = Provisioning(self.folder.key, self.device.from_host)
            self._provisioning.begin()
        if self._provisioning is None or self._provisioning.done:
            if self._provisioning is not None and self._provisioning.lost_key:
                print(
                    f"the device in {self.folder.path} had lost its key: its flash was blank or "
                    "damaged, so it starts as a new one, with a new key",
                    file=sys.stderr,
                    flush=True,
                )
            self._provisioning = None
            self.folder.name_key(self.kit.serial)
            self.is_ready = True
            self.watch()
        return self.is_ready

    def _needs_key(self) -> bool:
        return self.settings.provision and not self.settings.blank

    def _too_late(self) -> str:
        said = self.firmware_errors()[self._errors_shown :].strip()
        what = f"it printed:\n{said}" if said else "it printed no text"
        late = f"the firmware was not ready within {self.start_seconds:g} s"
        return f"{late}; {what}\n{self._other_folder()}"

    def _other_folder(self) -> str:
        """Return the next step for a device that does not start."""
        if not self.settings.folder:
            return "Is this computer very busy? Start it again."
        return (
            f"The content of {self.folder.path} may be damaged: restore a copy of it, "
            "or start with another --dir, which makes a new device."
        )

    def introduction(self) -> Answer:
        """Return the data that a host and a person need to connect to this bench."""
        return {
            "ready": True,
            "machine": self.machine.name,
            "kind": self.machine.kind,
            "port": self.cable.port,
            "person": str(self.person.path),
            "serial": self.kit.serial.hex(),
            "key_file": str(self.folder.key) if self.folder.key.exists() else None,
            "seed": self.seed,
            "folder": str(self.folder.path),
        }

    def firmware_errors(self) -> str:
        return self.kit.errors.read_text(errors="replace") if self.kit.errors.exists() else ""

    def _show_crash(self) -> None:
        """Show a crash of the firmware on stderr, however the bench was started."""
        said = self.firmware_errors()
        print(f"the firmware crashed:\n{said[self._errors_shown :]}", file=sys.stderr, flush=True)
        self._errors_shown = len(said)

    def hear(self, line: str) -> Answer | DelayedAnswer:
        return obey(self, parse(line, self.words))

    def invite(self, visitor: Visitor) -> None:
        """Add a client that does not use the person's port: the bench's own terminal."""
        self.person.visitors[visitor.fileno()] = visitor

    def end(self) -> None:
        self._ended = True

    # Watching

    def watch(self) -> None:
        """Watch all connections. The host has to wait until the device is ready."""
        speakers: dict[int, Handler] = {
            self._signals.fileno(): self.end,
            self.person.fileno(): self._welcome,
        }
        if self.device.interpreter is not None:
            speakers[self.device.interpreter.output] = self.device.firmware_spoke
            if isinstance(self.device, ModelledDevice) and self.device.interpreter.console >= 0:
                speakers[self.device.interpreter.console] = self.device.prompt_spoke
        if self.is_ready:
            for source in self.cable.inputs():
                speakers[source] = partial(self._host_spoke, source)
        for number in self.person.visitors:
            speakers[number] = partial(self._person_spoke, number)
        self._loop.listen_to(speakers, self.cable.output())

    def _host_spoke(self, source: int) -> None:
        waiting = self.cable.output()
        if waiting is not None:
            self.cable.flush()
        known = self.cable.inputs()
        self.device.from_host(self.cable.receive(source))
        if self.cable.inputs() != known or self.cable.output() != waiting:
            self.watch()

    def _to_host(self, data: bytes) -> None:
        if self._provisioning is not None:
            self._provisioning.receive(data)
            return
        before = self.cable.output()
        self.cable.send(data)
        if self.cable.output() != before:
            self.watch()

    def _welcome(self) -> None:
        self.person.welcome()
        self.watch()

    def _person_spoke(self, number: int) -> None:
        visitor = self.person.visitors[number]
        if visitor.read():
            visitor.serve(self.hear)
            return
        if visitor.keeps_bench:
            self.end()
        self.person.leave(number)
        self.watch()

    def _close(self) -> None:
        self.device.on_change = lambda: None
        self.device.power_off()
        self._keep(ended=True)
        self.kit.flash.close()
        self.cable.close()
        self._signals.close()
        self.folder.close()
        # last: the client that ended the bench waits for this, and may then use the folder
        self.person.close()
        self._temporary.cleanup()

    def _keep(self, *, ended: bool) -> None:
        kit = self.kit
        self.folder.keep(self.seed, self.machine.name, kit.plant, kit.flash, ended=ended)
