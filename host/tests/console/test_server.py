"""The console's addresses, requested by a browser and by an attacker."""

from __future__ import annotations

import errno
import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import sys
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from typer.testing import CliRunner

from cutcard.cli.main import app
from cutcard.console import connections, pit
from cutcard.console.guard import MOST_KNOWN, Rate, whence
from cutcard.console.people import People
from cutcard.console.pit import Pit
from cutcard.journal import Journal
from tests.console.served import Served, serving
from tests.console.table_journal import open_journal

READ = ("/api/events", "/api/tables/seven/timeline", "/api/tables/seven/at/9")


@pytest.mark.parametrize("path", [*READ, "/api/tables/seven/rounds/1"])
def test_reading_needs_a_sign_in(console: Served, path: str) -> None:
    assert console.ask(path)[0] == 401
    console.cookie = "cutcard=made-up"
    assert console.ask(path)[0] == 401


def test_foreign_origin_is_refused(console: Served) -> None:
    body = {"name": "x", "passphrase": "y"}
    for origin in ("http://evil.example", "null", "", f"https://127.0.0.1:{console.port}"):
        assert console.ask("/api/sign-in", body, {"Origin": origin})[0] == 403


def test_foreign_host_is_refused(console: Served) -> None:
    """A foreign name that points here (DNS rebinding) gives no access."""
    assert console.ask("/", headers={"Host": f"evil.example:{console.port}"})[0] == 403
    assert console.ask("/api/me", headers={"Host": "127.0.0.1"})[0] == 403


def test_form_of_another_page_is_refused(console: Served) -> None:
    sent = {"Content-Type": "text/plain"}
    assert console.ask("/api/sign-in", {"name": "x"}, sent)[0] == 415


def test_too_long_body_is_refused_before_it_is_read(console: Served) -> None:
    assert console.ask("/api/sign-in", {"name": "x" * 20000})[0] == 413


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 13, "-1", "\N{ARABIC-INDIC DIGIT ONE}", "x"])
@pytest.mark.parametrize("what", ["at", "rounds"])
def test_address_with_an_invalid_number_is_not_found(
    console: Served, what: str, number: str
) -> None:
    path = quote(f"/api/tables/seven/{what}/{number}")
    assert console.ask(path)[0] == 401
    console.sign_in("Noor", "auditor")
    assert console.ask(path)[0] == 404


UNFINISHED = (
    "",
    "GET / HTTP/1.1\r\nHost: ",
    "POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\n"
    "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{",
)


