"""`cutcard journal`: show and verify the record of a table."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from cutcard import extras, private_files, untrusted
from cutcard.cases.runner import run_file
from cutcard.cli.options import called_wrongly, complain, refuse
from cutcard.columns import wrapped
from cutcard.devices import CardDevice, DeviceError, open_device
from cutcard.journal import JournalDamagedError, JournalNewerError, Record, read
from cutcard.journal.file import understood, unfinished
from cutcard.keys.public_half import BadPublicKeyError, read_public_key
from cutcard.spreadsheet import Sheet
from cutcard.table.play.evening import write_cases
from cutcard.table.replay.outside import OutsideCheckpoints, utc
from cutcard.table.replay.proof import Balances, Proof
from cutcard.table.replay.verdict import (
    CONTRADICTED,
    NOT_PROVABLE,
    PROVEN,
    Asked,
    Range,
    Verdict,
    asked_now,
    judge,
)
from cutcard.table.reports.journal_text import StoryLine, journal_lines
from cutcard.table.reports.round_page import NoSuchRoundError, round_page
from cutcard.table.reports.shift import shift_of
from cutcard.transparency import BadCheckpointError, VerifierKey
from cutcard.transparency.submission import archived

app = typer.Typer(help="The append-only record of a table.", no_args_is_help=True)

MOST_CHECKPOINTS = 256 * untrusted.MEBIBYTE
_BEGINNING_OF_A_TIME = re.compile(r"\d{4}(-\d\d(-\d\d(T\d\d(:\d\d(:\d\d(\.\d+)?Z?)?)?)?)?)?")

File = Annotated[Path, typer.Argument(help="A journal, such as tables/NAME/crown/table.journal.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object per line.")]


@app.command()
def verify(
    file: File,
    holds: Annotated[
        str | None,
        typer.Option(help="A hash noted earlier: it must still be the hash of a record."),
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(
            metavar="HEX|FILE",
            help="The public key of the table, from another place than the journal.",
        ),
    ] = None,
    port: Annotated[
        str | None, typer.Option(help="Port of the machine that witnessed it, to ask it now.")
    ] = None,
    machine_key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEX|FILE", help="The public key of a machine, from another place (repeatable)."
        ),
    ] = None,
    checkpoints: Annotated[
        list[Path] | None,
        typer.Option(
            help="Checkpoints stored elsewhere: the file of --witness, or of a witness "
            "(repeatable)."
        ),
    ] = None,
    witness_key: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME+ID+BASE64", help="The key of a witness (repeatable)."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge each round of a journal: proven, not provable, or contradicted.

    The chain of hashes and the signatures are always verified. Give the table's public key with
    --public-key; otherwise, an attacker that can write the file can replace the key in it. The
    machine that dealt the rounds took in the journal: ask it yourself with --port, or give its
    public key with --machine-key (`cutcard journal machine-key PORT` prints it). A hash that you
    noted earlier shows that the journal up to its record is unchanged: --holds. Checkpoints stored
    elsewhere show that no record up to them was changed or removed: --checkpoints.
    docs/reference/journal.md lists what each record proves.

    Bytes after the last complete line are not a record: a power cut tore one, or they were added.
    Their number is printed.

    Exit 0: every round is proven. 1: a round is contradicted, or there are no records. 2: the file
    does not exist, or the machine does not respond. 3: a round is not provable.
    """
    if not file.is_file():
        _read(file)
    key = _pinned(public_key)
    if "" in (holds, port):
        called_wrongly("--holds and --port cannot be empty: they would verify nothing")
    outside = _outside(checkpoints or (), witness_key or ())
    proof, torn, damages = Proof(outside=outside), 0, []
    held = holds is None
    try:
        for record in _read(file):
            proof.take(record)
            held = held or record.hash == (holds or "").lower()
        proof.end()
        torn = unfinished(file)
    except (JournalDamagedError, JournalNewerError) as damage:
        damages.append(str(damage))
    if checkpoints and not damages and not outside.of_table(proof.key):
        called_wrongly(f"--checkpoints has no checkpoint signed by {proof.key or 'a key'}")
    asked, other = _asked(port) if port and not damages else (None, "")
    verdict = judge(proof, asked, [_pinned(each) for each in machine_key or ()])
    problems = damages or [
        f"{file}: {each}" for each in (*_problems(proof, held, holds or "", key), *verdict.problems)
    ]
    overall = CONTRADICTED if problems else verdict.of_all
    if as_json:
        typer.echo(
            json.dumps(
                _found(proof)
                | {"ok": overall == PROVEN, "verdict": overall}
                | {"ranges": [asdict(each) for each in verdict.ranges]}
                | {"problems": problems, "flags": proof.flags, "lacking": proof.lacking}
                | {"checkpoints": outside.compared, "cosigned": outside.cosigned}
                | {"unfinished_bytes": torn, "asked_device": asked is not None}
            )
        )
    else:
        for problem in problems:
            typer.echo("\n".join(wrapped(untrusted.printable(problem), later="  ")), err=True)
        if not damages:
            _print_proof(file, proof, verdict, torn, pinned=bool(key), note=other)
    raise typer.Exit(_EXITS[overall])


