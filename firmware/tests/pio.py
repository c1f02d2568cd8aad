"""A model of a PIO state machine, for the three programs that a board runs.

`programs` is imported with a stand-in for MicroPython's `rp2` that records instructions instead of
encoding them; `StateMachine` executes them, one cycle at a time. The model has only the
instructions that the programs use; any other one raises an error.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

PROGRAMS = Path(__file__).parent.parent / "cutcard_firmware" / "boards" / "rp2" / "programs.py"
MASK = 0xFFFFFFFF


@dataclass
class Instruction:
    name: str
    operands: tuple[Any, ...]
    delay: int = 0

    def __getitem__(self, delay: int) -> Instruction:
        self.delay = delay
        return self


@dataclass
class Program:
    settings: dict[str, Any]
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def word(self, name: str) -> Callable[..., Instruction]:
        def write(*operands: Any) -> Instruction:
            self.instructions.append(Instruction(name, operands))
            return self.instructions[-1]

        return write

    def label(self, name: str) -> None:
        self.labels[name] = len(self.instructions)


def asm_pio(**settings: Any) -> Callable[[FunctionType], Program]:
    def assemble(function: FunctionType) -> Program:
        program = Program(settings)
        names: dict[str, Any] = {"label": program.label, "rel": lambda index: ("rel", index)}
        for name in ("in_", "out", "jmp", "pull", "set", "mov", "irq", "nop"):
            names[name] = program.word(name)
        for name in ("pins", "x", "y", "isr", "osr", "pin", "block", "not_x", "x_dec", "y_dec"):
            names[name] = name
        FunctionType(function.__code__, names)()
        return program

    return assemble


class PIO:
    OUT_LOW, SHIFT_LEFT, SHIFT_RIGHT = 2, 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2


def load_programs() -> ModuleType:
    """Import the board's module of programs, assembled for this model."""
    stand_in = ModuleType("rp2")
    stand_in.__dict__.update(PIO=PIO, asm_pio=asm_pio)
    before = sys.modules.get("rp2")
    sys.modules["rp2"] = stand_in
    try:
        spec = importlib.util.spec_from_file_location("pio_programs", PROGRAMS)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        del sys.modules["rp2"]
        if before is not None:
            sys.modules["rp2"] = before
    return module


class StateMachine:
    """`levels()` returns the current input pins as a word, `jump_pin()` the pin of `jmp`."""

    def __init__(
        self,
        program: Program,
        levels: Callable[[], int] = lambda: 0,
        jump_pin: Callable[[], int] = lambda: 0,
    ) -> None:
        self.program = program
        self.levels = levels
        self.jump_pin = jump_pin
        joined = program.settings.get("fifo_join", PIO.JOIN_NONE)
        self.tx_depth = {PIO.JOIN_NONE: 4, PIO.JOIN_TX: 8, PIO.JOIN_RX: 0}[joined]
        self.rx_depth = {PIO.JOIN_NONE: 4, PIO.JOIN_TX: 0, PIO.JOIN_RX: 8}[joined]
        self.tx: deque[int] = deque()
        self.rx: deque[int] = deque()
        self.registers = {"x": 0, "y": 0, "isr": 0, "osr": 0}
        self.at = 0
        self.rest = 0  # remaining cycles of delay
        self.cycle = 0
        self.output = 0
        self.changes: list[tuple[int, int]] = []  # (cycle, level) of the pin that `set` drives
        self.interrupts: list[int] = []

    def put(self, word: int) -> None:
        assert len(self.tx) < self.tx_depth, "put would block"
        self.tx.append(word & MASK)

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self._step()
            self.cycle += 1

    def run_until_idle(self, most: int = 100_000_000) -> None:
        """Run until the program waits for a word and the FIFO is empty."""
        while self.cycle < most:
            if not self.rest and self._next().name == "pull" and not self.tx:
                return
            self.run(1)
        raise AssertionError("the program does not come to its pull")

    def _next(self) -> Instruction:
        return self.program.instructions[self.at]

    def _step(self) -> None:
        if self.rest:
            self.rest -= 1
            return
        instruction = self._next()
        following = (self.at + 1) % len(self.program.instructions)
        carry_out = getattr(self, "_" + instruction.name.rstrip("_"))
        goes_to = carry_out(*instruction.operands)
        if goes_to == "stall":
            return
        self.at = self.program.labels[goes_to] if goes_to else following
        self.at %= len(self.program.instructions)
        self.rest = instruction.delay

    def _pull(self, how: str) -> str | None:
        assert how == "block"
        if not self.tx:
            return "stall"
        self.registers["osr"] = self.tx.popleft()
        return None

    def _out(self, to: str, bits: int) -> None:
        assert self.program.settings["out_shiftdir"] == PIO.SHIFT_RIGHT
        self.registers[to] = self.registers["osr"] & (1 << bits) - 1
        self.registers["osr"] >>= bits

    def _in(self, source: str, bits: int) -> str | None:
        assert source == "pins"
        assert self.program.settings["autopush"]
        assert self.program.settings["push_thresh"] == bits
        assert self.program.settings["in_shiftdir"] == PIO.SHIFT_LEFT
        if len(self.rx) == self.rx_depth:
            return "stall"
        self.rx.append(self.levels() & (1 << bits) - 1)
        return None

    def _jmp(self, condition: str, label: str | None = None) -> str | None:
        if label is None:
            return condition
        if condition == "pin":
            return label if self.jump_pin() else None
        register = condition.replace("not_", "")[0]
        value = self.registers[register]
        if condition.startswith("not_"):
            return label if value == 0 else None
        self.registers[register] = (value - 1) & MASK
        return label if value else None

    def _set(self, to: str, value: int) -> None:
        assert to == "pins"
        if value != self.output:
            self.output = value
            self.changes.append((self.cycle, value))

    def _mov(self, to: str, source: str) -> None:
        self.registers[to] = self.registers[source]

    def _irq(self, index: tuple[str, int]) -> None:
        assert index == ("rel", 0)
        self.interrupts.append(self.cycle)

    def _nop(self) -> None:
        pass
