"""The fuzz targets: each parser of untrusted input as a function of bytes.

A target returns or raises one of the errors that its module documents; anything else is a finding.
Imports are inside the functions, so that a run loads only the code of its target.
"""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from tests.fuzz.edits import Instructions, edited

HOST = Path(__file__).parents[2]
KEY = bytes(range(32))


@dataclass(frozen=True)
class Target:
    """`run` must not raise for any bytes; `seeds` are valid inputs to start from."""

    run: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    most: int = 2048  # largest input in bytes


TARGETS: dict[str, Target] = {}


def target(seeds: Callable[[], Iterable[bytes]], most: int = 2048) -> Callable[..., Any]:
    def add(run: Callable[[bytes], object]) -> Callable[[bytes], object]:
        TARGETS[run.__name__] = Target(run, seeds, most)
        return run

    return add


# The wire


def _frames() -> Iterable[bytes]:
    from cutcard_firmware.core.crypto import session_keys
    from cutcard_firmware.core.link import frame

    session = session_keys.Session(KEY, bytes(32), b"host")
    bodies = [b"\1\0\0\0\0" + bytes(25), bytes(249), session.seal(0x10, 1, bytes(9)), b"x"]
    return [frame.encode(body) for body in bodies] + [b"\0\0\2\1\0", b"".join(bodies)[:400]]


@target(_frames)
def frames(data: bytes) -> None:
    """Check that bodies do not depend on the chunks received, and survive encoding."""
    from cutcard_firmware.core.link import frame

    whole, pieces = frame.Splitter(), frame.Splitter()
    found = whole.feed(data)
    size = 1 + len(data) % 7
    again = []
    for at in range(0, len(data), size):
        again += pieces.feed(data[at : at + size])
    assert again == found
    assert pieces.dropped == whole.dropped
    for body in found:
        assert frame.decode(frame.encode(body)[1:-1]) == body


def _sealed() -> Iterable[bytes]:
    from cutcard_firmware.core.crypto import session_keys

    session = session_keys.Session(KEY, bytes(32), b"host")
    return [bytes(session.seal(0x10, 1, bytes(size))) for size in (0, 9, 228)]


@target(_sealed, 256)
def sealed(data: bytes) -> None:
    """Check that a session opens only frames that were sealed with its key."""
    from cutcard_firmware.core.crypto import session_keys

    session = session_keys.Session(KEY, bytes(32), b"host")
    opened = session.unseal(data)
    assert opened is None or session.seal(*opened) == data


def _conversations() -> Iterable[bytes]:
    return [bytes((0, 25)) + bytes(25), bytes((1, 64)) + bytes(64), bytes((5, 9)) + bytes(9) * 3]


@target(_conversations, 1024)
def link(data: bytes) -> None:
    """Send the device frames with a valid CRC and, in a session, a valid tag."""
    from tests.fuzz.device_end import DeviceEnd

    there = DeviceEnd(KEY)
    instructions = Instructions(data)
    while instructions.left:
        kind = instructions.below(8)
        size = instructions.below(240)
        there.hear(kind, bytes(instructions.below(256) for _ in range(size)))


def _payloads() -> Iterable[bytes]:
    from cutcard_firmware.core.schema import messages as m

    for op, row in m.COMMANDS.items():
        size = len(m.pack(row[2], [_zero(form) for _, form in m.fields(row[2])]))
        yield bytes((op, 0, size)) + bytes(size)


def _zero(form: str) -> int | bytes:
    return bytes(int(form[:-1])) if form.endswith("s") else b"" if form == "*" else 0


@target(_payloads, 512)
def commands(data: bytes) -> None:
    """Send a machine arbitrary commands with a valid key."""
    from tests.fuzz.device_end import obey

    obey(Instructions(data))


@target(lambda: [bytes(5), b"\1\0\0\0\1\1\0\0\0\0", b"\2\0\0\0\6\x0b\2\1\0\0\x23\0"], 256)
def events(data: bytes) -> None:
    from cutcard.devices.events import decode

    _documented(lambda: decode(data), ValueError)


@target(lambda: [bytes(46), b"\1" + bytes(36) + b"carousel-38"], 256)
def welcomes(data: bytes) -> None:
    """Send the host arbitrary handshake frames."""
    from cutcard.devices.errors import DeviceError
    from tests.fuzz.device_end import greet

    _documented(lambda: greet(data), DeviceError)


