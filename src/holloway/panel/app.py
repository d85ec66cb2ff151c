"""The panel as an ASGI application: the guard, the routes, and views that run in threads with the memory open."""

from __future__ import annotations

from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from holloway.errors import HollowayError
from holloway.panel import error_pages
from holloway.panel.api import make_api_routes
from holloway.panel.live import LiveFeed
from holloway.panel.mcp_endpoint import McpEndpoint
from holloway.panel.page import Page, parse_fields
from holloway.panel.routes import ROUTES
from holloway.panel.security import SAFE_METHODS, Guard
from holloway.service.memory_search import release_models

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import Receive, Scope, Send

    from holloway.panel.api import ApiOperation
    from holloway.panel.panel import Panel

    View = Callable[[Page], Response]

VIEW_THREADS = 4
"""Views that run at the same time; more of them would only wait for the same processor and the same store."""
MODEL_IDLE_S = 600
"""Time without a search after which the embedding model is dropped."""
HOUSEKEEPING_S = 60
FORM_TYPE = "application/x-www-form-urlencoded"


def create_app(panel: Panel, operations: Sequence[ApiOperation] = ()) -> Guard:
    """Return the application of a panel: Guard > gzip > routes > view."""
    limiter = anyio.CapacityLimiter(VIEW_THREADS)
    routes = [Route(route.path, make_endpoint(panel, route.view, limiter), methods=[route.method]) for route in ROUTES]
    feed = LiveFeed(panel)
    live = Route("/live", feed.answer, methods=["GET"])
    mcp = McpEndpoint(panel.project.root)
    static = Mount("/static", StaticFiles(packages=[("holloway.panel", "static")]))
    app = Starlette(
        lifespan=lambda app: _run_housekeeping(feed, mcp),
        routes=[*routes, live, Route("/mcp", mcp), *make_api_routes(operations), static],
        exception_handlers={HTTPException: make_error_handler(panel), Exception: make_error_handler(panel)},
        middleware=[Middleware(GZipMiddleware, minimum_size=1_000)],
    )
    return Guard(app, panel.policy, lambda scope, status: _Refusal(panel, status), feed.close)


@asynccontextmanager
async def _run_housekeeping(feed: LiveFeed, mcp: McpEndpoint) -> AsyncIterator[None]:
    """Update the open pages, and drop the embedding model after some idle minutes, for as long as the panel runs."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_drop_idle_model)
        tasks.start_soon(feed.run)
        tasks.start_soon(mcp.run)
        yield
        tasks.cancel_scope.cancel()


async def _drop_idle_model() -> None:
    while True:
        await anyio.sleep(HOUSEKEEPING_S)
        release_models(MODEL_IDLE_S)


def make_endpoint(panel: Panel, view: View, limiter: anyio.CapacityLimiter) -> Callable[[Request], Awaitable[Response]]:
    """Return the asynchronous endpoint of a view; an error of the service becomes an error page."""

    async def answer(request: Request) -> Response:
        body = await request.body()
        return await to_thread.run_sync(lambda: answer_in_thread(panel, view, request, body), limiter=limiter)

    return answer


def answer_in_thread(panel: Panel, view: View, request: Request, body: bytes) -> Response:
    """Open the project's memory in this thread, run a view, and close the memory."""
    form: Mapping[str, list[str]] = {}
    try:
        if request.method not in SAFE_METHODS:
            form = _parse_form(request, body)
        with panel.open_memory(settle=request.method not in SAFE_METHODS) as memory:
            return view(Page(request, panel, memory, form))
    except HollowayError as error:
        return error_pages.show_error(Page(request, panel, None, form), error)


def _parse_form(request: Request, body: bytes) -> Mapping[str, list[str]]:
    if body and not request.headers.get("content-type", "").startswith(FORM_TYPE):
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
    return parse_fields(body.decode("utf-8", "replace"))


def make_error_handler(panel: Panel) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return the handler that answers an HTTP error, or a bug, with its error page."""

    async def show_error(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.INTERNAL_SERVER_ERROR
        return error_pages.show_status(Page(request, panel, None, {}), HTTPStatus(status))

    return show_error


class _Refusal:
    """ASGI application that answers a refused request with its error page."""

    def __init__(self, panel: Panel, status: HTTPStatus) -> None:
        self._panel = panel
        self._status = status

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import Request  # only for a refused request

        response = error_pages.show_status(Page(Request(scope), self._panel, None, {}), self._status)
        await response(scope, receive, send)
