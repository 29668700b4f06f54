"""A server of graphs and programs over HTTP, on top of a service; needs the extra ``serve``.

A request names a graph and a program that the server was started with, and gives data: code and
paths of files are never taken. Who asks is told by a token. A body that is too long or too slow, a
malformed or an unauthorised request is refused before a job is made of it; a job ends by the limit
of time at the latest.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any

import emv
from emv.errors import CapacityError, EmvError
from emv.graph import Graph
from emv.imports import required
from emv.runtime.parameters import signature_of
from emv.runtime.program import ProgramFunction
from emv.service.answers import ARROW, AS, JSON, check_arguments
from emv.service.metrics import TEXT, Metrics
from emv.service.service import Service

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True)
class Offer:
    """What a server has, and what it lets requests take.

    Attributes
    ----------
    service : Service
        What runs the jobs.
    graphs : dict of str to Graph
    programs : dict of str to ProgramFunction
    tokens : dict of str to str
        By token whose it is; without any, everybody is the user ``""``.
    most_bytes : int
        Of a request's body.
    most_seconds : float
        Of a job, waiting and running, and of the reading of a body.
    """

    service: Service
    graphs: Mapping[str, Graph]
    programs: Mapping[str, ProgramFunction]
    tokens: Mapping[str, str] = field(default_factory=dict)
    most_bytes: int = 1 << 20
    most_seconds: float = 60.0

    def user_of(self, authorization: str) -> str | None:
        """Return who sends a header ``Bearer TOKEN``, None for nobody who is known."""
        if not self.tokens:
            return ""
        kind, _, token = authorization.partition(" ")
        given, user = digest(token.strip()), None
        for each, name in self.tokens.items():  # all of them, so that time tells nothing
            if hmac.compare_digest(digest(each), given):
                user = name
        return user if kind.lower() == "bearer" else None


def digest(token: str) -> bytes:
    """Return as many bytes for every token."""
    return hashlib.sha256(token.encode()).digest()


def application(offer: Offer) -> Any:
    """Return the application, for any ASGI server.

    Raises
    ------
    ArgumentError
        If FastAPI is not installed.
    """
    fastapi = required("fastapi")
    metrics = Metrics()

    def user(authorization: str = fastapi.Header("")) -> str:
        found = offer.user_of(authorization)
        if found is None:
            asked = {"WWW-Authenticate": "Bearer"}
            raise fastapi.HTTPException(401, "who asks is not known: send a token", asked)
        return found

    app = fastapi.FastAPI(title="emv", version=emv.__version__)
    known = [fastapi.Depends(user)]

    async def health() -> dict[str, str]:
        """Tell that the server answers."""
        return {"status": "ok", "version": emv.__version__}

    async def counts() -> Any:
        """Tell what was asked and how long it took, as Prometheus reads it."""
        return fastapi.Response(metrics.text(offer.service), media_type=TEXT)

    async def graphs() -> dict[str, Any]:
        """Tell which graphs there are."""
        return {name: described(graph) for name, graph in offer.graphs.items()}

    async def programs() -> dict[str, Any]:
        """Tell which programs there are, with their parameters and defaults."""
        return {name: parameters_of(each) for name, each in offer.programs.items()}

    async def malformed(_request: Any, error: Any) -> Any:
        """Say what is wrong without what was sent, which need not be text."""
        wrong = [{"loc": list(each["loc"]), "msg": each["msg"]} for each in error.errors()]
        return fastapi.responses.JSONResponse({"detail": wrong}, 422)

    app.get("/health")(health)
    app.get("/metrics", dependencies=known)(counts)
    app.get("/graphs", dependencies=known)(graphs)
    app.get("/programs", dependencies=known)(programs)
    app.exception_handler(required("fastapi.exceptions").RequestValidationError)(malformed)
    add_run(app, offer, fastapi, user)
    app.add_middleware(functools.partial(Guard, offer=offer, metrics=metrics))
    return app


def add_run(app: Any, offer: Offer, fastapi: Any, user: Callable[..., str]) -> None:
    """Let an application run programs."""
    call = call_model()

    async def run(
        graph: str,
        program: str,
        call: Any,
        accept: str = fastapi.Header(JSON),
        user: str = fastapi.Depends(user),
    ) -> Any:
        """Run a program on a graph, when its turn comes; the answer is its result."""
        for there, name, what in (
            (offer.graphs, graph, "graph"),
            (offer.programs, program, "program"),
        ):
            if name not in there:
                raise fastapi.HTTPException(404, f"there is no {what} {name!r:.80}")
        kind = ARROW if ARROW in accept else JSON
        try:
            told = await answer(offer, (graph, program, user), call, kind)
        except (CancelledError, asyncio.CancelledError, TimeoutError):
            raise fastapi.HTTPException(504, "the job has not ended in time") from None
        except CapacityError as error:
            raise fastapi.HTTPException(503, str(error), {"Retry-After": "1"}) from None
        except EmvError as error:
            raise fastapi.HTTPException(422, str(error)) from None
        return fastapi.Response(told, media_type=kind)

    run.__annotations__["call"] = call
    done: dict[int, Any] = {200: {"content": {JSON: {}, ARROW: {}}}}
    app.post("/run/{graph}/{program}", responses=done, response_model=None)(run)


def call_model() -> Any:
    """Return what the body of a call is: its fields and their types, and no others."""
    pydantic = required("pydantic")
    strict = pydantic.ConfigDict(extra="forbid", strict=True)
    return pydantic.create_model(
        "Call",
        __config__=strict,
        __doc__="The arguments of a program by name, and how it is run.",
        arguments=(dict[str, Any], {}),
        rng=(int, 0),
        priority=(int, 0),
        deadline=(float | None, pydantic.Field(None, gt=0, description="seconds")),
        rows=(list[int] | None, pydantic.Field(None, description="ids of vertices to tell of")),
    )


async def answer(offer: Offer, names: tuple[str, str, str], call: Any, kind: str) -> bytes:
    """Run a job, and return its result as JSON or Arrow."""
    graph, program = offer.graphs[names[0]], offer.programs[names[1]]
    check_arguments(program, call.arguments)
    deadline = min(offer.most_seconds, call.deadline or offer.most_seconds)
    submit = functools.partial(
        offer.service.submit,
        program,
        graph,
        user=names[2],
        priority=call.priority,
        deadline=deadline,
        rng=call.rng,
        **call.arguments,
    )
    job = await asyncio.to_thread(submit)  # which reads the program's text
    await job
    assert job.run is not None  # of a program
    return await asyncio.to_thread(AS[kind], job.run, graph, call.rows)


class Guard:
    """Counts requests, and refuses bodies that are too long or too slow, whatever follows.

    Parameters
    ----------
    app : callable
        The application behind.
    """

    def __init__(self, app: Any, offer: Offer, metrics: Metrics) -> None:
        self.app, self.offer, self.metrics = app, offer, metrics

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), [500]

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        try:
            refused, body = await self._read(scope, receive)
            if refused:
                await refuse(noting, *refused)
            else:
                await self.app(scope, replayed(body, receive), noting)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self.metrics.note(route, status[0], time.perf_counter() - began)

    async def _read(self, scope: Message, receive: Receive) -> tuple[tuple[int, str] | None, bytes]:
        """Return why a request is refused, if it is, and its body."""
        headers = dict(scope["headers"])
        most, parts, size, more = self.offer.most_bytes, list[bytes](), 0, True
        too_long = (413, f"a body has at most {most} bytes")
        said = headers.get(b"content-length", b"0")
        if said.isdigit() and int(said) > most:
            return too_long, b""
        if self.offer.user_of(headers.get(b"authorization", b"").decode("latin-1")) is None:
            return None, b""  # refused without a look at what is sent
        try:
            async with asyncio.timeout(self.offer.most_seconds):
                while more:
                    message = await receive()
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        return too_long, b""
                    more = message.get("more_body", False)
        except TimeoutError:
            return (408, "the body has not come in time"), b""
        return None, b"".join(parts)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read, then what comes behind it."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message


async def refuse(send: Send, status: int, detail: str) -> None:
    """Send an error as FastAPI does, and close."""
    body = b'{"detail":"%s"}' % detail.encode()
    headers = [(b"content-type", JSON.encode()), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def described(graph: Graph) -> dict[str, Any]:
    """Return what is told of a graph."""
    return {
        "vertices": graph.num_vertices,
        "edges": graph.num_edges,
        "directed": graph.directed,
        "labels": graph.labels is not None,
        "columns": sorted(graph.edges.names()),
    }


def parameters_of(program: ProgramFunction) -> dict[str, Any]:
    """Return the parameters of a program by name, with their defaults as text."""
    parameters = list(signature_of(program.python).parameters.values())[1:]
    return {
        each.name: None if each.default is each.empty else repr(each.default) for each in parameters
    }
