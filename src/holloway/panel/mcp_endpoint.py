"""MCP over HTTP under `/mcp`: the tools of the MCP server for agents that share the running panel."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread
from starlette.responses import JSONResponse

from holloway.extras import PackageMissing

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.types import Receive, Scope, Send


class McpEndpoint:
    """The ASGI application of `/mcp`; without the optional package it says which command installs it.

    The package is loaded by the first request: it takes a second and tens of megabytes.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._is_wanted = anyio.Event()
        self._is_ready = anyio.Event()
        self._manager: Any = None
        self._missing: PackageMissing | None = None

    async def run(self) -> None:
        """Serve connections from the first request on; when cancelled, learn from what they recorded."""
        await self._is_wanted.wait()
        try:
            server = await to_thread.run_sync(self._load_server)
        except PackageMissing as error:
            self._missing = error
            self._is_ready.set()
            return
        manager = server.create_app()
        try:
            async with manager.run():
                self._manager = manager
                self._is_ready.set()
                await anyio.sleep_forever()
        finally:
            self._manager = None
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(server.finish_recording)

    def _load_server(self) -> Any:
        from holloway.mcp.server import HttpServer
        from holloway.mcp.tools import Tools

        return HttpServer(Tools(self._root))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, which the guard has let in."""
        self._is_wanted.set()
        await self._is_ready.wait()
        if self._manager is not None:
            await self._manager.handle_request(scope, receive, send)
            return
        content = {"error": "The panel is ending.", "hint": "Connect again once it runs."}
        if self._missing:
            content = {"error": self._missing.message, "hint": self._missing.hint}
        await JSONResponse(content, HTTPStatus.SERVICE_UNAVAILABLE)(scope, receive, send)
