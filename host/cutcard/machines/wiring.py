"""The wiring diagram of a machine as SVG: a Pico's forty pins and their connections.

It is drawn from the pins of a machine file. It includes colours for light and dark mode and its own
background, so that it is readable on any page.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from cutcard.machines.library import Machine

# A Pico from above, USB at the top: a number is a GPIO, a text is another pin.
LEFT = (0, 1, "GND", 2, 3, 4, 5, "GND", 6, 7, 8, 9, "GND", 10, 11, 12, 13, "GND", 14, 15)
RIGHT = (
    *("VBUS", "VSYS", "GND", "3V3_EN", "3V3", "VREF", 28, "GND", 27, 26),
    *("RUN", 22, "GND", 21, 20, 19, 18, "GND", 17, 16),
)


@dataclass(frozen=True)
class Wire:
    """The connection of a pin. `group` chooses the colour; `drawn_down`: 4.7 kΩ to ground."""

    group: str
    to: str
    drawn_down: bool = False


GROUPS = {
    "serial": "serial line",
    "motor": "output to a motor or solenoid: low is safe",
    "light": "output to a light",
    "sensor": "input: 3.3 V, high is covered, open, pressed or stalled",
}
WIRES = {
    "link_tx": Wire("serial", "to the host's receiver"),
    "link_rx": Wire("serial", "from the host's transmitter"),
    "reader_tx": Wire("serial", "to the card reader"),
    "reader_rx": Wire("serial", "from the card reader"),
    "display_tx": Wire("serial", "to the displays"),
    "display_rx": Wire("serial", "from the displays"),
    "turn_step": Wire("motor", "wheel driver, step"),
    "turn_direction": Wire("motor", "wheel driver, direction"),
    "turn_enable": Wire("motor", "wheel driver, sleep", drawn_down=True),
    "pointer_step": Wire("motor", "pointer driver, step"),
    "pointer_direction": Wire("motor", "pointer driver, direction"),
    "feed": Wire("motor", "feed motor", drawn_down=True),
    "eject": Wire("motor", "eject motor", drawn_down=True),
    "gate": Wire("motor", "gate solenoid", drawn_down=True),
    "light_ready": Wire("light", "green light"),
    "light_fault": Wire("light", "red light"),
    "lamp": Wire("light", "lamp in the button"),
    "button": Wire("sensor", "button"),
    "tray": Wire("sensor", "tray sensor"),
    "entry": Wire("sensor", "entry sensor"),
    "home": Wire("sensor", "home sensor of the wheel"),
    "exit": Wire("sensor", "exit sensor"),
    "chute": Wire("sensor", "chute sensor"),
    "mouth": Wire("sensor", "mouth sensor"),
    "face": Wire("sensor", "face-up sensor"),
    "cut": Wire("sensor", "cutting card sensor"),
    "door": Wire("sensor", "door switch"),
    "stall": Wire("sensor", "stall, from the motor drivers"),
}

BOARD_NAMES = {"pico": "Raspberry Pi Pico or Pico 2", "pico2": "Raspberry Pi Pico 2"}
WIDTH, TOP, ROW = 960, 94, 26
BOARD_LEFT, BOARD_RIGHT, REACH = 390, 570, 80
STYLE = """
  svg { --paper: #fdfdfb; --ink: #1b1b1f; --soft: #6a6a70; --board: #e4efe6; --edge: #4f8a5b;
        --serial: #0b57a4; --motor: #b3261e; --light: #8a5a00; --sensor: #2e6b34; }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #17181b; --ink: #e8e8e4; --soft: #a0a0a8; --board: #1f2d24; --edge: #6fae7d;
          --serial: #8ab8f0; --motor: #ff9d92; --light: #f0c060; --sensor: #8fd19a; } }
  text { font: 14px system-ui, sans-serif; fill: var(--ink); }
  .title { font-size: 18px; font-weight: 600; } .soft { fill: var(--soft); font-size: 12px; }
  .name { font: 600 13px ui-monospace, monospace; } .to { fill: var(--soft); }
  .end { text-anchor: end; } .middle { text-anchor: middle; }
  .paper { fill: var(--paper); } .board { fill: var(--board); stroke: var(--edge); }
  .wire { fill: none; stroke-width: 2; } .pad { fill: var(--paper); stroke: var(--edge); }
  .serial { stroke: var(--serial); } .motor { stroke: var(--motor); }
  .light { stroke: var(--light); } .sensor { stroke: var(--sensor); }
"""


def wire_of(pin: str) -> Wire:
    """Return the connection of a pin; pins of tables are numbered."""
    name, _, number = pin.rpartition("_")
    if not number.isdecimal():
        return WIRES[pin]
    wire = WIRES[name]
    return Wire(wire.group, f"{wire.to}, table {number}", wire.drawn_down)


def wiring_svg(machine: Machine, board: str) -> str:
    """Return the diagram of a machine on one of its boards."""
    pins = {gpio: name for name, gpio in machine.pins[board].items()}
    bottom = TOP + 20 * ROW
    shapes = [
        f'<rect class="paper" width="{WIDTH}" height="{bottom + 160}" rx="8"/>',
        _text(WIDTH // 2, 34, f"{machine.name}: wiring of a {BOARD_NAMES[board]}", "title middle"),
        _text(WIDTH // 2, 56, "seen from above, USB at the top", "soft middle"),
        f'<rect class="board" x="{BOARD_LEFT}" y="{TOP - 6}" '
        f'width="{BOARD_RIGHT - BOARD_LEFT}" height="{20 * ROW + 12}" rx="8"/>',
        f'<rect class="pad" x="{WIDTH // 2 - 24}" y="{TOP - 22}" width="48" height="20" rx="3"/>',
        _text(WIDTH // 2, TOP - 8, "USB", "soft middle"),
    ]
    for row in range(20):
        y = TOP + row * ROW + ROW // 2
        shapes += _pin(LEFT[row], row + 1, y, pins, left=True)
        shapes += _pin(RIGHT[row], 40 - row, y, pins, left=False)
    shapes += _legend(bottom + 40, {wire_of(name).group for name in pins.values()})
    if any(wire_of(name).drawn_down for name in pins.values()):
        shapes.append(_text(74, bottom + 134, "▼  4.7 kΩ from this wire to ground", ""))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + 160}" '
        f'role="img" aria-label="Wiring of {escape(machine.name)}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


def _pin(kind: int | str, number: int, y: int, pins: dict[int, str], left: bool) -> list[str]:
    edge = BOARD_LEFT if left else BOARD_RIGHT
    inward, outward = (1, "end") if left else (-1, "")
    label = f"GP{kind}" if isinstance(kind, int) else kind
    shapes = [
        f'<circle class="pad" cx="{edge}" cy="{y}" r="6"/>',
        _text(edge + inward * 14, y + 5, label, "soft" if left else "soft end"),
        _text(WIDTH // 2 - inward * 10, y + 5, str(number), "soft end" if left else "soft"),
    ]
    if not isinstance(kind, int) or kind not in pins:
        return shapes
    name = pins[kind]
    wire = wire_of(name)
    end = edge - inward * REACH
    shapes.append(f'<path class="wire {wire.group}" d="M{edge - inward * 6} {y}H{end}"/>')
    arrives = wire.group == "sensor" or name.endswith("_rx")
    tip, back = (edge - inward * 8, edge - inward * 18) if arrives else (end, end + inward * 10)
    shapes.append(f'<path class="wire {wire.group}" d="M{back} {y - 5}L{tip} {y}L{back} {y + 5}"/>')
    mark = " ▼" if wire.drawn_down else ""
    words = (
        f'<tspan class="name">{escape(name)}</tspan>'
        f'<tspan class="to" dx="10">{escape(wire.to)}{mark}</tspan>'
    )
    shapes.append(f'<text x="{end - inward * 8}" y="{y + 5}" class="{outward}">{words}</text>')
    return shapes


def _legend(y: int, groups: set[str]) -> list[str]:
    shapes = []
    for row, (group, meaning) in enumerate((g, m) for g, m in GROUPS.items() if g in groups):
        at = y + 22 * row
        shapes.append(f'<path class="wire {group}" d="M60 {at}H100"/>')
        shapes.append(_text(112, at + 5, meaning, ""))
    return shapes


def _text(x: int, y: int, words: str, style: str) -> str:
    kind = f' class="{style.strip()}"' if style.strip() else ""
    return f'<text x="{x}" y="{y}"{kind}>{escape(words)}</text>'
