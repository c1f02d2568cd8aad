"""The console's addresses: the page, the tables as JSON, one stream of events, and sign-in."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import resources
from math import ceil
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from cutcard import untrusted
from cutcard.console.guard import Guard, Rate, whence
from cutcard.console.people import Person, PersonRefusedError, Sessions
from cutcard.console.pit import Pit
from cutcard.console.table_lines import TableLines, UnansweredError
from cutcard.console.watched_table import NoSuchMomentError, WatchedTable
from cutcard.table.display_names import job
from cutcard.table.people.desk import SAYS

PAGE = {
    "index.html": "text/html; charset=utf-8",
    "asking.js": "text/javascript; charset=utf-8",
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "drawing.js": "text/javascript; charset=utf-8",
    "ruling.js": "text/javascript; charset=utf-8",
    "stream.js": "text/javascript; charset=utf-8",
    "wagers.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
MOST_STREAMS = 200
MOST_OF_ONE = 16  # streams of one person: the tabs of a browser share one
WANTED = tuple(SAYS)
Answer = Callable[[Request, Person], Awaitable[Response]]


class RequestRefusedError(Exception):
    """Raised if a request is refused, with the reason."""

    def __init__(self, status: int, why: str, **more: Any) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.more = more


class Console:
    """The server of a pit for signed-in users."""

    def __init__(
        self, pit: Pit, sessions: Sessions, hosts: frozenset[str], *, secure: bool = False
    ) -> None:
        self.pit = pit
        self.lines = TableLines(pit)
        self.sessions = sessions
        self.secure = secure
        self.cookie = "__Host-cutcard" if secure else "cutcard"
        self.sign_ins = Rate(most=5, seconds=60)
        self.changes = Rate(most=30, seconds=10)
        self.readings = Rate(most=300, seconds=10)
        self.streams: Counter[str] = Counter()
        self.files = {name: _file(name) for name in PAGE}
        routes = [
            Route("/", self.page),
            Route("/{file:str}", self.page),
            Route("/api/sign-in", self.sign_in, methods=["POST"]),
            Route("/api/sign-out", self.sign_out, methods=["POST"]),
            Route("/api/me", self.me),
            Route("/api/events", self._signed_in(self.events)),
            Route(
                "/api/tables/{table:str}/requests", self._signed_in(self.request), methods=["POST"]
            ),
            Route("/api/tables/{table:str}/timeline", self._reads(self.timeline)),
            Route("/api/tables/{table:str}/at/{number:str}", self._reads(self.at)),
            Route("/api/tables/{table:str}/rounds/{number:str}", self._reads(self.round)),
        ]
        self.app = Starlette(
            routes=routes,
            middleware=[Middleware(Guard, hosts=hosts, secure=secure)],
            exception_handlers={RequestRefusedError: _refused, 404: _not_found, 405: _not_found},
            lifespan=self._life,
        )

    @asynccontextmanager
    async def _life(self, app: Starlette) -> AsyncIterator[None]:
        self.pit.catch_up()
        tasks = [asyncio.create_task(each) for each in (self.pit.watch(), self.lines.keep())]
        try:
            yield
        finally:
            self.pit.end()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    # Authentication

    def _signed_in(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            return await answer(request, self._person(request))

        return answered

    def _reads(self, answer: Answer) -> Callable[[Request], Awaitable[Response]]:
        """Wrap expensive requests, so that one reader cannot block the others."""

        async def answered(request: Request, person: Person) -> Response:
            self._limit(self.readings, person)
            return await answer(request, person)

        return self._signed_in(answered)

    def _limit(self, rate: Rate, person: Person) -> None:
        if wait := rate.wait(person.name):
            raise RequestRefusedError(429, "Too many requests. Wait a moment.", wait=wait)
        rate.count(person.name)

    def _person(self, request: Request) -> Person:
        person = self.sessions.person(request.cookies.get(self.cookie, ""))
        if person is None:
            raise RequestRefusedError(401, "Sign in first.")
        return person

    async def sign_in(self, request: Request) -> Response:
        said = await read_body(request)
        name, passphrase = str(said.get("name", "")), str(said.get("passphrase", ""))
        whence_asked = whence(request.client.host) if request.client else ""
        asking = (f"from {whence_asked}", f"as {name[:60]}")
        if wait := max(self.sign_ins.wait(whose) for whose in asking):
            raise RequestRefusedError(
                429, f"Too many attempts. Try again in {ceil(wait)} seconds.", wait=wait
            )
        for whose in asking:
            self.sign_ins.count(whose)
        try:
            person = await asyncio.to_thread(self.sessions.people.known, name, passphrase[:200])
        except PersonRefusedError as refused:
            raise RequestRefusedError(503, "The file of people cannot be read now.") from refused
        if person is None:
            raise RequestRefusedError(401, "Name and passphrase do not belong together.")
        # a shift may sign in from one address; one name may not be tried often
        self.sign_ins.forgive(asking[0])
        answer = JSONResponse(_about(person))
        answer.set_cookie(
            self.cookie,
            self.sessions.begin(person),
            httponly=True,
            samesite="strict",
            secure=self.secure,
        )
        return answer

    async def sign_out(self, request: Request) -> Response:
        self.sessions.end(request.cookies.get(self.cookie, ""))
        answer = JSONResponse({})
        answer.delete_cookie(self.cookie, httponly=True, samesite="strict", secure=self.secure)
        return answer

    async def me(self, request: Request) -> Response:
        """Return the signed-in user, or an empty answer."""
        person = self.sessions.person(request.cookies.get(self.cookie, ""))
        return JSONResponse({} if person is None else _about(person))

    # The page

    async def page(self, request: Request) -> Response:
        name = request.path_params.get("file", "index.html")
        if name not in self.files:
            return await _not_found(request, None)
        headers = {"cache-control": "no-cache"}
        return Response(self.files[name], media_type=PAGE[name], headers=headers)

    # The tables

    def table(self, request: Request) -> WatchedTable:
        try:
            return self.pit.tables[request.path_params["table"]]
        except KeyError:
            raise RequestRefusedError(404, "There is no such table here.") from None

    async def timeline(self, request: Request, person: Person) -> Response:
        return JSONResponse(self.table(request).timeline())

    async def at(self, request: Request, person: Person) -> Response:
        try:
            view = self.table(request).picture_at(_number(request))
        except NoSuchMomentError as none:
            raise RequestRefusedError(404, str(none)) from none
        return JSONResponse(view)

    async def round(self, request: Request, person: Person) -> Response:
        try:
            return JSONResponse(self.table(request).round(_number(request)))
        except NoSuchMomentError as none:
            raise RequestRefusedError(404, str(none)) from none

    async def request(self, request: Request, person: Person) -> Response:
        """Send a user's request to the table. Its id counts once, even if it is sent again."""
        if person.reads_only:
            raise RequestRefusedError(403, "Viewers and auditors only read.")
        self._limit(self.changes, person)
        table, said = self.table(request), await read_body(request)
        # send records read now, because the next check would skip them
        self.pit.send(*self.pit.look())
        if (number := table.requests.get(str(said.get("id")))) is not None:
            return JSONResponse({"n": number, "said": "This was counted already."})
        wanted = {name: said[name] for name in WANTED if name in said}
        session = self.sessions.mark(request.cookies.get(self.cookie, ""))
        who = {"person": person.name, "titles": list(person.titles), "session": session}
        if said.get("title") is not None and said["title"] not in person.titles:
            raise RequestRefusedError(403, "That title is not yours.")
        line = self.lines.to(table.key)
        try:
            answer = await line.ask(wanted | who) if line else None
        except UnansweredError as none:
            raise RequestRefusedError(503, str(none)) from none
        if answer is None:
            raise RequestRefusedError(
                503, "The program of this table does not run. No change was made."
            )
        return JSONResponse(answer, answer["status"])

    async def events(self, request: Request, person: Person) -> Response:
        if self.streams.total() >= MOST_STREAMS or self.streams[person.name] >= MOST_OF_ONE:
            raise RequestRefusedError(503, "Too many pages are open. Close some.")
        stream = self._stream(request, person.name)
        return StreamingResponse(stream, media_type="text/event-stream")

    async def _stream(self, request: Request, name: str) -> AsyncIterator[bytes]:
        """Yield the state of all tables, then the events, until the user is signed out."""
        listener = self.pit.join()
        self.streams[name] += 1
        secret = request.cookies.get(self.cookie, "")
        try:
            yield b"retry: 400\n\n"
            yield self.pit.events([("pit", self.pit.snapshot())])
            while (event := await listener.get()) is not None:
                if self.sessions.person(secret) is None:
                    return
                yield event
        finally:
            self.pit.leave(listener)
            self.streams[name] -= 1


