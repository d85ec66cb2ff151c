"""A server on this machine that answers as it is told, one step after the other, and writes down what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Reply = tuple[int, dict[str, str], bytes]
Step = Callable[["Asked"], Reply | None]


@dataclass(frozen=True)
class Asked:
    """One request."""

    path: str
    headers: dict[str, str]
    body: dict[str, object]
    answer: Callable[[bytes], None]

    @property
    def texts(self) -> list[str]:
        """The texts to embed."""
        texts = self.body["input"]
        assert isinstance(texts, list)
        return texts


@dataclass
class Script:
    """What the server does: each request takes the next step, the last step is repeated."""

    steps: list[Step]
    asked: list[Asked] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def next(self, asked: Asked) -> Reply | None:
        """Write down a request and answer it."""
        self.asked.append(asked)
        return self.steps[min(len(self.asked), len(self.steps)) - 1](asked)


class Server(ThreadingHTTPServer):
    """Listens on a free port of the loopback."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what some tests are about."""


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Answer by the script."""
        assert isinstance(self.server, Server)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.script.next(Asked(self.path, dict(self.headers), body, self._raw))
        if reply is None:
            self.close_connection = True
            return
        status, headers, data = reply
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (named by the standard library)
        """Quiet."""
