"""The board's own instructions for curves, SHA-256, SHA-512, frames and noise on the emulated chip.

The tests use published vectors, inputs that must be rejected, and numbers at word boundaries.
"""

from __future__ import annotations

import ast
import hmac
from collections.abc import Iterator
from random import Random

import pytest

from cutcard.image.compiling import SOURCES, image, modules
from cutcard.image.flat_layout import flattened, packages
from cutcard_firmware.core.byte_ops import mix, shorten
from cutcard_firmware.core.link import frame
from firmware.tests.interpreters import FIRMWARE
from hil_tests.chip_parts import need_the_chip
from hil_tests.chip_prompt import Prompt

pytestmark = pytest.mark.timeout(900)
SCRIPTS = FIRMWARE.parent / "tests" / "scripts"
CHECKS = FIRMWARE / "checks"
P = (1 << 255) - 19


@pytest.fixture(scope="module")
def prompt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prompt]:
    need_the_chip()
    texts = {name: text for name, text in modules("rp2", "controller").items() if "/" in name}
    files = image(texts, lines=False)
    scripts = [SCRIPTS / f"{name}.py" for name in ("signatures", "agreement", "sealing")]
    for script in (*scripts, CHECKS / "health.py", CHECKS / "doubles.py"):
        flat = flattened({script.name: script.read_text()}, packages(SOURCES))
        files[script.name] = flat[script.name].encode()
    prompt = Prompt(tmp_path_factory.mktemp("chip"), files)
    yield prompt
    prompt.close()


