"""The firmware imports no module of MicroPython that can reach a radio or a network."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "cutcard_firmware"
RADIO = {
    "_bluetooth",
    "aioble",
    "bluetooth",
    "cyw43",
    "espnow",
    "lwip",
    "mip",
    "network",
    "requests",
    "socket",
    "ssl",
    "tls",
    "ubluetooth",
    "urequests",
    "usocket",
    "ussl",
    "webrepl",
}


def radio_modules(source: str) -> list[str]:
    """Return the radio modules that a source imports, or names in a text for a later import."""
    named = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named.add(node.value.split(".")[0])
    return sorted(named & RADIO)


def test_firmware_imports_no_radio_or_network_module() -> None:
    files = sorted(SOURCES.rglob("*.py"))
    assert len(files) > 50
    found = {str(file): radio_modules(file.read_text("utf-8")) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_radio_modules_finds_imports_and_names_in_text() -> None:
    assert radio_modules("import network\nfrom socket import socket") == ["network", "socket"]
    assert radio_modules("__import__('bluetooth.ble')") == ["bluetooth"]
    assert radio_modules("from .network import own_module") == []
