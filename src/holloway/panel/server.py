"""The panel's server: binds to this machine only, and closes connections that send nothing.

This is the only module that imports uvicorn.
"""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from holloway.errors import HollowayError
from holloway.extras import PackageMissing

try:
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ImportError as error:
    raise PackageMissing("uvicorn", "panel") from error

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holloway.panel.security import Guard

PANEL_HOST = "127.0.0.1"
CONNECTIONS_MAX = 64
HEADER_DEADLINE_S = 10.0
"""Time in which a connection must send the whole header of a request."""
IDLE_S = 30
HEADER_BYTES_MAX = 32 * 1024
SHUTDOWN_S = 2


def bind(port: int) -> socket.socket:
    """Return a listening socket on this machine; port 0 takes a free one. Raises HollowayError if it is taken."""
    # asyncio sends small packets at once only on a socket that says it is TCP; without that a page waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((PANEL_HOST, port))
        listener.listen()  # from now on a browser that opens the address waits until the server answers
    except OSError as error:
        listener.close()
        raise HollowayError(
            f"Port {port} cannot be used: {error.strerror}.", "Leave out --port to take a free one."
        ) from error
    return listener


class DeadlineProtocol(H11Protocol):
    """HTTP connection that is closed if the header of a request does not arrive in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the time for the first header."""
        super().connection_made(transport)
        self._deadline = self.loop.call_later(HEADER_DEADLINE_S, self._close_if_waiting)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, and start the time for the rest of its header."""
        super().data_received(data)
        if self._deadline is None and self._is_waiting():
            self._deadline = self.loop.call_later(HEADER_DEADLINE_S, self._close_if_waiting)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _is_waiting(self) -> bool:
        return self.conn.their_state is h11.IDLE

    def _close_if_waiting(self) -> None:
        self._deadline = None
        if self._is_waiting() and not self.transport.is_closing():
            self.transport.close()


class PanelServer(uvicorn.Server):
    """Server that ends the streams of open pages before it waits for requests to finish."""

    def __init__(self, settings: uvicorn.Config, end_streams: Callable[[], None]) -> None:
        super().__init__(settings)
        self._end_streams = end_streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop the server."""
        self._end_streams()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):  # a client that did not read its answer in time
            connection.transport.abort()
        await asyncio.sleep(0)


def make_server(app: Guard) -> uvicorn.Server:
    """Return a server for an application; its `run` takes the listening sockets."""
    config = uvicorn.Config(
        app,
        http=DeadlineProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="error",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_keep_alive=IDLE_S,
        h11_max_incomplete_event_size=HEADER_BYTES_MAX,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    return PanelServer(config, app.end_streams)