@pytest.mark.parametrize("said", UNFINISHED)
def test_connection_without_a_complete_request_in_time_is_closed(
    console: Served, said: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.1)
    with socket.create_connection(("127.0.0.1", console.port), timeout=60) as line:
        line.sendall(said.format(port=console.port).encode())
        assert has_ended(line)
    assert console.ask("/api/me")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_attacker_with_many_open_connections_only_loses_its_own(
    console: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_OF_ONE", 3)
    with ExitStack() as stack:
        lines = []
        for _ in range(20):
            line = socket.create_connection(("127.0.0.1", console.port), timeout=60)
            lines.append(stack.enter_context(line))
            assert console.ask("/api/me")[0] == 200
        assert all(map(has_ended, lines[:10]))


def has_ended(line: socket.socket) -> bool:
    """Wait until the other end closes; return whether it did."""
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def test_pit_that_fails_for_a_moment_is_read_again(console: Served) -> None:
    console.sign_in("Noor", "auditor")
    looked: list[int] = []

    def fails() -> None:
        looked.append(1)
        raise OSError(errno.EMFILE, "of the test")

    console.console.pit.find_tables = fails  # type: ignore[method-assign]
    events = console.events()
    while len(looked) < 2:
        next(events)
    assert next(kind for kind, _, _ in events) == "beat"
    events.close()


def test_chunked_body_with_a_length_is_refused(console: Served) -> None:
    """In HTTP the chunks take precedence over the length, and they may have no end."""
    pieces = {"Transfer-Encoding": "chunked", "Content-Length": "2"}
    assert console.ask("/api/sign-in", {}, pieces)[0] == 413


def test_length_in_other_digits_is_refused(
    console: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    assert console.ask("/api/sign-in", {}, {"Content-Length": "²"})[0] in (400, 413)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("path", ["/", "/console.js", "/api/me", "/nowhere", "/api/nowhere"])
def test_every_answer_has_the_policy(console: Served, path: str) -> None:
    headers = console.ask(path)[1]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_cookie_is_not_accessible_to_scripts_and_other_pages(console: Served) -> None:
    passphrase = console.console.sessions.people.add("Mia", ("viewer",))
    body = {"name": "Mia", "passphrase": passphrase}
    cookie = console.ask("/api/sign-in", body)[1]["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_limit_forgets_expired_entries() -> None:
    now = [0.0]
    rate = Rate(most=1, seconds=10, clock=lambda: now[0])
    for number in range(3 * MOST_KNOWN):
        now[0] += 0.1
        rate.count(f"as {number}")
    assert len(rate._past) <= MOST_KNOWN
    assert rate.wait(f"as {number}") > 0


@pytest.mark.parametrize(
    ("host", "counts_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_network_of_one_subscriber_is_one_address(host: str, counts_as: str) -> None:
    assert whence(host) == counts_as


def test_guessing_is_stopped_after_five_attempts(console: Served) -> None:
    body = {"name": "Mia", "passphrase": "wrong"}
    assert [console.ask("/api/sign-in", body)[0] for _ in range(6)] == [401] * 5 + [429]
    assert int(console.ask("/api/sign-in", body)[1]["retry-after"]) > 0


def test_client_cannot_forge_its_address(console: Served) -> None:
    tried = [
        console.ask("/api/sign-in", {"name": f"{n}"}, {"X-Forwarded-For": f"10.0.0.{n}"})[0]
        for n in range(6)
    ]
    assert tried == [401] * 5 + [429]


def test_entire_shift_may_sign_in_from_one_address(console: Served) -> None:
    for number in range(7):
        console.sign_in(f"Person {number}", "viewer")


def test_rate_is_counted_separately_and_expires() -> None:
    now = [0.0]
    rate = Rate(most=2, seconds=10, clock=lambda: now[0])
    for _ in range(2):
        assert rate.wait("a") == 0
        rate.count("a")
    assert rate.wait("a") == 10
    assert rate.wait("b") == 0
    now[0] = 10.0
    assert rate.wait("a") == 0


def test_signed_out_user_has_no_access(console: Served) -> None:
    console.sign_in("Mia", "viewer")
    assert console.ask("/api/tables/seven/timeline")[0] == 200
    assert console.ask("/api/sign-out", {})[0] == 200
    assert console.ask("/api/tables/seven/timeline")[0] == 401


def test_missing_address_is_reported(console: Served) -> None:
    console.sign_in("Mia", "viewer")
    for path in ("/api/tables/eight/timeline", "/api/tables/seven/at/99999", "/../people.json"):
        status, _, said = console.ask(path)
        assert (status, bool(said["why"])) == (404, True)


def test_stream_begins_with_all_tables_and_its_ids_are_record_numbers(console: Served) -> None:
    console.sign_in("Mia", "viewer")
    kind, number, pit = next(console.events())
    (table,) = pit["tables"]
    assert (kind, table["table"]) == ("pit", "seven")
    assert number == f"seven={table['picture']['n']}"


def test_no_record_is_missed_and_each_is_counted_once(console: Served, evening: Path) -> None:
    console.sign_in("Mia", "viewer")
    events = console.events()
    begun = next(events)[2]["tables"][0]["picture"]["n"]
    with open_journal(evening) as journal:
        for cards in range(50):
            journal.append("returned", {"cards": cards})
        last = journal.number
    counted, lines = begun, []
    for kind, number, data in events:
        if kind == "table":
            counted += data["records"]
            lines += [line["n"] for line in data["lines"]]
            assert number == f"seven={data['picture']['n']}"
        if counted >= last:
            break
    assert counted == last
    assert lines == list(range(begun + 1, last + 1))


def test_new_journal_records_are_sent_to_all_pages_on_a_request(
    evening: Path, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pit, "LOOK_EVERY", 3600)
    with serving(evening, people) as console:
        console.sign_in("rae", "inspector")
        events = console.events()
        kind, _, _ = next(events)
        assert kind == "pit"
        with open_journal(evening) as journal:
            number = journal.append("note", {}).number
        console.ask("/api/tables/seven/requests", {"id": "0" * 32, "want": "rule"})
        kind, _, said = next(events)
        events.close()
    assert (kind, said["records"], said["picture"]["n"]) == ("table", 1, number)


def test_heartbeat_is_sent_without_events(console: Served) -> None:
    console.sign_in("Mia", "viewer")
    kinds = [event[0] for event, _ in zip(console.events(), range(4), strict=False)]
    assert kinds == ["pit", "beat", "beat", "beat"]


def test_table_opened_later_appears(evening: Path) -> None:
    pit = Pit([evening])
    (evening / "eight").mkdir()
    with Journal(evening / "eight" / "table.journal", "Table 8") as journal:
        journal.append("returned", {"cards": 1})
    pit.find_tables()
    pit.catch_up()
    assert {key: table.view.name for key, table in pit.tables.items()} == {
        "seven": "Table 7",
        "eight": "Table 8",
    }


def test_page_files_are_below_200_kb_and_name_no_other_host() -> None:
    files = list((resources.files("cutcard.console") / "page").iterdir())
    texts = {file.name: file.read_text("utf-8") for file in files}
    assert sum(len(text.encode()) for text in texts.values()) < 200 * 1024
    for text in texts.values():
        assert set(re.findall(r"https?://[^\"'\s)]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("console nowhere", "nowhere does not exist"),
        ("console . --bind 0.0.0.0", "--certificate and --key"),
        ("console . --certificate pyproject.toml", "go together"),
    ],
)
def test_impossible_console_is_refused_with_the_next_step(line: str, said: str) -> None:
    answer = CliRunner().invoke(app, line.split(), env={"CUTCARD_HOME": "/nonexistent"})
    assert answer.exit_code == 2
    assert said in answer.output


def test_console_with_a_certificate_uses_tls_and_a_secure_cookie(
    evening: Path, people: People, tmp_path: Path
) -> None:
    certificate, key = made_certificate(tmp_path)
    passphrase = people.add("Mia", ("viewer",))
    command = [sys.executable, "-m", "cutcard.cli", "console", str(evening), "--http-port", "0"]
    command += ["--certificate", str(certificate), "--key", str(key), "--people", str(people.file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        program.stdout.readline()
        address = program.stdout.readline().strip()
        port = int(address.rstrip("/").rpartition(":")[2])
        trusting = ssl.create_default_context(cafile=certificate)
        asking = http.client.HTTPSConnection("localhost", port, timeout=30, context=trusting)
        said = {"Origin": f"https://localhost:{port}", "Content-Type": "application/json"}
        body = json.dumps({"name": "Mia", "passphrase": passphrase})
        asking.request("POST", "/api/sign-in", body, said)
        answer = asking.getresponse()
        cookie = answer.headers["set-cookie"]
        program.terminate()
    assert address.startswith("https://")
    assert (answer.status, program.returncode) == (200, 0)
    assert cookie.startswith("__Host-cutcard=")
    assert "Secure" in cookie
    assert "max-age" in answer.headers["strict-transport-security"]


def made_certificate(folder: Path) -> tuple[Path, Path]:
    """Return a self-signed certificate of localhost."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    made = folder / "certificate.pem", folder / "key.pem"
    made[0].write_bytes(certificate.public_bytes(Encoding.PEM))
    made[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return made


def test_one_reader_does_not_block_the_others(console: Served) -> None:
    console.sign_in("Mia", "viewer")
    console.console.readings.most = 3
    tried = [console.ask("/api/tables/seven/at/9")[0] for _ in range(4)]
    assert tried == [200] * 3 + [429]
    console.sign_in("Noor", "auditor")
    assert console.ask("/api/tables/seven/at/9")[0] == 200


def test_streams_of_a_person_are_limited_and_freed(
    console: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cutcard.console.server.MOST_OF_ONE", 2)
    console.sign_in("Mia", "viewer")
    streams = [console.events() for _ in range(2)]
    for stream in streams:
        next(stream)
    assert console.ask("/api/events")[0] == 503
    mia = console.cookie
    console.sign_in("Noor", "auditor")
    next(console.events())
    console.cookie = mia
    streams.pop().close()  # the server detects it with the next beat
    while console.console.streams["Mia"] > 1:
        next(streams[0])
    next(console.events())


def test_sign_ins_of_one_name_are_limited(console: Served) -> None:
    passphrase = console.console.sessions.people.add("Mia", ("viewer",))
    body = {"name": "Mia", "passphrase": passphrase}
    assert [console.ask("/api/sign-in", body)[0] for _ in range(6)] == [200] * 5 + [429]


def test_record_that_cannot_be_displayed_affects_no_other_table(evening: Path) -> None:
    shutil.copytree(evening / "seven", evening / "six")
    with open_journal(evening) as journal:
        odd = {"player": "Ana", "net": 1}  # no box and no bet
        journal.append("settled", {"number": 9, "round": "complete", "results": [odd]})
    pit = Pit([evening])
    pit.catch_up()
    damage = {each["table"]: each["damage"] for each in pit.snapshot()["tables"]}
    assert damage["six"] == ""
    assert damage["seven"] != ""


def test_wager_carried_to_the_next_round_is_no_damage(evening: Path) -> None:
    line = {"box": 1, "player": "Ana", "bet": "main", "result": "open", "net": None, "rules": []}
    with open_journal(evening) as journal:
        before = journal.append("returned", {"cards": 1}).number
        journal.append("round", {"number": 9, "wagers": []})
        journal.append("settled", {"number": 9, "round": "complete", "results": [line]})
    pit = Pit([evening])
    pit.catch_up()
    table = pit.tables["seven"]
    assert (table.damage, table.view.number) == ("", before + 2)
    assert table.picture()["results"][0]["cents"] == 0


def test_journal_truncated_during_watching_is_reported(evening: Path) -> None:
    pit = Pit([evening])
    pit.catch_up()
    journal = evening / "seven" / "table.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-3]))
    (message,) = pit.look()
    assert "was there and is gone" in message["damage"]
    assert message["picture"]["n"] == len(lines)