_EXITS = {PROVEN: 0, CONTRADICTED: 1, NOT_PROVABLE: 3}


@app.command("machine-key")
def machine_key(
    port: Annotated[str, typer.Argument(help="The port of the machine.")],
    as_json: Json = False,
) -> None:
    """Print the public key with which a machine signs statements about its journal.

    Ask the machine yourself, on its own cable, and store the key on another computer.

    Exit 0: the key is printed. 2: the machine does not respond, or its firmware has no key.
    """
    asked, _ = _asked(port)
    if asked is None or not asked.key:
        called_wrongly(f"{port}: no key: its firmware is older, or a card is called for")
    typer.echo(json.dumps({"key": asked.key}) if as_json else asked.key)


def _outside(files: Iterable[Path], keys: Iterable[str]) -> OutsideCheckpoints:
    """Return the checkpoints of these files, and the keys of witnesses."""
    try:
        witnesses = [VerifierKey.parse(key) for key in keys]
        notes: list[str] = []
        for file in files:
            text = untrusted.text_of(untrusted.content(file, MOST_CHECKPOINTS))
            notes += archived(text)
        return OutsideCheckpoints(notes, witnesses)
    except OSError as error:
        called_wrongly(f"--checkpoints {error.filename}: {error.strerror}")
    except (BadCheckpointError, untrusted.BadContentError) as error:
        called_wrongly(f"--checkpoints, --witness-key: {error}")


def _pinned(public_key: str | None) -> str:
    """Return the given public key in hexadecimal digits; "" without one."""
    try:
        return "" if public_key is None else read_public_key(public_key).hex()
    except BadPublicKeyError as error:
        called_wrongly(str(error))


def _problems(proof: Proof, held: bool, holds: str, key: str) -> list[str]:
    """Return the contradictions between a journal and a hash or a key from elsewhere."""
    if not proof.records:
        return ["it has no records, so there is nothing to verify."]
    found = []
    if not held:
        found.append(
            f"no record has the hash {untrusted.shown(holds)}. Records were removed from its end, "
            "or it is another journal: keep it unchanged for an investigation."
        )
    if key and proof.key != key:
        by = f"signed by {proof.key}" if proof.key else "not signed"
        found.append(f"it is {by}, not by {key}.")
    return found


def _asked(port: str) -> tuple[Asked | None, str]:
    """Return the answer of the machine at this port; or the reason why it is no witness."""
    try:
        with open_device(port, acknowledge=False) as device:
            if isinstance(device, CardDevice):
                return asked_now(device), ""
            return None, f"{port} deals no cards, so it is no witness."
    except DeviceError as error:
        complain(str(error))
        raise typer.Exit(2) from error


def _found(proof: Proof) -> dict[str, Any]:
    witness = None
    if proof.witness is not None:
        witness = {"count": proof.witness.count, "value": proof.witness.value.hex()}
    return {
        "records": proof.records,
        "hash": proof.last,
        "rounds": proof.rounds,
        "signatures": proof.signatures,
        "key": proof.key,
        "epochs": [
            {
                "record": epoch.record,
                "serial": epoch.serial,
                "before": epoch.before.count,
                "why": epoch.why,
            }
            for epoch in proof.epochs
        ],
        "witness": witness,
        "tree": None if proof.tree is None else proof.tree.to_json(),
        "before": proof.before,
        "witnessed": proof.witnessed,
    }


