"""The HTTP client: one POST with a timeout and a limit on the size of the response, without redirects."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request, getproxies

from holloway.text.sanitize import clean_text, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CANCEL_POLL_S = 0.5
CHUNK_BYTES = 64 * 1024
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Response(NamedTuple):
    """A server's response, with any status."""

    status: int
    body: bytes
    retry_after: str
    location: str


class RequestFailed(Exception):
    """The server was not reached, broke off, took too long or sent too much; the text says which."""


class AddressUnreadable(RequestFailed):
    """Nothing was sent: the address of the server or of the proxy cannot be read."""


class RequestCancelled(RequestFailed):
    """The caller cancelled the request; the server may have read it."""


class _Watch:
    """Ends a request at its deadline, even while the server is sending: a socket's timeout restarts with every byte."""

    def __init__(self) -> None:
        self.expired = False
        self.cancelled = False
        self._done = threading.Event()
        self._connection: http.client.HTTPConnection | None = None

    def open_connection(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPConnection(host, **options)
        return self._connection

    def connect_secure(self, host: str, **options: Any) -> http.client.HTTPConnection:
        self._connection = http.client.HTTPSConnection(host, **options)
        return self._connection

    def start(self, timeout_s: float, is_cancelled: Callable[[], bool] | None) -> None:
        """Watch the request in a thread until `stop`."""
        threading.Thread(target=self._watch_request, args=(timeout_s, is_cancelled), daemon=True).start()

    def stop(self) -> None:
        self._done.set()

    def _watch_request(self, timeout_s: float, is_cancelled: Callable[[], bool] | None) -> None:
        end = time.monotonic() + timeout_s
        while (left_s := end - time.monotonic()) > 0:
            if self._done.wait(min(left_s, CANCEL_POLL_S) if is_cancelled else left_s):
                return
            if is_cancelled and is_cancelled():
                self.cancelled = True
                break
        self._close_connection()

    def _close_connection(self) -> None:
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
        return self.do_open(self._watch.open_connection, req)


class _Https(HTTPSHandler):
    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self._watch = watch

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        return self.do_open(self._watch.connect_secure, req, context=ssl.create_default_context())


def post_json(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    limit_bytes: int,
    is_cancelled: Callable[[], bool] | None = None,
) -> Response:
    """Send a JSON body and return the complete response.

    Uses the proxy of the environment. Raises RequestFailed if the response exceeds the timeout or the size limit, and
    RequestCancelled soon after `is_cancelled` returns True.
    """
    watch = _Watch()
    opener = OpenerDirector()
    for handler in (ProxyHandler(_find_proxies(url)), _Http(watch), _Https(watch)):
        opener.add_handler(handler)
    sent = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "holloway", **headers}
    request = Request(url, body, sent, method="POST")  # noqa: S310  (only http and https have handlers)
    watch.start(timeout_s, is_cancelled)
    try:
        with opener.open(request, timeout=timeout_s) as reply:
            response = _read_response(reply, limit_bytes)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if watch.cancelled:
            raise RequestCancelled("it was cancelled") from error
        is_late = watch.expired or isinstance(getattr(error, "reason", error), TimeoutError)
        raise RequestFailed(_describe_timeout(timeout_s) if is_late else _describe_error(error)) from error
    finally:
        watch.stop()
    if watch.cancelled:
        raise RequestCancelled("it was cancelled")
    if watch.expired:  # headers that were cut off look like complete ones
        raise RequestFailed(_describe_timeout(timeout_s))
    return response


def quote_text(text: str, key: str, max_chars: int) -> str:
    """Return a server's text in a printable form; the key is removed first, so that no part of it remains."""
    return one_line(clean_text(hide_key(text, key)[: max_chars * 4]), max_chars)


def hide_key(text: str, key: str) -> str:
    """Return a text without the key."""
    return text.replace(key, "…") if key else text


def _find_proxies(url: str) -> dict[str, str]:
    """Return the proxies for an address; servers on this machine are contacted directly.

    Raises AddressUnreadable if the address of the server or of the proxy is malformed.
    """
    try:
        address = urlsplit(url)
    except ValueError:
        address = urlsplit("")
    if address.scheme not in ("http", "https") or not address.hostname:
        raise AddressUnreadable("its address cannot be read")
    proxy = "" if address.hostname in LOOPBACK else getproxies().get(address.scheme, "")
    if "://" in proxy and not proxy.startswith(("http://", "https://")):
        raise AddressUnreadable("the address of the proxy cannot be read")
    return {address.scheme: proxy} if proxy else {}


def _read_response(reply: http.client.HTTPResponse, limit_bytes: int) -> Response:
    body = bytearray()
    while chunk := reply.read1(CHUNK_BYTES):
        body += chunk
        if len(body) > limit_bytes:
            raise RequestFailed(f"an answer of more than {limit_bytes:,} bytes")
    if reply.length:
        raise http.client.IncompleteRead(bytes(body[:0]), reply.length)
    headers = reply.headers
    return Response(reply.status, bytes(body), headers.get("Retry-After", ""), headers.get("Location", ""))


def _describe_timeout(timeout_s: float) -> str:
    return f"no answer within {timeout_s:.1f} s"


def _describe_error(error: Exception) -> str:
    reason = getattr(error, "reason", error)
    if isinstance(reason, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(reason, socket.gaierror):
        return "the name of the host is not known"
    return f"the connection failed: {str(reason) or type(reason).__name__}"