@target(lambda: [b"bench:carousel-38?seed=7", b"socket://a:1", b"/dev/ttyACM0", b"rfc2217://b:2"])
def ports(data: bytes) -> None:
    from cutcard.devices.errors import BadPortError
    from cutcard.devices.ports import parse

    text = data.decode("utf-8", "replace")
    _documented(lambda: parse(text), BadPortError)


@target(lambda: [b"jam entry after=3", b'{"do": "put", "decks": 6}', b"flash cut at=7 torn=0.5"])
def words(data: bytes) -> None:
    """Parse the text commands of a bench."""
    from cutcard.bench.person import cards, chip, faults, power
    from cutcard.bench.person.words import WordError, parse

    assert all((cards, chip, faults, power))  # imported to register their commands
    text = data.decode("utf-8", "replace")
    _documented(lambda: parse(text), WordError)


# Files


def _cases() -> Iterable[bytes]:
    return [file.read_bytes() for file in _case_files()[::40]]


@cache
def _case_files() -> list[Path]:
    return sorted((HOST / "cutcard" / "cases" / "library").rglob("*.toml"))


@target(_cases, 4096)
def case_text(data: bytes) -> None:
    from cutcard.cases.case import MalformedCaseError
    from cutcard.cases.loader import load_case

    _documented(lambda: load_case(_file(data, ".toml")), MalformedCaseError)


@target(lambda: [bytes((n, n * 7 % 256)) for n in range(40)], 128)
def case_tree(data: bytes) -> None:
    """Run an edited case: it is malformed, differs or passes, and never crashes."""
    from cutcard.cases.case import MalformedCaseError
    from cutcard.cases.loader import read_case
    from cutcard.cases.runner import run_case

    instructions = Instructions(data)
    file = _case_files()[instructions.below(len(_case_files()))]
    tree = edited(_toml(file, True), instructions)
    _documented(lambda: run_case(read_case(file, tree)), MalformedCaseError)


@cache
def _toml(file: Path, exact: bool = False) -> Any:
    return tomllib.loads(file.read_text("utf-8"), parse_float=Decimal if exact else float)


@cache
def _rulebook_files() -> list[Path]:
    folder = HOST / "cutcard" / "rulebooks"
    found = [*(folder / "data").glob("*/*.toml"), *(folder / "side_wagers").glob("*.toml")]
    return sorted(file for file in found if file.stem != "amendments")


def _rulebook(file: Path, data: Any) -> object:
    from cutcard.rulebooks.layer import read_layer
    from cutcard.rulebooks.side_wagers.catalogue import read_side_wagers

    side = file.parent.name == "side_wagers"
    return read_side_wagers(file.stem, data) if side else read_layer(file.stem, data)


@target(lambda: [bytes((n, n * 11 % 256)) for n in range(24)], 128)
def rulebook_tree(data: bytes) -> None:
    from cutcard.rulebooks.text import MalformedRulebookError

    instructions = Instructions(data)
    file = _rulebook_files()[instructions.below(len(_rulebook_files()))]
    tree = edited(_toml(file), instructions)
    if isinstance(tree, dict):
        _documented(lambda: _rulebook(file, tree), MalformedRulebookError)


@target(lambda: [file.read_bytes()[:3000] for file in _rulebook_files()[::4]], 4096)
def rulebook_text(data: bytes) -> None:
    from cutcard.rulebooks.text import MalformedRulebookError, parse

    text = data.decode("utf-8", "replace")
    _documented(
        lambda: _rulebook(Path("fuzzed.toml"), parse("fuzzed.toml", text)), MalformedRulebookError
    )


@cache
def _machine_files() -> list[Path]:
    return sorted((HOST.parent / "firmware" / "cutcard_firmware" / "machines").glob("*.toml"))


@target(lambda: [bytes((n, n * 13 % 256)) for n in range(14)], 128)
def machine_tree(data: bytes) -> None:
    """Check that every machine file that is accepted compiles for every board."""
    from cutcard.machines import MachineFileError, spec_text
    from cutcard.machines.library import check

    instructions = Instructions(data)
    file = _machine_files()[instructions.below(len(_machine_files()))]
    tree = edited(_toml(file), instructions)
    if isinstance(tree, dict):
        _documented(lambda: spec_text(check(file, tree)), MachineFileError)


@target(lambda: [file.read_bytes() for file in _machine_files()[::3]], 4096)
def machine_text(data: bytes) -> None:
    from cutcard.machines import MachineFileError
    from cutcard.machines.library import load

    _documented(lambda: load(_file(data, ".toml")), MachineFileError)


