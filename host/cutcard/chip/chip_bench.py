"""The bench with the emulated chip; all other parts are the bench's own."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from cutcard.bench.chip import MICROPYTHON_BLOCKS
from cutcard.bench.clock import clock
from cutcard.bench.flash import BLOCK, SIZE, FlashImage
from cutcard.bench.modelled_device import Kit
from cutcard.bench.noise import BenchNoise, Chance
from cutcard.bench.person.words import WORDS, Answer, DelayedAnswer, Vocabulary, parse
from cutcard.bench.plant import works_of
from cutcard.bench.process import BenchProcess
from cutcard.bench.settings import Settings, SettingsError
from cutcard.chip.emulated_device import ChipDevice
from cutcard.chip.host_load import crowd
from cutcard.chip.moment import Moment, kept, put_back
from cutcard.chip.parts import micropython
from cutcard.chip.person import CHIP_WORDS, LOOKING
from cutcard.chip.programming import programmed
from cutcard.chip.snapshot import Snapshot
from cutcard.chip.wheel import Wheel
from cutcard.machines import find


class ProgrammedFlash(FlashImage):
    """A flash chip delivered with `content`, or blank."""

    def __init__(self, image: Path, seed: str, content: Path | None) -> None:
        new = not image.exists() or image.stat().st_size != SIZE
        super().__init__(image, seed)
        self._content = content
        if new:
            self.program_all()

    def renew(self) -> None:
        super().renew()
        self.program_all()

    def program_all(self) -> None:
        if self._content is not None:
            self._file.seek(0)
            self._file.write(self._content.read_bytes())


START = 280.0  # seconds: a board checks its image and tests its noise, in emulation


class ChipBench(BenchProcess):
    words: ClassVar[Vocabulary] = {**WORDS, **CHIP_WORDS}
    device: ChipDevice

    def __init__(self, settings: Settings) -> None:
        machine = find(settings.machine)
        if "pico" not in machine.pins:
            raise SettingsError(
                f"{machine.name} has no pins for a Pico, so it cannot run on the emulated chip. "
                f"Add [pins.pico] to {machine.file} (docs/reference/machine-files.md, Pins). "
                f"Without pins, use `cutcard bench {machine.file}`"
            )
        self._snapshot: Snapshot | None = None  # to be made when the device is ready
        self._resumed = False
        self.start_seconds = START * crowd()
        self.moments: dict[str, Moment] = {}
        self._commanded = False  # whether a command has changed the machine since it arrived
        self._written = 0  # operations of its flash until it was ready
        super().__init__(settings)

    def _prepare(self) -> Path:
        return Path()

    def _make_kit(self) -> Kit:
        seed = self.seed
        content = None if self.settings.blank else programmed(self.machine)
        if not self.folder.micropython.exists():
            self.folder.micropython.write_bytes(micropython(MICROPYTHON_BLOCKS * BLOCK))
        return Kit(
            plant=works_of(self.machine, str(seed), Wheel),
            flash=ProgrammedFlash(self.folder.flash, str(seed), content),
            micropython=self.folder.micropython,
            noise=BenchNoise(f"{seed}/{self.folder.runs}"),
            chance=Chance(),
            serial=sha256(f"cutcard chip {self.machine.name} {seed}".encode()).digest()[:8],
            image=Path(),
            heap="",
            errors=self._short / "stderr",
            stock=self.settings.blank,
        )

    def _make_device(self) -> ChipDevice:
        return ChipDevice(self.kit, clock(self.settings.clock), self._to_host, self._plug)

    def _plug(self, there: bool) -> None:
        """Plug or unplug the board's USB port, with its power and at a reset."""
        if there:
            self.cable.replug()
        else:
            self.cable.unplug()
        self.watch()

    def hear(self, line: str) -> Answer | DelayedAnswer:
        answer = super().hear(line)
        self._commanded = self._commanded or parse(line, self.words)["do"] not in LOOKING
        return answer

    @property
    def touched(self) -> bool:
        """Return whether the machine was changed since it arrived."""
        return self._commanded or self.kit.flash.operations > self._written

    # Saved moments

    def keep(self, name: str) -> None:
        self.moments[name] = kept(self, self._short / f"board-{len(self.moments)}")

    def recall(self, name: str) -> None:
        put_back(self, self.moments[name])

    # Snapshots of a started device

    def _start(self) -> None:
        self._resumed = self._commanded = False
        if self._snapshot is not None:
            self._snapshot.leave()  # the previous device never got so far
        snapshot = self._snapshot_of_new_device()
        if snapshot is None or not snapshot.complete:
            self._snapshot = snapshot
            super()._start()
            return
        snapshot.give(self.folder.flash, self.folder.key)
        self._resumed = True
        self.is_ready = False
        self._provisioning = None
        self.device.resume(snapshot.board, snapshot.read())

    def _snapshot_of_new_device(self) -> Snapshot | None:
        """Return a snapshot for a device without a past in its folder that its seed can
        reproduce."""
        asked_for = self.settings.seed is not None and not self.settings.folder
        if self.settings.blank or not self.settings.provision or not asked_for:
            return None
        return Snapshot(programmed(self.machine), self.seed)

    def _needs_key(self) -> bool:
        return super()._needs_key() and not self._resumed

    def _get_ready(self) -> bool:
        if not (self.device.resting or self.device.gave_up) or not super()._get_ready():
            return False
        self._written = self.kit.flash.operations
        if self._snapshot is not None:
            self._snapshot.begin()
            self.device.save(self._snapshot.board)
            self._snapshot.write({**self.device.known(), **self.device.wiring.seen()})
            self._snapshot.finish(self.folder.flash, self.folder.key)
            self._snapshot = None
        return True

    def _close(self) -> None:
        device = self.device
        super()._close()
        device.close()
        if device.recording is not None:
            device.recording.close()