@pytest.mark.parametrize("script", ["signatures", "agreement", "sealing", "health"])
def test_scripts_for_every_interpreter_pass_on_the_board(prompt: Prompt, script: str) -> None:
    folder = CHECKS if script == "health" else SCRIPTS
    tests = [
        node.name
        for node in ast.parse((folder / f"{script}.py").read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert tests
    prompt.run(f"import {script}\n" + "".join(f"{script}.{test}()\n" for test in tests))


def test_sums_differences_and_products_are_correct_at_word_boundaries(prompt: Prompt) -> None:
    edges = (0, 1, 19, P - 1, P, P + 1, 2 * P, 2**255, 2**256 - 39, 2**256 - 38, 2**256 - 1)
    chance = Random(25519)
    numbers = [*edges, *(chance.getrandbits(256) for _ in range(9))]
    prompt.run(
        "from core.field import P, Registers\n"
        f"numbers = {numbers!r}\n"
        "held = Registers(7)\n"
        "for a in numbers:\n"
        "    for b in numbers:\n"
        "        held.set(2, a)\n"
        "        held.set(3, b)\n"
        "        held.run(bytes((0, 4, 2, 3, 1, 5, 2, 3, 2, 6, 2, 3)))\n"
        "        found = held.get(4), held.get(5), held.get(6)\n"
        "        assert found == (a * b % P, (a + b) % P, (a - b) % P), (a, b)\n"
    )


def test_addition_to_a_generators_state_carries_correctly(prompt: Prompt) -> None:
    prompt.run(
        "from core.byte_ops import add\n"
        "for size in (1, 2, 55):\n"
        "    for a in (bytes(size), b'\\xff' * size, bytes(range(200, 200 + size))):\n"
        "        for b in (b'\\x01', b'\\xff' * 8, b'\\xff' * size, bytes(range(32)), b''):\n"
        "            sum = bytearray(a)\n"
        "            add(sum, b)\n"
        "            sum_of_both = int.from_bytes(a, 'big') + int.from_bytes(b[-size:], 'big')\n"
        "            assert int.from_bytes(sum, 'big') == sum_of_both % (1 << 8 * size), (a, b)\n"
    )


def test_byte_comparison_mixing_and_reduction_match_the_host(prompt: Prompt) -> None:
    numbers = [0, 1, 127, 128, 16383, 16384, 2**21, 2**31 - 1, 2**31, 2**32 - 1]
    short = bytearray(5 * len(numbers))
    size = shorten(numbers, 1, len(numbers), short)
    printed = prompt.run(
        "from array import array\n"
        "from core.byte_ops import difference, mix, shorten\n"
        "same = bytes(range(16))\n"
        "print(difference(same, bytearray(same), 0, 16))\n"
        "for at in range(16):\n"
        "    other = bytearray(same)\n"
        "    other[at] ^= 128\n"
        "    assert difference(same, other, 0, 16)\n"
        "    assert difference(same, bytes(3) + other, 3, 16)\n"
        "data = bytearray(same)\n"
        "mixed = mix(data, 0, 16, bytes(range(15, -1, -1))), mix(data, 14, 16, same)\n"
        "print(*mixed, data.hex())\n"
        f"some = bytearray({len(short)})\n"
        f"print(shorten(array('I', {numbers}), 1, {len(numbers)}, some), some.hex())\n"
    )
    data = bytearray(range(16))
    mix(data, 0, 16, bytes(range(15, -1, -1)))
    mix(data, 14, 16, bytes(range(16)))
    assert printed.split() == ["0", "16", "2", data.hex(), str(size), short.hex()]


def test_keyed_hashes_match_the_library_at_every_length_up_to_two_blocks(prompt: Prompt) -> None:
    """The heap keeps no garbage, and the work memory keeps no part of the key."""
    chance = Random(256)
    key, data = chance.randbytes(32), chance.randbytes(250)
    sizes = [*range(140), 183, 184, 191, 192, 193, 249, 250]
    printed = prompt.run(
        "import gc\n"
        "from core.mac import Mac\n"
        f"mac, data, out = Mac({key!r}), {data!r}, bytearray(32)\n"
        f"for size in {sizes}:\n"
        "    mac.over(data, size, out)\n"
        "    print(out.hex())\n"
        "before = left = 0\n"  # a new name also takes memory occasionally
        "gc.collect()\n"
        "gc.disable()\n"
        "before = gc.mem_alloc()\n"
        "mac.over(data, 100, out)\n"
        "left = gc.mem_alloc() - before\n"
        "gc.enable()\n"
        "assert left == 0, left\n"
        "mac.wipe()\n"
        "assert not any(mac.inner) and not any(mac.outer)\n"
    )
    assert printed.split() == [hmac.digest(key, data[:size], "sha256").hex() for size in sizes]


def test_hashes_with_short_keys_and_several_parts_match_the_library(prompt: Prompt) -> None:
    printed = prompt.run(
        "from core.mac import Mac\n"
        "for size in (0, 1, 8, 31, 32, 63, 64):\n"
        "    print(Mac(bytes(range(size))).digest(b'some ', b'', b'parts').hex())\n"
    )
    keys = [bytes(range(size)) for size in (0, 1, 8, 31, 32, 63, 64)]
    assert printed.split() == [hmac.digest(key, b"some parts", "sha256").hex() for key in keys]


def test_frames_are_encoded_and_decoded_as_on_the_host(prompt: Prompt) -> None:
    chance = Random(249)
    bodies = [chance.randbytes(size) for size in (1, 2, 40, 248, 249)]
    bodies += [bytes(size) for size in (1, 2, 249)] + [b"\xff" * 249, b"\0\x01" * 20]
    printed = prompt.run(
        "from core.frame import decode, encode\n"
        f"for body in {bodies!r}:\n"
        "    framed = encode(body)\n"
        "    print(framed.hex())\n"
        "    assert decode(framed[1:-1]) == body\n"
        "    for at in range(1, len(framed) - 1):\n"
        "        wrong = bytearray(framed[1:-1])\n"
        "        wrong[at - 1] ^= 1 + at % 255\n"
        "        assert decode(wrong) is None, (body, at)\n"
    )
    assert printed.split() == [frame.encode(body).hex() for body in bodies]