def _journals() -> Iterable[bytes]:
    from cutcard.journal.file import Journal

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with Journal(path) as journal:
            for number in range(3):
                journal.append("card", {"box": number, "card": "As"})
        whole = path.read_bytes()
    return [whole, whole[:-9], whole.replace(b"As", b"Ks"), b"", b"{}\n"]


@target(_journals)
def journals(data: bytes) -> None:
    """Check that reading reports a broken chain, and that writing continues the last record."""
    from cutcard.journal import Journal, JournalDamagedError, JournalNewerError, read

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.journal"
        path.write_bytes(data)
        before = _documented(lambda: list(read(path)), JournalDamagedError, JournalNewerError)
        if before is not None:
            with Journal(path) as journal:
                journal.append("note", {})
            assert list(read(path))[: len(before)] == before


@target(lambda: [b"title = 'x'\n[tournament]\nentry_fee = true\n"], 4096)
def tournament_terms(data: bytes) -> None:
    from cutcard.tournament.terms import TermsFileError, check, read_terms

    _documented(lambda: check(read_terms(_file(data, ".toml"))), TermsFileError)


# The parsers that read untrusted files


@target(lambda: [b'{"a": [1, 2.5, "x"]}', b'{"a": 1, "a": 2}', b"[[[[", b'["\\ud800"]', b"1e999"])
def json_text(data: bytes) -> None:
    """Check that accepted JSON is the same after encoding and decoding."""
    from cutcard.untrusted import BadContentError, json_from

    found = _documented(lambda: (json_from(data),), BadContentError)
    if found is not None:
        assert json_from(json.dumps(found[0], allow_nan=False).encode()) == found[0]


@target(
    lambda: [
        b"a.b.c = [1, {d = 'x'}]\n",
        b'x = """a""""\n[[t]]\ny = 0x10\n',
        b"# it's\na = '''b'''''\n",
        b"a = " + b"[" * 60,
        b"a" + b".a" * 40 + b" = 1",
    ]
)
def toml_text(data: bytes) -> None:
    """Check that accepted TOML is not too deep for `repr`, which recurses."""
    from cutcard.untrusted import BadContentError, toml_from

    text = data.decode("utf-8", "replace")
    found = _documented(lambda: toml_from(text), BadContentError)
    assert found is None or repr(found)


@target(lambda: [b"parts/a.json", b"../x", b"/etc/passwd", b"a//b", b"."], 128)
def names_of_files(data: bytes) -> None:
    """Check that every accepted name refers to a file inside the folder."""
    from cutcard.untrusted import BadContentError, file_beside

    folder = _folder()
    found = _documented(
        lambda: file_beside(folder, data.decode("utf-8", "replace")), BadContentError
    )
    assert found is None or found.resolve().is_relative_to(folder.resolve())


# Prizes and meters


@target(lambda: [b"1 1000\n10 100\n25 50\n", b"1 0\n", b"4294967294 1\n1 1\n"])
def prize_tables(data: bytes) -> None:
    """Check that an accepted prize table is encoded to the same text."""
    from cutcard_firmware.core.jackpot.prize_table import BadPrizes, rows

    try:
        found = rows(data)
    except BadPrizes:
        return
    assert b"".join(b"%d %d\n" % row for row in found) == data


@target(lambda: [b"jackpots=10000@1.5%", b"12.50", b"3/200", b"a=1@2%\nb=3@1/4"])
def meter_terms(data: bytes) -> None:
    from cutcard.meters.errors import MeterError
    from cutcard.meters.terms import check_name, parse_meters, parse_money, parse_rate

    text = data.decode("utf-8", "replace")
    for read in (parse_money, parse_rate):
        _documented(lambda read=read: read(text), MeterError)  # type: ignore[misc]
    _documented(lambda: parse_meters(text.splitlines()), MeterError)
    _documented(lambda: check_name(text, "table"), MeterError)


@target(lambda: [b"{}\n", b'{"table": 1, "counter": 1}\n', b"[]\n\n"])
def exported_draws(data: bytes) -> None:
    from cutcard.prizes.verify import BadFileError, read_draws

    _documented(lambda: read_draws(_file(data, ".jsonl")), BadFileError)


# Keys and reports