def _print_proof(
    file: Path, proof: Proof, verdict: Verdict, torn: int, pinned: bool, note: str
) -> None:
    lines = [f"{file}: {proof.records} records, unbroken. Hash of the last: {proof.last}"]
    if proof.key:
        whose = "the given key" if pinned else f"the key {proof.key}"
        lines.append(f"{proof.signatures} of {proof.rounds} rounds are signed by {whose}.")
        if later := proof.records - proof.signed:
            lines.append(f"After the last signature: {later} unsigned records.")
    else:
        lines.append("It is not signed.")
    if proof.before:
        lines.append(f"{proof.before} records of this table are in journals before this one.")
    if compared := proof.outside.compared:
        agree = "checkpoint agrees" if len(compared) == 1 else "checkpoints agree"
        lines.append(f"{len(compared)} {agree}, the last of {max(compared)} records.")
    for name, (size, time) in proof.outside.cosigned.items():
        lines.append(f"The witness {name} cosigned the first {size} records at {utc(time)}.")
    for epoch in proof.epochs:
        line = f"From record {epoch.record} on the device {epoch.serial} is its witness"
        why = f" ({epoch.why})" if epoch.why else ""
        before = epoch.before.count
        other = f"; before that, of {before} heads of other journals" if before else ""
        lines.append(f"{line}{why}{other}.")
    lines += [_describe_range(each) for each in verdict.ranges]
    if not verdict.ranges:
        lines.append("It has no settled rounds, so no round is proven.")
    lines += [f"Check this: {flag}." for flag in proof.flags]
    lines += [f"{lacking[:1].upper()}{lacking[1:]}." for lacking in proof.lacking]
    if note:
        lines.append(note)
    if torn:
        lines.append(f"After them are {torn} bytes of an incomplete record.")
    for line in lines:
        typer.echo("\n".join(wrapped(untrusted.printable(line), later="  ")))


def _describe_range(found: Range) -> str:
    rounds = (
        f"Round {found.first}"
        if found.first == found.last
        else (f"Rounds {found.first} to {found.last}")
    )
    who = f" ({found.who})" if found.who else ""
    return f"{rounds}: {found.verdict}; {found.why.rstrip('.')}{who}."


@app.command()
def show(
    context: typer.Context,
    file: File,
    number: Annotated[int | None, typer.Option("--round", help="Only this round.")] = None,
    faults: Annotated[
        bool, typer.Option("--faults", help="Only faults and irregularities, and their rulings.")
    ] = False,
    since: Annotated[
        str, typer.Option("--from", help="Only from this time on, such as 2026-11-16T20:15.")
    ] = "",
    until: Annotated[str, typer.Option("--to", help="Only before this time.")] = "",
    everything: Annotated[
        bool, typer.Option("--all", help="Every record unchanged, one per line.")
    ] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated, with a heading.")] = False,
    as_json: Json = False,
) -> None:
    """Describe the events of a journal in order, as a floor manager would.

    Times are UTC. --all and --json print every record with its data.

    Exit 0: success. 1: the chain of hashes breaks, or there are no records. 2: usage error.
    """
    if everything:
        why = "cannot be combined with --all, which prints every record in its own format"
        refuse(context, why, "number", "faults", "since", "until", "as_csv")
    if as_json:
        refuse(context, "cannot be combined with --json: choose one of them", "as_csv")
    _check_time("--from", since)
    _check_time("--to", until)
    try:
        if next(iter(_read(file)), None) is None:
            complain(f"{file}: it has no records: it is not a journal, or empty.")
            raise typer.Exit(1)
        if everything:
            for record in _read(file):
                typer.echo(_as_json(record) if as_json else _as_text(record))
            return
        lines = (
            line
            for line in journal_lines(file)
            if (number is None or line.round == number)
            and (line.fault or not faults)
            and line.time >= since
            and (not until or line.time < until)
        )
        if not _print(lines, as_csv, as_json):
            complain(f"{file}: no record matches the options.")
    except (JournalDamagedError, JournalNewerError) as damage:
        complain(str(damage))
        raise typer.Exit(1) from None


def _check_time(option: str, text: str) -> None:
    """Exit 2 for an invalid time. Times are compared as text, so a prefix such as a day is
    enough."""
    if text and not _BEGINNING_OF_A_TIME.fullmatch(text):
        called_wrongly(f"{option} {text!r}: write a time such as 2026-11-16T20:15, or a day")


def _print(lines: Iterable[StoryLine], as_csv: bool, as_json: bool) -> int:
    """Print the lines, and return their number."""
    sheet = Sheet(sys.stdout)
    if as_csv:
        sheet.write(("record", "time", "table", "round", "text", "rules"))
    count = 0
    for line in lines:
        count += 1
        if as_csv:
            rules = " ".join(line.rules)
            sheet.write((line.record, line.time, line.table, line.round or "", line.text, rules))
        elif as_json:
            typer.echo(json.dumps(line.as_json()))
        else:
            cited = f" [{', '.join(line.rules)}]" if line.rules else ""
            text = untrusted.printable(f"{line.time[11:19] or '':8}  {line.text}{cited}")
            typer.echo("\n".join(wrapped(text, later=" " * 10)))
    return count


