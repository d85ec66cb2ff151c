"""Protects the panel against requests of other websites (CSRF, DNS rebinding): decides which request may reach a page.

It is the only place that does, and it adds the headers of every response. Order of the checks: Host (421), path, method
and origin of a state change (403), sign-in (401), read-only (403), size and time of the body (413, 408). A page view
runs only after all of them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from holloway.panel.access import COOKIE_PREFIX, BrowserSessions, has_same_text

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    Refuse = Callable[[Scope, HTTPStatus], ASGIApp]

BODY_BYTES_MAX = 1024 * 1024
BODY_DEADLINE_S = 10.0
SAFE_METHODS = frozenset(["GET", "HEAD", "OPTIONS"])
PUBLIC_PATHS = ("/static/", "/enter", "/go/")
"""Paths that need no sign-in: the stylesheet, the page that redeems a one-time link, and links from other programs."""
TOKEN_PATHS = ("/api/", "/mcp")
"""Paths for programs: they need the API token in a header, and no cookie opens them."""
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
RESPONSE_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Policy:
    """Hosts, origins and tokens that a panel accepts."""

    port: int
    api_token: str
    host_headers: tuple[str, ...] = ()
    """Further values of the Host header, for a container or a forwarded port."""
    read_only: bool = False
    sessions: BrowserSessions = field(default_factory=BrowserSessions)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie that signs a browser in."""
        return f"{COOKIE_PREFIX}{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """The values of the Host header that name this panel; any other one is a rebound name."""
        return frozenset([*(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]")), *self.host_headers])


class Guard:
    """ASGI middleware that refuses requests by the policy and adds the security headers to all responses."""

    def __init__(self, app: ASGIApp, policy: Policy, refuse: Refuse, end_streams: Callable[[], None]) -> None:
        self.end_streams = end_streams
        """Called when the server stops, so that open streams do not hold it up."""
        self._app = app
        self._policy = policy
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no page uses web sockets
            return
        send = _with_headers(send, scope["path"])
        status = self._check(scope)
        if status is None:
            body = await _read_body(receive)
            if isinstance(body, HTTPStatus):
                status = body
            else:
                receive = _replay(body, receive)
        app = self._app if status is None else self._refuse(scope, status)
        await app(scope, receive, send)

    def _check(self, scope: Scope) -> HTTPStatus | None:
        """Return the status with which a request is refused, or None."""
        headers = Headers(scope=scope)
        path, changes = scope["path"], scope["method"] not in SAFE_METHODS
        if headers.getlist("host") != [host := headers.get("host", "")] or host.lower() not in self._policy.hosts:
            return HTTPStatus.MISDIRECTED_REQUEST
        if "\\" in path or "\0" in path or ".." in path.split("/"):
            return HTTPStatus.NOT_FOUND
        if path.startswith(TOKEN_PATHS):
            return self._check_program(headers, changes=changes)
        if changes and not self._is_same_origin(headers, is_required=True):
            return HTTPStatus.FORBIDDEN
        if path.startswith(PUBLIC_PATHS):
            return None
        if not self._policy.sessions.has(self._read_cookie(headers)):
            return HTTPStatus.UNAUTHORIZED
        return HTTPStatus.LOCKED if changes and self._policy.read_only else None

    def _check_program(self, headers: Headers, *, changes: bool) -> HTTPStatus | None:
        """Check a request of a program: the origin of one that a browser sends, and the token."""
        if not self._is_same_origin(headers, is_required=False):
            return HTTPStatus.FORBIDDEN
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not has_same_text(token.strip(), self._policy.api_token):
            return HTTPStatus.UNAUTHORIZED
        return HTTPStatus.LOCKED if changes and self._policy.read_only else None

    def _is_same_origin(self, headers: Headers, *, is_required: bool) -> bool:
        """Return whether the page that sent a request is one of ours; with `is_required`, the browser must say so.

        A form of a page without referrer has the origin `null`, and only Sec-Fetch-Site says that it is ours.
        """
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin == "null" and site == "same-origin":
            return True
        if origin is None and site is None:
            return not is_required
        allowed = {f"http://{host}" for host in self._policy.hosts} | {f"https://{host}" for host in self._policy.hosts}
        return (origin is None or origin.lower() in allowed) and site in (None, "same-origin")

    def _read_cookie(self, headers: Headers) -> str:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._policy.cookie_name)
        except CookieError:
            return ""
        return cookie.value if cookie else ""


def _with_headers(send: Send, path: str) -> Send:
    """Return `send` with the security headers; nothing but static files may be cached."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(RESPONSE_HEADERS)
            headers["Cache-Control"] = "public, max-age=31536000" if path.startswith("/static/") else "no-store"
        await send(message)

    return send_with_headers


async def _read_body(receive: Receive) -> bytes | HTTPStatus:
    """Return the body of a request, or the status for one that is too long or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_DEADLINE_S):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return HTTPStatus.BAD_REQUEST
                body += message.get("body", b"")
                if len(body) > BODY_BYTES_MAX:
                    return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        return HTTPStatus.REQUEST_TIMEOUT


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields a body that was read before, then what the connection yields."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    def receive_next() -> Awaitable[Message]:
        return _return(messages.pop()) if messages else receive()

    return receive_next


async def _return(message: Message) -> Message:
    return message
