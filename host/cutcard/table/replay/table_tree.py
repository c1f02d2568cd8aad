"""The Merkle tree of a table, across its journals, and the file that stores it.

The file is among this computer's keys, outside the journal's folder. Removing records from the
end of a journal, or a whole journal, does not change the stored tree: the table notices the missing
records, and its tree continues after them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cutcard import private_files, untrusted
from cutcard.journal import TREE, Journal, JournalFailedError
from cutcard.table.people.manager import Manager
from cutcard.table.replay.key_place import keys_folder
from cutcard.table.replay.role_log import CannotResumeError
from cutcard.table.replay.witnessing import Link
from cutcard.transparency import Leaves


class TreeFile:
    """The tree of a table after its last settled round, or after its last checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def of(cls, public: str) -> TreeFile:
        """Return the file for the table with this public key, among this computer's keys."""
        return cls(keys_folder() / f"{public}.tree")

    def load(self) -> Leaves:
        """Return the tree; an empty one for a new table. Raises CannotResumeError."""
        return Leaves.from_json(self.content())

    def content(self) -> dict[str, Any]:
        """Return the content of the file: a tree, and the state of its witnesses under "links".

        Raises CannotResumeError.
        """
        if not self.path.exists():
            return Leaves().to_json()
        try:
            content = untrusted.json_from(self.path.read_bytes())
            tree = Leaves.from_json(content)
            for witness, said in content.get("links", {}).items():
                Link(witness).continue_from(said, tree.end)
            return dict(content)
        except (OSError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise CannotResumeError(
                f"{self.path}: does not hold the tree of a table "
                f"({untrusted.why_unreadable(error)}). Restore the file from its copy."
            ) from error

    def store(self, tree: Leaves, links: Mapping[str, Any] | None = None) -> None:
        """Store a tree that has grown, and the state of its witnesses.

        Raises JournalFailedError.
        """
        try:
            if self.load().end > tree.end:
                raise JournalFailedError(
                    f"{self.path}: another program has signed more records with this table's key. "
                    "End that one: one program at a time writes the journals of a table."
                )
            private_files.make_folder(self.path.parent)
            content = tree.to_json() | ({"links": links} if links else {})
            private_files.replace(self.path, json.dumps(content) + "\n")
        except OSError as error:
            raise JournalFailedError(
                f"{self.path}: cannot be written ({error.strerror}). Repair the disk, then start "
                "the table again: it resumes after the last round."
            ) from error


def continue_tree(journal: Journal, file: TreeFile, manager: Manager | None) -> None:
    """Continue the tree of the earlier journals. Raises CannotResumeError if records are missing.

    If a manager answers for the missing records, the tree continues after them: it never has
    another root for a size that it had before.
    """
    known = file.load()
    if journal.tree is None or known.end <= journal.tree.end:
        return
    missing = known.end - journal.tree.end
    if not journal.number:
        journal.append(TREE, known.to_json())
    elif manager is None:
        raise CannotResumeError(
            f"{journal.path}: the last {missing} records of this table are missing: it has signed "
            f"{known.end} records, by {file.path}, and this journal ends with {journal.tree.end} "
            "of them. Restore the journal. A manager who has looked into it can answer for it: "
            "--acknowledge 'NAME, TITLE' --because REASON."
        )
    else:
        journal.append(TREE, {**known.to_json(), "missing": missing, **manager.as_json()})