def _key_file() -> dict[str, Any]:
    return {
        "format": 1,
        "name": "fuzzed",
        "purpose": "report",
        "number": 1,
        "development": True,
        "raw": KEY.hex(),
        "scrypt": {"n": 2, "r": 8, "p": 1, "salt": "00"},
        "nonce": "00" * 12,
        "sealed": "00" * 48,
    }


@target(lambda: [bytes((n, n * 5 % 256)) for n in range(12)], 64)
def signing_keys(data: bytes) -> None:
    """Read edited key files."""
    from cutcard.keys import SigningKeyStore
    from cutcard.keys.errors import SigningKeyError

    path = _folder() / "keys" / "fuzzed.key"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    instructions = Instructions(data)
    path.write_text(json.dumps(edited(_key_file(), instructions), default=str))
    path.chmod(0o600)
    _documented(lambda: SigningKeyStore(path.parent).public("fuzzed"), SigningKeyError)
    _documented(lambda: SigningKeyStore(path.parent).open("fuzzed", "x"), SigningKeyError)


def _report() -> dict[str, Any]:
    return {
        "plan": {
            "format": 1,
            "profile": "x",
            "seed": "1",
            "alpha": 0.01,
            "weights": [],
            "parts": [],
        },
        "plan_sha256": "00" * 32,
        "fingerprints": {},
        "parts": [],
        "judgement": {"passed": True, "findings": []},
        "clauses": [{"id": "1", "verdict": "met"}],
        "verdict": "passed",
        "cover": {"applicant": "a house"},
        "report": {"format": 1, "files": [{"name": "report.html", "sha256": "00", "bytes": 1}]},
        "signature": {"key": {"public": KEY.hex(), "number": 1}, "signature": "00" * 64},
    }


def _plan() -> dict[str, Any]:
    part = {
        "id": "draws-38",
        "kind": "draws",
        "title": "Bins",
        "subject": "carousel-38",
        "source": "twin",
        "sample": 10_000,
        "unit": "draws",
        "shards": 3,
        "parameters": {"range": 38, "prizes": ["a", "b"]},
    }
    parts = [part, part | {"id": "draws-39"}]
    return {
        "format": 2,
        "profile": "x",
        "seed": "1",
        "nonces": None,
        "alpha": 0.01,
        "weights": [["*/lag-*", 0.5], ["*", 1.0]],
        "parts": parts,
    }


@target(lambda: [bytes((n, n * 3 % 256)) for n in range(12)], 64)
def plan_tree(data: bytes) -> None:
    """Check that an accepted plan has no paths, and that its counts are within limits."""
    from rng_certification.campaign.plan_reading import MOST_SHARDS, BadCampaignPlanError, read_plan

    tree = edited(_plan(), Instructions(data))
    plan = _documented(lambda: read_plan(tree), BadCampaignPlanError)
    for part in plan.parts if plan is not None else ():
        assert Path(part.id).name == part.id
        assert 1 <= part.shards <= MOST_SHARDS
        assert part.source == "board" or "port" not in part.parameters


@target(lambda: [bytes((n, n * 3 % 256)) for n in range(12)], 64)
def manifest_tree(data: bytes) -> None:
    """Check that an edited manifest of a collection affects no file outside its folder."""
    from rng_certification.collect.collection_request import CollectionRequest
    from rng_certification.collect.manifest import Manifest, OtherCollectionError

    folder = _folder() / "collection"
    shutil.rmtree(folder, ignore_errors=True)
    outside = _file(b"mine", ".outside")

    def declare() -> Manifest:
        return Manifest.declared(
            folder, CollectionRequest("bits", "carousel-38"), {"from": "twin"}, 10, "seed", {}
        )

    manifest = declare()
    manifest.begin("bits-0.bin", "stream")
    manifest.begin("../input.outside", "stream")
    tree = edited(manifest.data, Instructions(data))
    (folder / "bits-0.bin").write_bytes(b"data")
    (folder / "manifest.json").write_text(json.dumps(tree, default=str))
    _documented(declare, OtherCollectionError)
    assert outside.read_bytes() == b"mine"


@target(lambda: [bytes((n, n * 3 % 256)) for n in range(12)], 64)
def report_tree(data: bytes) -> None:
    """Check that verifying an edited report completes, and never passes every check."""
    from rng_certification.report.verification import ReportUnreadableError, checks

    path = _file(json.dumps(edited(_report(), Instructions(data)), default=str).encode(), ".json")
    found = _documented(lambda: list(checks(path, KEY, None)), ReportUnreadableError)
    assert found is None or [check.name for check in found] == ["signature"]  # it is unsigned


