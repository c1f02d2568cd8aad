"""The users of the console: each with titles and a unique passphrase.

A passphrase is generated here and printed once; only its scrypt digest is stored. Sessions are
stored by their digests, too, so that a restarted console knows its signed-in users.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cutcard import private_files, untrusted
from cutcard.keys.store import default_folder

READERS = ("viewer", "auditor")
SESSION_SECONDS = 12 * 3600
MOST_SESSIONS = 20  # of one person; a new one ends the oldest
WORST_FILE = untrusted.MEBIBYTE
SCRYPT = {"n": 2**14, "r": 8, "p": 1, "dklen": 32}


class PersonRefusedError(Exception):
    """Raised if a user cannot be added or does not exist; has the next step."""


@dataclass(frozen=True, slots=True)
class Person:
    """A user. `titles` are titles of rulebooks, or viewer or auditor."""

    name: str
    titles: tuple[str, ...]
    salt: str = ""
    digest: str = ""

    @property
    def reads_only(self) -> bool:
        return all(title in READERS for title in self.titles)


@dataclass
class People:
    """The users in one file; without a file, the users of one run."""

    file: Path | None = None
    persons: dict[str, Person] = field(default_factory=dict)
    _read: int = 0  # modification time of the file when it was last read

    @classmethod
    def of(cls, file: Path | None = None) -> People:
        """Return the users of a file, or of the user's configuration folder. Raises
        PersonRefusedError."""
        people = cls(file or default_folder() / "people.json")
        people.refresh()
        return people

    def refresh(self) -> None:
        """Read a changed file again; a deleted file removes all users. Raises
        PersonRefusedError."""
        if self.file is None:
            return
        try:
            changed = self.file.stat().st_mtime_ns
        except FileNotFoundError:
            self.persons, self._read = {}, 0
            return
        if changed != self._read:
            self.persons, self._read = _persons(self.file), changed

    def add(self, name: str, titles: tuple[str, ...]) -> str:
        """Add a user; return the passphrase, which is not stored."""
        if not name or not name.isprintable() or len(name) > 60:
            raise PersonRefusedError("a name has 1 to 60 printable characters")
        if name in self.persons:
            raise PersonRefusedError(
                f"{name} is there already. To give a new passphrase: remove, add."
            )
        if not titles:
            raise PersonRefusedError(
                "name a title, as in --title pit-manager, or viewer or auditor"
            )
        passphrase = "-".join(secrets.token_hex(2) for _ in range(5))
        salt = secrets.token_hex(16)
        self.persons[name] = Person(name, titles, salt, _digest(passphrase, salt))
        self._write()
        return passphrase

    def remove(self, name: str) -> None:
        if self.persons.pop(name, None) is None:
            raise PersonRefusedError(
                f"{name} does not exist; `cutcard person list` lists all users"
            )
        self._write()

    def known(self, name: str, passphrase: str) -> Person | None:
        """Return the user if the passphrase is right. Takes equally long for an unknown user."""
        self.refresh()
        person = self.persons.get(name)
        salt = person.salt if person else "00" * 16
        digest = _digest(passphrase, salt)
        matches = hmac.compare_digest(digest, person.digest if person else "")
        return person if matches else None

    def _write(self) -> None:
        if self.file is None:
            return
        private_files.make_folder(self.file.parent)
        people = [
            {"name": p.name, "titles": list(p.titles), "salt": p.salt, "digest": p.digest}
            for p in self.persons.values()
        ]
        private_files.replace(self.file, json.dumps({"people": people}, indent=1) + "\n")


def _persons(file: Path) -> dict[str, Person]:
    if said := private_files.complaint(file, "600"):
        raise PersonRefusedError(" ".join(said))
    try:
        data = untrusted.json_from(file.read_bytes()[:WORST_FILE])
        return {
            each["name"]: Person(each["name"], tuple(each["titles"]), each["salt"], each["digest"])
            for each in data["people"]
        }
    except (untrusted.BadContentError, LookupError, TypeError):
        sentence = f"{file} is no file of people. Move it away, and add them again."
        raise PersonRefusedError(sentence) from None


def _digest(passphrase: str, salt: str) -> str:
    said = passphrase.strip().encode()
    return hashlib.scrypt(said, salt=bytes.fromhex(salt), maxmem=2**26, **SCRYPT).hex()


class Sessions:
    """The signed-in users and their expiry, stored in a private file next to the users' file."""

    def __init__(self, people: People, clock: Callable[[], float] = time.time) -> None:
        self.people = people
        self._clock = clock
        self._file = people.file.with_name("sessions.json") if people.file else None
        self._open: dict[str, dict[str, Any]] = {}
        if self._file is not None and self._file.exists():
            try:
                self._open = dict(untrusted.json_from(self._file.read_bytes()[:WORST_FILE]))
            except (untrusted.BadContentError, TypeError, ValueError):
                self._open = {}  # all users must sign in again

    def begin(self, person: Person) -> str:
        """Begin a session; return its secret, for the cookie."""
        secret = secrets.token_urlsafe(32)
        until = self._clock() + SESSION_SECONDS
        own = sorted(
            (each["until"], key) for key, each in self._open.items() if each["name"] == person.name
        )
        for _, key in own[: max(0, len(own) - MOST_SESSIONS + 1)]:
            del self._open[key]
        self._open[_key(secret)] = {"name": person.name, "until": until, "of": person.digest}
        self._write()
        return secret

    def person(self, secret: str) -> Person | None:
        """Return the user of a session.

        A removed user, or one with a new passphrase, is signed out immediately.
        """
        found = self._open.get(_key(secret))
        if found is None or found["until"] < self._clock():
            return None
        try:
            self.people.refresh()
        except PersonRefusedError:
            return None  # the users' file is unreadable
        person = self.people.persons.get(found["name"])
        return person if person is not None and person.digest == found["of"] else None

    def mark(self, secret: str) -> str:
        """Return a mark that distinguishes sessions in a journal, and cannot open one."""
        return _key(_key(secret))[:16]

    def end(self, secret: str) -> None:
        if self._open.pop(_key(secret), None) is not None:
            self._write()

    def _write(self) -> None:
        now = self._clock()
        self._open = {key: each for key, each in self._open.items() if each["until"] >= now}
        if self._file is not None:
            private_files.make_folder(self._file.parent)
            private_files.replace(self._file, json.dumps(self._open))


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
