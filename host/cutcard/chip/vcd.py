"""A value change dump of the pins: the file format of logic viewers such as GTKWave."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_FIRST = 33  # the first of the printable characters that identify a line


class Recording:
    """One line for each pin of the machine file, in microseconds of the bench's time."""

    def __init__(self, file: Path, pins: Mapping[str, int], levels: Mapping[int, int]) -> None:
        self.file = file
        self._file = file.open("w")
        self._codes = {gpio: chr(_FIRST + gpio) for gpio in pins.values()}
        self._now = -1
        self._levels: dict[int, int] = {}
        self._write_head(pins, levels)

    def _write_head(self, pins: Mapping[str, int], levels: Mapping[int, int]) -> None:
        lines = ["$timescale 1us $end", "$scope module pico $end"]
        for name, gpio in sorted(pins.items(), key=lambda pin: pin[1]):
            lines.append(f"$var wire 1 {self._codes[gpio]} GP{gpio}_{name} $end")
        lines += ["$upscope $end", "$enddefinitions $end", "$dumpvars"]
        lines += [f"{levels.get(gpio, 'x')}{code}" for gpio, code in sorted(self._codes.items())]
        self._levels.update(levels)
        self._file.write("\n".join([*lines, "$end", ""]))

    def write(self, micros: float, levels: list[tuple[int, int]]) -> None:
        """Write pins that changed at this time. Unchanged levels are not written."""
        new = [(g, v) for g, v in levels if g in self._codes and self._levels.get(g) != v]
        if not new:
            return
        if (now := max(self._now, int(micros))) > self._now:
            self._now = now
            self._file.write(f"#{now}\n")
        self._levels.update(new)
        self._file.writelines(f"{level}{self._codes[gpio]}\n" for gpio, level in new)

    def close(self) -> None:
        self._file.close()
