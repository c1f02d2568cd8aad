"""Old public names: in programs, as codes in journals, and in JSON."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from cutcard.devices import DeviceError, NoAnswerError
from cutcard.engine.state import Table
from cutcard.journal import Journal, read
from cutcard.meters import MeterError
from cutcard.rulebooks.book import open_rulebook
from cutcard.table.replay.replay_log import ReplayLog
from cutcard.testing.bench_device import BenchDevice

# The public names of version 0.1, with the names that replace them.
RENAMED = {
    "cutcard.devices": {
        "AuthenticationFailed": "AuthenticationFailedError",
        "BadArgument": "BadArgumentError",
        "BadPort": "BadPortError",
        "DeviceClosed": "DeviceClosedError",
        "InFault": "InFaultError",
        "KeyMissing": "KeyMissingError",
        "KeyUnsafe": "KeyUnsafeError",
        "KeysNotStored": "KeysNotStoredError",
        "NoAnswer": "NoAnswerError",
        "NotInTime": "NotInTimeError",
        "NotProvisioned": "NotProvisionedError",
        "OutOfStep": "OutOfStepError",
        "PortBusy": "PortBusyError",
        "PortLost": "PortLostError",
        "PortNotFound": "PortNotFoundError",
        "Refused": "CommandRefusedError",
        "SchemaMismatch": "SchemaMismatchError",
        "StateLost": "StateLostError",
        "WrongDevice": "WrongDeviceError",
    },
    "cutcard.prizes": {"BadDraw": "BadDrawError", "BadFile": "BadFileError"},
    "rng_certification.arrays": {"UnusableData": "UnusableDataError"},
}
OLD_AND_NEW = [(package, *pair) for package, names in RENAMED.items() for pair in names.items()]
# The codes of errors of the meters, which `cutcard meter ... --json` prints.
METER_CODES = {
    "BadTerms",
    "BalanceTooSmall",
    "CalledWrongly",
    "ClockAgrees",
    "ClockImplausible",
    "ClockRanAhead",
    "ClockWentBackwards",
    "DatabaseBusy",
    "DatabaseUnreachable",
    "LedgerDamaged",
    "MeterError",
    "NameTaken",
    "NoDatabase",
    "NoNotice",
    "NoWager",
    "NoticeStands",
    "NoticeTooShort",
    "OtherRequest",
    "RoundOpen",
    "RoundOver",
    "TableTaken",
    "UnknownHand",
    "UnknownManager",
    "UnknownSystem",
    "UnknownTable",
    "WrongCost",
}
TABLE = Table(open_rulebook("nz-division-2"), 6, "continuous", minimum=1000)


@pytest.mark.parametrize(("package", "old", "new"), OLD_AND_NEW)
def test_old_public_name_returns_the_new_class_and_warns(package: str, old: str, new: str) -> None:
    module = import_module(package)
    with pytest.warns(
        DeprecationWarning, match=rf"{package}\.{old} is deprecated.*use {package}\.{new}$"
    ) as warned:
        found = getattr(module, old)
    assert found is getattr(module, new)
    assert warned[0].filename == __file__
    assert new in module.__all__
    assert old not in module.__all__


@pytest.mark.parametrize("package", RENAMED)
def test_unknown_public_name_raises_attribute_error(package: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        _ = import_module(package).Nothing


def test_old_member_of_a_bench_device_returns_the_new_one_and_warns() -> None:
    class AnyDevice(BenchDevice[Any]):
        def __init__(self) -> None:
            pass

    device = AnyDevice()
    with pytest.warns(DeprecationWarning, match=r"use BenchDevice\.events_of$") as warned:
        found = getattr(device, "told")  # noqa: B009 - a type checker rejects the old name
    assert found == device.events_of
    assert warned[0].filename == __file__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = getattr(device, "nothing")  # noqa: B009


def test_old_public_name_is_an_error_for_a_type_checker(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("from cutcard.devices import InFault, InFaultError\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", program.name],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert 'has no attribute "InFault"' in done.stdout
    assert done.stdout.count("error:") == 1


def test_device_errors_keep_the_codes_of_their_old_names() -> None:
    module = import_module("cutcard.devices")
    codes = {getattr(module, new).code: old for old, new in RENAMED["cutcard.devices"].items()}
    assert all(code == old for code, old in codes.items())
    assert len(codes) == len(RENAMED["cutcard.devices"])
    assert DeviceError.code == "DeviceError"


def test_meter_errors_keep_the_codes_of_their_old_names() -> None:
    def family(kind: type[MeterError]) -> set[str]:
        return {kind.code}.union(*map(family, kind.__subclasses__()))

    assert family(MeterError) == METER_CODES


def test_table_resumes_from_a_journal_with_the_old_name_of_an_error(tmp_path: Path) -> None:
    def fail() -> int:
        raise NoAnswerError("bench:: no answer.", "Look at the cable.")

    path = tmp_path / "table.journal"
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        with pytest.raises(NoAnswerError):
            memory.effect("mend", {}, fail)
    recorded = [record.data["error"] for record in read(path) if "error" in record.data]
    assert recorded == [{"raised": "NoAnswer", "text": "bench:: no answer. Look at the cable."}]
    with Journal(path) as journal:
        memory = ReplayLog(journal, TABLE)
        with pytest.raises(NoAnswerError, match="Look at the cable"):
            memory.effect("mend", {}, lambda: pytest.fail("done again"))
