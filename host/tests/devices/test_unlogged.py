"""A driver without a log cannot notice lost events, and warns about it once."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from cutcard.devices import PortNotFoundError, Shuffler, UnloggedDeviceWarning, open_device
from cutcard.journal import Journal
from cutcard.table.replay.role_log import CARDS, RoleLog


def test_a_loop_that_opens_a_device_without_a_log_warns_once(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default", UnloggedDeviceWarning)
        for _ in range(3):
            with pytest.raises(PortNotFoundError):
                Shuffler.open(str(tmp_path / "port"))
    (warning,) = found
    assert "cannot notice lost events or a flash that was restored" in str(warning.message)
    assert warning.filename == __file__


def test_a_device_of_any_kind_without_a_log_warns(tmp_path: Path) -> None:
    with pytest.warns(UnloggedDeviceWarning), pytest.raises(PortNotFoundError):
        open_device(str(tmp_path / "port"))


def test_a_device_with_a_log_causes_no_warning(tmp_path: Path) -> None:
    with Journal(tmp_path / "a.journal") as journal:
        log = RoleLog(journal, CARDS, {})
        with warnings.catch_warnings(record=True) as found, pytest.raises(PortNotFoundError):
            Shuffler.open(str(tmp_path / "port"), log=log)
    assert found == []
