"""The start keeps modules of a slot in memory if they fit, and reads the others again."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from cutcard.bench.firmware import interpreter
from cutcard.image.build import build
from cutcard.machines import find
from cutcard_firmware.core.image import manifest as mf

MAIN = (Path(__file__).parents[1] / "cutcard_firmware" / "start" / "main.py").read_text()
VIEW = MAIN[MAIN.index("AIR =") : MAIN.index("def may_look")]
SCRIPT = f"""
import binascii, hashlib, io, json, os, struct, sys, vfs

class machine: pass

class gc:
    thresholds = []
    def collect(): pass
    def mem_free(): return AIR + int(sys.argv[3])
    def threshold(size): gc.thresholds.append(size)

{VIEW}
view = View(sys.argv[1], binascii.unhexlify(sys.argv[2]))
differ = view.differences()
kept = {{path: len(content) for path, content in view.read.items()}}
digests = {{}}
for number, name, size, digest in view.files:
    if name[0] != "/":
        with view.open("/" + name, "rb") as file:
            digests[name] = binascii.hexlify(hashlib.sha256(file.read(size)).digest()).decode()
print(json.dumps([len(differ), kept, digests, gc.thresholds]))
"""


@pytest.mark.parametrize("room", [-1, 30_000, 1_000_000])
def test_a_start_keeps_the_modules_that_fit_and_reads_the_others_again(
    tmp_path: Path, room: int
) -> None:
    image = build("rp2", find("carousel-38"), 1)
    (tmp_path / "manifest").write_bytes(image.manifest + image.signature)
    (tmp_path / mf.MODULES).write_bytes(image.in_slot)
    (tmp_path / "view.py").write_text(SCRIPT)
    digest = sha256(image.manifest).hexdigest()
    done = subprocess.run(
        [*interpreter(), "-X", "heapsize=8m", "view.py", ".", digest, str(room)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    differ, kept, digests, thresholds = json.loads(done.stdout)
    modules = {each.name: each.data for each in image.files if not each.name.startswith("/")}
    in_root = len(image.files) - len(modules)
    assert differ == in_root, "boot.py and main.py are not in this folder's root"
    assert digests == {name: sha256(data).hexdigest() for name, data in modules.items()}
    if room < 0:
        assert (kept, len(thresholds)) == ({}, 1)
    elif room > len(image.in_slot):
        assert set(kept) == {f"/{name}" for name in modules}
    else:
        left = room - sum(kept.values())
        assert (
            0 <= left < min(len(data) for name, data in modules.items() if f"/{name}" not in kept)
        )