@target(lambda: [b"{}", b"[]", b'{"plan": {}}', b"\xff"])
def report_text(data: bytes) -> None:
    from rng_certification.report.verification import ReportUnreadableError, read_report

    _documented(lambda: read_report(_file(data, ".json")), ReportUnreadableError)


# Images


@cache
def _image() -> bytes:
    """Return an unsigned image."""
    from cutcard.image.build import build
    from cutcard.machines import find

    return bytes(build("bench", find("carousel-38"), 1).data)


@target(lambda: [b"", bytes(64)], 64)
def images(data: bytes) -> None:
    """Check that an image with changed, deleted or added bytes raises a documented error."""
    from cutcard.image.image import Image, ImageError

    whole, instructions = bytearray(_image()), Instructions(data)
    head = len(whole) if instructions.below(4) == 0 else 1024
    for _ in range(4):
        at = instructions.below(min(head, 65536))
        what = instructions.below(4)
        if what == 0:
            whole[at : at + 1 + instructions.below(64)] = b""
        elif what == 1:
            whole[at:at] = bytes(instructions.below(256) for _ in range(4))
        elif at < len(whole):
            whole[at] = instructions.below(256)
    _documented(lambda: Image.parse(bytes(whole)), ImageError)


@target(lambda: [bytes(64), b"CUTCARD" + bytes(200)], 1024)
def image_text(data: bytes) -> None:
    from cutcard.image.image import Image, ImageError

    _documented(lambda: Image.parse(data), ImageError)


# Random data under test


@target(
    lambda: [bytes(8), bytes(range(52 * 2)), b"".join(n.to_bytes(2, "little") for n in range(52))]
)
def given_data(data: bytes) -> None:
    from rng_certification.base.reading import (
        UnusableDataError,
        as_bytes,
        as_decks,
        as_draws,
        pieces,
    )

    def all_of(record: int, read: Callable[[bytes, int], object]) -> None:
        offset = 0
        for piece in pieces(io.BytesIO(data), record, lambda _: None):
            read(piece, offset)
            offset += len(piece)

    _documented(lambda: all_of(1, as_bytes), UnusableDataError)
    _documented(lambda: all_of(4, lambda piece, at: as_draws(piece, at, 10)), UnusableDataError)
    _documented(lambda: all_of(104, lambda piece, at: as_decks(piece, at, 52)), UnusableDataError)


@target(
    lambda: [
        b"draw\n1\n2\n",
        b"0,1,2\n2,1,0\n",
        b"01" * 40,
        b"1,2\n",
        b"9" * 200,
        b"1,2,3000,7\n",
        b"round\ndealt 3\nfed 3 1\npushed 2 0\n",
    ]
)
def given_text(data: bytes) -> None:
    from rng_certification.base.reading import UnusableDataError
    from rng_certification.base.text_records import NumberLines, TextForm, ZerosAndOnes
    from rng_certification.continuous.step_lines import StepLines

    def all_of(form: TextForm) -> None:
        for _ in form.records(io.BytesIO(data)):
            pass

    forms = (
        NumberLines("one draw", "<I", least=(0,), most=(9,)),
        NumberLines("a shuffle", "<3H", least=(0,) * 3, most=(2,) * 3),
        NumberLines("one press", "<HHQI", least=(1, 1, 0, 0), most=(4, 7, 1 << 53, 99)),
        StepLines(5, 9),
        ZerosAndOnes(),
    )
    for form in forms:
        _documented(lambda form=form: all_of(form), UnusableDataError)  # type: ignore[misc]


@target(lambda: [bytes(4096), b"\xff" * 8192])
def flash_references(data: bytes) -> None:
    from cutcard.attestation.reference import NoReferenceError, _first_block

    _documented(lambda: _first_block(data * (4096 // max(1, len(data)) + 1)), NoReferenceError)


def _documented(act: Callable[[], Any], *errors: type[Exception]) -> Any:
    """Return the result of `act`, or None if it raises one of `errors`."""
    try:
        return act()
    except errors as error:
        said = str(error).strip()
    assert said, "an error without a word"
    return None


@cache
def _folder() -> Path:
    kept = tempfile.TemporaryDirectory(prefix="cutcard-fuzz-")
    _KEPT.append(kept)
    return Path(kept.name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []  # deleted when the process ends


def _file(data: bytes, suffix: str) -> Path:
    path = _folder() / f"input{suffix}"
    path.write_bytes(data)
    return path
