"""The place of a table's key: outside the folder of its journal, unless it has always been there.

Whoever can copy or write the journal's folder must not find the key in it. The folder has the
public half only, in `table.public`, which names the file of the key.
"""

from __future__ import annotations

from pathlib import Path

from cutcard import private_files
from cutcard.devices.keys import default_folder
from cutcard.journal import BadTableKeyError, TableKey
from cutcard.keys.public_half import BadPublicKeyError, read_public_key

PUBLIC = "table.public"
_EARLIER = "table.key"  # in the folder of a table that an earlier program began


def keys_folder() -> Path:
    """Return the folder of the keys of this computer's tables."""
    return default_folder() / "tables"


def table_key(folder: Path, chosen: Path | None = None) -> TableKey:
    """Return the key of the table in this folder; make it for a new table. Raises BadTableKeyError.

    `chosen`: the file that the table file names.
    """
    earlier, public = folder / _EARLIER, folder / PUBLIC
    if chosen is not None or earlier.exists():
        key = TableKey.at(chosen or earlier)
    elif public.exists():
        return _known(public)
    else:
        key = TableKey.generate()
        private_files.make_folder(keys_folder())
        key.store(_path(key.public))
    if not public.exists():
        private_files.create(public, key.public + "\n")
    return key


def _path(public: str) -> Path:
    return keys_folder() / f"{public}.key"


def _known(public: Path) -> TableKey:
    """Return the key that `table.public` names."""
    try:
        path = _path(read_public_key(str(public)).hex())
    except BadPublicKeyError as error:
        raise BadTableKeyError(str(error)) from error
    if not path.exists():
        raise BadTableKeyError(
            f"{public} names the key of this table, and {path} is missing. Restore that file from "
            "its copy, or name another place with `key` in the table file."
        )
    return TableKey.load(path)
