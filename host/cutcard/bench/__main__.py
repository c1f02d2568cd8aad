"""`python -m cutcard.bench SETTINGS`: a bench for a program, with settings and answers as JSON.

People use `cutcard bench`. This entry starts in half the time.
"""

from __future__ import annotations

import json
import sys
from typing import NoReturn

from cutcard import extras
from cutcard.bench.firmware import FirmwareError
from cutcard.bench.person.visitor import ParentWatch
from cutcard.bench.process import BenchFailedError, BenchProcess
from cutcard.bench.provision import ProvisionError
from cutcard.bench.settings import Settings, SettingsError
from cutcard.machines import MachineFileError

EXPECTED = (
    BenchFailedError,
    FirmwareError,
    MachineFileError,
    OSError,
    ProvisionError,
    SettingsError,
)


def serve(kind: type[BenchProcess]) -> None:
    try:
        bench = kind(Settings(**json.loads(sys.argv[1])))
        if not bench.settings.stays:
            bench.invite(ParentWatch(sys.stdin.fileno()))
        bench.run(lambda introduction: print(json.dumps(introduction), flush=True))
    except EXPECTED as error:
        _fail(str(error))
    except ModuleNotFoundError as error:
        said = extras.explain(error)
        if said is None:
            raise
        _fail(said)


def _fail(why: str) -> NoReturn:
    """Print the error as one line, without a traceback, and exit."""
    print(json.dumps({"ready": False, "error": why}), flush=True)
    sys.exit(1)


if __name__ == "__main__":
    serve(BenchProcess)
