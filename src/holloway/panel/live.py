"""Live updates: one watcher for all open pages, which tells them by server-sent events what changed in the project."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.responses import StreamingResponse

from holloway.errors import HollowayError
from holloway.panel.data import ProjectData
from holloway.service.live_changes import ChangeWatcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from anyio.streams.memory import MemoryObjectSendStream
    from starlette.requests import Request
    from starlette.responses import Response

    from holloway.panel.panel import Panel
    from holloway.service.live_changes import LiveChange

POLL_S = 1.0
HEARTBEAT_S = 20.0
"""Time without news after which a comment is sent, so that a connection whose browser is gone ends."""
PAGES_MAX = 32
"""Pages that are updated at the same time; a browser keeps only its visible page connected."""


class LiveFeed:
    """The pages that are open, and the task that tells them what changed. It polls only while a page is open."""

    def __init__(self, panel: Panel) -> None:
        self._panel = panel
        self._pages: set[MemoryObjectSendStream[str]] = set()
        self._is_wanted = anyio.Event()
        self._is_watching = anyio.Event()

    async def run(self) -> None:
        """Poll for changes and send them to the open pages, until cancelled."""
        while True:
            await self._is_wanted.wait()
            with suppress(HollowayError):  # the store is busy or was restored: look again
                await self._watch()
            self._is_watching = anyio.Event()
            await anyio.sleep(POLL_S)

    async def _watch(self) -> None:
        """Send the changes of the project for as long as a page is open."""
        watcher = await to_thread.run_sync(self._open_watcher)
        self._is_watching.set()
        try:
            while self._pages:
                await anyio.sleep(POLL_S)
                for change in await to_thread.run_sync(watcher.poll):
                    self._send(change)
            self._is_wanted = anyio.Event()
        finally:
            watcher.close()

    def _open_watcher(self) -> ChangeWatcher:
        with self._panel.open_memory(settle=False) as memory:
            return ChangeWatcher(memory)

    def _read_state_number(self) -> int:
        """Return the number that a page compares with its own, to see what it missed before it was connected."""
        with self._panel.open_memory(settle=False) as memory:
            return ProjectData(memory).get_state_number()

    def _send(self, change: LiveChange) -> None:
        event = f"event: {change.kind}\ndata: {json.dumps({'subject': change.subject})}\n\n"
        for page in self._pages:
            with suppress(anyio.WouldBlock, anyio.BrokenResourceError, anyio.ClosedResourceError):
                page.send_nowait(event)

    def close(self) -> None:
        """End all streams, because the panel ends."""
        for page in self._pages:
            page.close()

    async def answer(self, request: Request) -> Response:
        """Answer a page with the stream of events."""
        return StreamingResponse(self.stream(), media_type="text/event-stream")

    async def stream(self) -> AsyncIterator[str]:
        """Yield events for one page until its connection ends."""
        send, receive = anyio.create_memory_object_stream[str](math.inf)
        if len(self._pages) >= PAGES_MAX:
            send.close()
            receive.close()
            return
        self._pages.add(send)
        try:
            with send, receive:
                self._is_wanted.set()
                await self._is_watching.wait()
                yield f"event: connected\ndata: {await to_thread.run_sync(self._read_state_number)}\n\n"
                while True:
                    event = ": still here\n\n"
                    try:
                        with anyio.move_on_after(HEARTBEAT_S):
                            event = await receive.receive()
                    except anyio.EndOfStream:
                        return
                    yield event
        finally:
            self._pages.discard(send)
