"""The place of a table's key: outside the journal's folder, unless it has always been there.

A person or program that can copy or write the journal's folder must not find the key in it. The
folder contains only the public half, in `table.public`, which names the file of the key.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from cutcard import private_files
from cutcard.devices.keys import default_folder
from cutcard.journal import BadTableKeyError, TableKey
from cutcard.keys.public_half import BadPublicKeyError, read_public_key

PUBLIC = "table.public"
_EARLIER = "table.key"  # in the folder of a table that an earlier version of cutcard created


def keys_folder() -> Path:
    """Return the folder with the keys of this computer's tables."""
    return default_folder() / "tables"


def table_key(folder: Path, chosen: Path | None = None) -> TableKey:
    """Return the key of the table in this folder; generate it for a new table.

    `chosen` is the key file named in the table file. The key of a folder with a journal must not
    change: an intruder with write access to the folder could name another key, and sign with it.

    Raises BadTableKeyError.
    """
    key = _named_key(folder, chosen)
    known = keys_folder() / f"{sha256(bytes(folder.absolute())).hexdigest()}.folder"
    if known.exists() and any(folder.glob("*.journal")) and known.read_text() != key.public:
        raise BadTableKeyError(
            f"{folder} names the key {key.public}, and its journal was written with the key "
            f"{known.read_text()}, by {known}. The folder was changed: keep a copy for "
            "the investigation, and use another folder for the next journal."
        )
    private_files.make_folder(known.parent)
    private_files.replace(known, key.public)
    return key


def _named_key(folder: Path, chosen: Path | None) -> TableKey:
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
