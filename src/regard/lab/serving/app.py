"""The application behind the guard: the page, its files, and the questions by POST or socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from regard import __version__
from regard.lab import scenes
from regard.lab.serving.static_files import static_file
from regard.lab.serving.workers import Workers
from regard.lab.table import Question, questions
from regard.lab.wording import sentence

UNREADABLE = "A question is one JSON object; this body cannot be read as one."
MOST_AT_ONCE = 64  # questions of one page on their way


class Problem(BaseModel):
    """Why a question is not answered."""

    problem: str


REFUSALS: dict[int | str, dict[str, Any]] = {
    409: {"model": Problem, "description": "The arguments do not fit each other."},
    422: {"model": Problem, "description": "An argument is not what it must be."},
    **{code: {"model": Problem} for code in (400, 401, 403, 413, 421)},
}


def application(workers: Workers) -> FastAPI:
    """Return the application; it opens and closes the processes that answer."""

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await workers.open()
        yield
        await workers.close()

    app = FastAPI(
        title="regard lab", version=__version__, lifespan=life, docs_url=None, redoc_url=None
    )
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _worded)
    for question in questions().values():
        app.post(
            f"/ask/{question.name}",
            summary=question.says,
            operation_id=question.name,
            responses=REFUSALS,
            response_model=dict[str, Any],
        )(_endpoint(question, workers))

    @app.get("/scenes.json", include_in_schema=False)
    def all_scenes() -> list[dict[str, Any]]:
        return [scenes.about(name) for name in scenes.names()]

    @app.websocket("/socket")
    async def socket(connection: WebSocket) -> None:
        await connection.accept()
        await _converse(connection, workers)

    @app.api_route(
        "/ask/{name}",
        methods=["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"],
        include_in_schema=False,
    )
    def not_so(name: str) -> Response:
        problem = {"problem": "Questions are asked by POST."}
        return JSONResponse(problem, 405, headers={"Allow": "POST"})

    @app.get("/{path:path}", include_in_schema=False)
    def file(path: str) -> Response:
        found = static_file(path)
        if found is None:
            return JSONResponse({"problem": "There is no such page in the lab."}, 404)
        return Response(found.data, media_type=found.kind)

    return app


def _endpoint(
    question: Question, workers: Workers
) -> Callable[..., Coroutine[Any, Any, JSONResponse]]:
    async def endpoint(asked: Any, request: Request) -> JSONResponse:
        arguments = asked.model_dump(mode="json")
        task = asyncio.create_task(workers.ask(question.name, arguments))
        while not task.done():
            await asyncio.wait({task}, timeout=1.0)
            if not task.done() and await request.is_disconnected():
                task.cancel()
                return JSONResponse({"problem": "Nobody waits for this answer."}, 409)
        found = task.result()
        if "answer" in found:
            return JSONResponse(found["answer"])
        return JSONResponse({"problem": found["problem"]}, 422 if found.get("malformed") else 409)

    endpoint.__annotations__["asked"] = question.asked
    endpoint.__annotations__["request"] = Request
    endpoint.__annotations__["return"] = JSONResponse
    return endpoint


async def _malformed(_: Request, error: Any) -> JSONResponse:
    return JSONResponse({"problem": sentence(error.errors())}, 422)


async def _worded(_: Request, error: Any) -> JSONResponse:
    said = str(error.detail)
    problem = UNREADABLE if error.status_code == 400 else said if said.endswith(".") else f"{said}."
    return JSONResponse({"problem": problem}, error.status_code, headers=error.headers)


async def _converse(connection: WebSocket, workers: Workers) -> None:
    """Answer {id, ask, arguments} with {id, answer} or {id, problem}; {id, cancel} stops it."""
    running: dict[Any, asyncio.Task[None]] = {}

    async def reply(number: Any, said: dict[str, Any]) -> None:
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the page may have left
            await connection.send_text(json.dumps({"id": number, **said}))

    async def answer(number: Any, name: str, arguments: dict[str, Any]) -> None:
        found = await workers.ask(name, arguments)
        found.pop("malformed", None)
        await reply(number, found)

    def forget(number: Any, task: asyncio.Task[None]) -> None:
        if running.get(number) is task:
            del running[number]

    try:
        while True:
            message = _message(await connection.receive_text())
            number = message.get("id") if message else None
            if message is None or not isinstance(number, int | str):
                await reply(None, {"problem": "A message is {id, ask, arguments} as JSON."})
            elif message.get("cancel") is True:
                if number in running:
                    running.pop(number).cancel()  # its place is free at once
            elif not isinstance(message.get("arguments"), dict):
                await reply(number, {"problem": "A question has arguments: a JSON object."})
            elif len(running) >= MOST_AT_ONCE:
                await reply(number, {"problem": f"At most {MOST_AT_ONCE} questions at once."})
            else:
                name = str(message.get("ask"))[:80]
                task = asyncio.create_task(answer(number, name, message["arguments"]))
                running[number] = task
                task.add_done_callback(partial(forget, number))
    except (WebSocketDisconnect, KeyError):  # a binary message has no text
        pass
    finally:
        for task in list(running.values()):
            task.cancel()


def _message(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
