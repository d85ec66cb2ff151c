"""The panel's server on a real socket: slow and silent clients, and answers that leave at once."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from docs.screenshots import serve_panel
from holloway.panel import server

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.panel.panel import Panel

PATIENCE_S = 20.0
"""Time in which a test gives up; the deadlines here are much shorter."""


@pytest.fixture
def connection(monkeypatch: pytest.MonkeyPatch, address: str) -> Iterator[socket.socket]:
    """A connection to a panel that waits a fifth of a second for a header."""
    monkeypatch.setattr(server, "HEADER_DEADLINE_S", 0.2)
    parts = urlsplit(address)
    assert parts.hostname
    with socket.create_connection((parts.hostname, parts.port or 0), timeout=PATIENCE_S) as opened:
        yield opened


def read_to_end(connection: socket.socket) -> bytes:
    """Return all that a server sends until it closes or resets the connection."""
    received = b""
    with suppress(ConnectionError):
        while piece := connection.recv(65_536):
            received += piece
    return received


@pytest.mark.promise("panel-is-yours")
def test_a_connection_that_sends_nothing_is_closed(connection: socket.socket) -> None:
    assert read_to_end(connection) == b""


@pytest.mark.promise("panel-is-yours")
def test_a_header_that_drips_is_cut_off(connection: socket.socket) -> None:
    connection.sendall(b"GET / HTTP/1.1\r\n")
    connection.settimeout(0.02)
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE_S:
        try:
            connection.sendall(b"X: y\r\n")
            if connection.recv(1) == b"":
                return
        except TimeoutError:
            continue
        except ConnectionError:
            return
    pytest.fail("the panel still listens")


def test_a_second_request_of_a_connection_has_a_deadline_too(connection: socket.socket) -> None:
    host = f"127.0.0.1:{connection.getpeername()[1]}"
    connection.sendall(f"GET /static/icon.svg HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    assert connection.recv(15) == b"HTTP/1.1 200 OK"
    connection.sendall(b"GET / HTTP/1.1\r\n")
    read_to_end(connection)


def test_a_header_without_end_is_refused(connection: socket.socket) -> None:
    connection.sendall(b"GET / HTTP/1.1\r\nX: " + b"y" * (2 * server.HEADER_BYTES_MAX))
    answer = read_to_end(connection)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 400")


def test_a_client_that_reads_nothing_does_not_hold_the_server_up(panel: Panel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "SHUTDOWN_S", 1)
    with ExitStack() as stack:
        with serve_panel(panel) as link:
            parts = urlsplit(link)
            opened = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=PATIENCE_S)
            idle = stack.enter_context(opened)
            idle.sendall(b"GET /static/htmx.min.js HTTP/1.1\r\n")
        assert read_to_end(idle) == b""


def test_a_small_answer_does_not_wait_for_an_acknowledgement() -> None:
    with server.bind(0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
        assert listener.getsockname()[0] == "127.0.0.1"