def _about(person: Person) -> dict[str, Any]:
    return {
        "name": person.name,
        "titles": list(person.titles),
        "jobs": [job(title) for title in person.titles],
        "reads_only": person.reads_only,
    }


def _file(name: str) -> bytes:
    return (resources.files("cutcard.console") / "page" / name).read_bytes()


def _number(request: Request) -> int:
    """Return the number of a record or round in a request's address. Raises NoSuchMomentError."""
    number = untrusted.whole_number(request.path_params["number"])
    if number is None:
        raise NoSuchMomentError("There is no such number.")
    return number


async def read_body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request. Raises RequestRefusedError."""
    try:
        said = untrusted.json_from(await request.body())
    except ClientDisconnect:
        raise RequestRefusedError(400, "The request has no end.") from None
    except untrusted.BadContentError as error:
        raise RequestRefusedError(400, f"This is not JSON: {error}") from error
    if not isinstance(said, dict):
        raise RequestRefusedError(400, "Send a JSON object.")
    return said


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefusedError)
    headers = {"retry-after": str(ceil(error.more["wait"]))} if "wait" in error.more else None
    return JSONResponse({"why": error.why} | error.more, error.status, headers)


async def _not_found(request: Request, error: Exception | None) -> Response:
    status = getattr(error, "status_code", 404)
    return JSONResponse({"why": "This address does not exist."}, status)
