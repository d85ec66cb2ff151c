"""The built-in embedder behind the interface that every peer can be configured for, on this machine only.

All systems get the same vectors, and none has to fetch a model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holloway.domain.ports import Embedder

REQUEST_BYTES_MAX = 8 << 20
WRITE_BUFFER_BYTES = 1 << 20


@contextmanager
def serving(embedder: Embedder) -> Iterator[str]:
    """Answer OpenAI-style requests for embeddings while the block runs; yields the base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(embedder))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(embedder: Embedder) -> type[BaseHTTPRequestHandler]:
    one_at_a_time = Lock()

    class Embeddings(BaseHTTPRequestHandler):
        """One connection of a peer."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = WRITE_BUFFER_BYTES  # one packet: head and body apart cost the peer 40 ms a request

        def do_POST(self) -> None:
            length = min(int(self.headers.get("Content-Length", 0)), REQUEST_BYTES_MAX)
            try:
                request = json.loads(self.rfile.read(length))
                texts = [request["input"]] if isinstance(request["input"], str) else list(map(str, request["input"]))
            except (ValueError, KeyError, TypeError):
                return self._answer(400, {"error": {"message": "A JSON object with `input` is needed."}})
            with one_at_a_time:
                vectors = embedder.embed(texts).tolist()
            rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
            usage = {"prompt_tokens": 0, "total_tokens": 0}
            return self._answer(200, {"object": "list", "data": rows, "model": embedder.model, "usage": usage})

        def _answer(self, status: int, body: dict[str, object]) -> None:
            text = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the name of the base class)
            """Requests are not worth a line."""

    return Embeddings