@app.command()
def replay(file: File, as_json: Json = False) -> None:
    """Replay every settled round of a journal through the engine, and compare the money.

    The balances stored after each round must follow from the rounds.

    Exit 0: all agree with the journal. 1: one does not. 2: the file does not exist.
    """
    with tempfile.TemporaryDirectory() as folder:
        rounds, differing = _replayed(file, Path(folder))
    balances = _balances(file)
    ok = not differing and not balances
    if as_json:
        said = {"ok": ok, "rounds": rounds, "differing": differing, "balances": balances}
        typer.echo(json.dumps(said))
    else:
        typer.echo(f"{file}: {rounds} rounds, {rounds - len(differing)} replay to the same cents")
        for problem in (*differing, *balances):
            complain(f"  {problem}")
    raise typer.Exit(0 if ok and rounds else 1)


def _replayed(file: Path, folder: Path) -> tuple[int, list[str]]:
    try:
        rounds = write_cases(_there(file), folder)
    except (JournalDamagedError, JournalNewerError) as damage:
        complain(str(damage))
        raise typer.Exit(1) from None
    differing = []
    for path in sorted(folder.glob("*.toml")):
        report = run_file(path)
        if not report.ok:
            differing.append(f"{path.stem}: {report.malformed or '; '.join(report.differences)}")
    return rounds, differing


def _balances(file: Path) -> list[str]:
    """Return the errors in the balances stored after each round."""
    balances = Balances()
    try:
        for record in _read(file):
            with understood(file, record):
                balances.take(record)
    except JournalDamagedError as damage:
        return [str(damage)]
    return balances.problems


@app.command()
def export(
    context: typer.Context,
    file: File,
    cases: Annotated[
        Path | None, typer.Option(help="A new folder: each settled round as a case file.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="A new HTML file to print: the round that --round names.")
    ] = None,
    number: Annotated[int | None, typer.Option("--round", help="The round of --page.")] = None,
    shift: Annotated[
        Path | None, typer.Option(help="A new file: each wager of each round; .csv or .pdf.")
    ] = None,
) -> None:
    """Write a journal for others: case files or a page for a dispute, a report of the shift.

    For example: cutcard journal export table.journal --round 5 --page dispute.html
    """
    if cases is None and shift is None and page is None:
        complain("choose an output: --cases FOLDER, --page FILE, --shift FILE")
        raise typer.Exit(2)
    if page is not None and number is None:
        complain("--page prints one round: name it with --round")
        raise typer.Exit(2)
    if page is None:
        refuse(context, "is for --page", "number")
    if shift is not None and shift.suffix not in (".csv", ".pdf"):
        complain(f"{shift}: the name of a shift report must end in .csv or .pdf")
        raise typer.Exit(2)
    for path in filter(None, (cases, page, shift)):
        if path.exists():
            complain(f"{path} exists already: name a new one")
            raise typer.Exit(2)
    try:
        if cases is not None:
            typer.echo(f"{write_cases(_there(file), cases)} rounds written into {cases}")
        if page is not None and number is not None:
            private_files.create(page, round_page(_there(file), number))
            typer.echo(f"round {number} written into {page}: open it in a browser, and print it")
        if shift is not None:
            typer.echo(f"{_write_shift(file, shift)} wagers written into {shift}")
    except (NoSuchRoundError, JournalDamagedError, JournalNewerError) as problem:
        complain(str(problem))
        raise typer.Exit(1) from None
    except OSError as error:
        called_wrongly(f"{error.filename}: {error.strerror}")


def _write_shift(file: Path, path: Path) -> int:
    """Write the shift report; return the number of wagers. A damaged journal writes no file."""
    if path.suffix == ".pdf" and (module := extras.lacking("certify")):
        called_wrongly(f"a PDF needs {module}. {extras.how_to_get('certify')}")
    shift = shift_of(_there(file))
    if path.suffix == ".csv":
        with path.open("x", newline="") as opened:
            shift.write_csv(opened)
    else:
        paper = shift.pdf()
        with path.open("xb") as printed:
            printed.write(paper)
    return len(shift.wagers)


def _read(file: Path) -> Iterator[Record]:
    return read(_there(file))


def _there(file: Path) -> Path:
    if file.is_dir():
        journals = sorted(map(str, file.rglob("*.journal")))
        found = f"It contains: {', '.join(journals)}" if journals else "It contains no journal"
        called_wrongly(f"{file} is a folder; name one journal. {found}")
    if not file.is_file():
        called_wrongly(f"{file} does not exist. `make run` writes two journals.")
    return file


def _as_json(record: Record) -> str:
    said = {"n": record.number, "time": record.time, "table": record.table, "kind": record.kind}
    return json.dumps(said | {"data": record.data, "device": dict(record.device)})


def _as_text(record: Record) -> str:
    data = "  ".join(f"{_value(key)}={_value(value)}" for key, value in record.data.items())
    return f"{record.number:6d}  {_value(record.kind):<10} {data}"


def _value(value: object) -> str:
    said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return untrusted.printable(said)
