"""One POST with a bound on its time and on the size of the answer; redirects are reported, never followed."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

if TYPE_CHECKING:
    from collections.abc import Mapping

PART_BYTES = 64 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Answer(NamedTuple):
    """What a server said."""

    status: int
    body: bytes
    retry_after: str
    location: str


class NoAnswer(Exception):
    """The server was not reached, broke off, took too long or said too much; the text says which."""


class _Watch:
    """Ends a request at its deadline, whatever the server still sends: a socket's own timeout begins anew with every
    byte."""

    def __init__(self) -> None:
        self.expired = False
        self._connection: http.client.HTTPConnection | None = None

    def plain(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPConnection(host, **options)
        return self._connection

    def secure(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPSConnection(host, **options)
        return self._connection

    def expire(self) -> None:
        self.expired = True
        sock = self._connection.sock if self._connection is not None else None
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


class _Http(HTTPHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(self._watch.plain, req)


class _Https(HTTPSHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(self._watch.secure, req, context=ssl.create_default_context())


def post(url: str, body: bytes, headers: Mapping[str, str], timeout_s: float, limit_bytes: int) -> Answer:
    """Send a body and read the whole answer, of whatever status."""
    watch = _Watch()
    opener = OpenerDirector()
    # What runs on this machine is asked directly, also by those who reach the world through a proxy.
    here = urlsplit(url).hostname in LOOPBACK
    for handler in (ProxyHandler({} if here else None), _Http(watch), _Https(watch)):
        opener.add_handler(handler)
    request = Request(url, body, dict(headers), method="POST")  # noqa: S310  (only http and https have handlers)
    timer = threading.Timer(timeout_s, watch.expire)
    timer.daemon = True
    timer.start()
    try:
        with opener.open(request, timeout=timeout_s) as response:
            answer = _answer(response, limit_bytes)
    except (OSError, http.client.HTTPException, ValueError) as error:
        slow = watch.expired or isinstance(getattr(error, "reason", error), TimeoutError)
        raise NoAnswer(_late(timeout_s) if slow else _said(error)) from error
    finally:
        timer.cancel()
    if watch.expired:  # headers that were cut off look like complete ones
        raise NoAnswer(_late(timeout_s))
    return answer


def _answer(response: http.client.HTTPResponse, limit_bytes: int) -> Answer:
    body = bytearray()
    while part := response.read1(PART_BYTES):
        body += part
        if len(body) > limit_bytes:
            raise NoAnswer(f"an answer of more than {limit_bytes:,} bytes")
    if response.length:
        raise http.client.IncompleteRead(bytes(body[:0]), response.length)
    headers = response.headers
    return Answer(response.status, bytes(body), headers.get("Retry-After", ""), headers.get("Location", ""))


def _late(timeout_s: float) -> str:
    return f"no answer within {timeout_s:.1f} s"


def _said(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(reason, socket.gaierror):
        return "the name of the host is not known"
    text = str(reason) or type(reason).__name__
    return f"the connection failed: {text}"
