"""A model that says what the test wrote: turns of the Messages, Responses, Chat or Gemini API, on loopback.

A script is a list of turns. A turn is the text that ends the model's work, or the tool calls it makes,
with words between them if it likes:

    with ScriptedModel([[ToolCall("Read", {"file_path": "/project/a.py"})], "Done."]) as model:
        ...  # point a client at model.url
    assert model.saw("the injected text", after=0)

Request N of `requests` was answered with turn N of the script.
"""

import json
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from tests.journeys import chat_api, gemini_api, responses_api

SOCKET_TIMEOUT_S = 10.0
SHUTDOWN_POLL_S = 0.02
CHARACTERS_PER_TOKEN = 4

# Valid as a sentence and as the JSON that title generation asks for.
SIDE_ANSWER = '{"title": "A scripted session"}'
OVERRUN_ANSWER = "The script is over."

JSON = "application/json"
EVENTS = "text/event-stream"


@dataclass(frozen=True)
class ToolCall:
    """A tool the model uses, with the input it gives."""

    name: str
    input: Mapping[str, object]


Turn = str | Sequence[ToolCall | str]


@dataclass(frozen=True)
class Request:
    """What a client sent: the path without its query, and the JSON body."""

    path: str
    body: Mapping[str, object]

    @property
    def text(self) -> str:
        """All the model would read: system prompt, messages and tool results, not its own tool calls."""
        if self.path == responses_api.PATH:
            return "\n".join(responses_api.texts(self.body))
        if self.path == chat_api.PATH:
            return "\n".join(chat_api.texts(self.body))
        if self.path.endswith(gemini_api.PATHS):
            return "\n".join(gemini_api.texts(self.body))
        return "\n".join([*_texts(self.body.get("system")), *_texts(self.body.get("messages"))])

    @property
    def is_conversation(self) -> bool:
        """Whether the agent asks for its next step.

        Titles, summaries and quota checks offer no tools; a warm-up of the prompt cache offers them but
        leaves no room for an answer.
        """
        room = self.body.get("max_tokens")
        return bool(self.body.get("tools")) and not (isinstance(room, int) and room <= 1)


class ScriptedModel:
    """A server on a free port of 127.0.0.1, from `with` to the end of the block."""

    def __init__(self, script: Sequence[Turn]) -> None:
        self.script = tuple(script)
        self.requests: list[Request] = []
        self.side_requests: list[Request] = []
        self.refusal: tuple[HTTPStatus, Mapping[str, object]] | None = None
        self._lock = threading.Lock()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(SHUTDOWN_POLL_S,))

    @property
    def url(self) -> str:
        """What a client takes as its base URL."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def refuse(self, status: int, error: Mapping[str, object]) -> None:
        """Answer every further request for a message with an error."""
        self.refusal = HTTPStatus(status), error

    def text_of(self, number: int) -> str:
        """All text that the model read before it played turn `number`."""
        return self.requests[number].text

    def saw(self, text: str, after: int | None = None) -> bool:
        """Whether the model read this text; with `after`, in a request that followed that turn."""
        start = 0 if after is None else after + 1
        return any(text in request.text for request in self.requests[start:])

    def first_saw(self, text: str) -> int | None:
        """The number of the first request with this text."""
        return next((n for n, request in enumerate(self.requests) if text in request.text), None)

    def answer(self, request: Request) -> dict[str, object]:
        """Record a request for a message and give the message."""
        with self._lock:
            if not request.is_conversation:
                self.side_requests.append(request)
                return _message(f"side_{len(self.side_requests)}", request, SIDE_ANSWER)
            number = len(self.requests)
            self.requests.append(request)
        turn = self.script[number] if number < len(self.script) else OVERRUN_ANSWER
        return _message(str(number), request, turn)

    def note(self, request: Request) -> None:
        """Record a request that is not for a message."""
        with self._lock:
            self.side_requests.append(request)


_Connection = socket.socket | tuple[bytes, socket.socket]


class _Server(ThreadingHTTPServer):
    # Closing waits for the handlers, so that no thread or socket outlives the test.
    daemon_threads = False

    def __init__(self, model: ScriptedModel) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: _Connection, client_address: object) -> None:
        # A client that is stopped goes away in the middle of a request.
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SOCKET_TIMEOUT_S

    def do_HEAD(self) -> None:
        self._read()
        self._send(JSON, b"")

    def do_GET(self) -> None:
        self._read()
        self.server.model.note(Request(urlsplit(self.path).path, {}))
        self._send_json({})

    def do_POST(self) -> None:
        try:
            body = json.loads(self._read() or b"{}")
        except ValueError:
            self._refuse("the body is not JSON")
            return
        request = Request(urlsplit(self.path).path, body if isinstance(body, dict) else {})
        paths = ("/v1/messages", responses_api.PATH, chat_api.PATH)
        if request.path in paths or request.path.endswith(gemini_api.PATHS):
            self._send_message(request)
            return
        self.server.model.note(request)
        counted = request.path == "/v1/messages/count_tokens"
        self._send_json({"input_tokens": _tokens(request.text)} if counted else {})

    def _read(self) -> bytes:
        # Always to the end: closing a socket with unread bytes resets it, and the answer may be lost.
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep the test's output clean; `requests` has it all."""

    def _send_message(self, request: Request) -> None:
        if self.server.model.refusal:
            self.server.model.note(request)
            status, error = self.server.model.refusal
            self._send_json(error, status)
            return
        message = self.server.model.answer(request)
        if request.path == responses_api.PATH:
            self._send(EVENTS, b"".join(_response_events(message)))
        elif request.path == chat_api.PATH:
            self._send_completion(_completion(message), bool(request.body.get("stream")))
        elif request.path.endswith(gemini_api.PATHS):
            completion = gemini_api.completion(*_taken_apart(message))
            is_streamed = request.path.endswith(gemini_api.STREAMED)
            self._send(EVENTS, b"".join(gemini_api.chunks(completion))) if is_streamed else self._send_json(completion)
        elif request.body.get("stream"):
            self._send(EVENTS, b"".join(_events(message)))
        else:
            self._send_json(message)

    def _send_completion(self, completion: dict[str, object], streamed: bool) -> None:
        if streamed:
            self._send(EVENTS, b"".join(chat_api.chunks(completion)))
        else:
            self._send_json(completion)

    def _send_json(self, value: Mapping[str, object], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(JSON, json.dumps(value).encode(), status)

    def _refuse(self, reason: str) -> None:
        error = {"type": "invalid_request_error", "message": reason}
        self._send_json({"type": "error", "error": error}, HTTPStatus.BAD_REQUEST)

    def _send(self, content_type: str, content: bytes, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)


def _message(name: str, request: Request, turn: Turn) -> dict[str, object]:
    blocks = list(_blocks(name, turn))
    return {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", "scripted"),
        "content": blocks,
        "stop_reason": "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": _tokens(request.text), "output_tokens": _tokens(json.dumps(blocks))},
    }


def _blocks(name: str, turn: Turn) -> Iterator[dict[str, object]]:
    for position, part in enumerate([turn] if isinstance(turn, str) else turn):
        if isinstance(part, str):
            yield {"type": "text", "text": part}
        else:
            call_id = f"toolu_{name}_{position}"
            yield {"type": "tool_use", "id": call_id, "name": part.name, "input": dict(part.input)}


def _events(message: dict[str, object]) -> Iterator[bytes]:
    """The message as the server-sent events of the streaming API, one delta per block."""
    blocks, usage = message["content"], message["usage"]
    assert isinstance(blocks, list)
    assert isinstance(usage, dict)
    opening = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    yield _event("message_start", message=opening)
    for index, block in enumerate(blocks):
        empty, delta = _streamed(block)
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": usage["output_tokens"]})
    yield _event("message_stop")


def _response_events(message: dict[str, object]) -> Iterator[bytes]:
    name, blocks, tokens = _taken_apart(message)
    return responses_api.events(name, blocks, tokens)


def _completion(message: dict[str, object]) -> dict[str, object]:
    name, blocks, tokens = _taken_apart(message)
    return chat_api.completion(name, message["model"], blocks, tokens)


def _taken_apart(message: dict[str, object]) -> tuple[str, list[dict[str, object]], tuple[int, int]]:
    """Return the name of a message's turn, its blocks, and the tokens that it took and gave."""
    blocks, usage = message["content"], message["usage"]
    assert isinstance(blocks, list)
    assert isinstance(usage, dict)
    return str(message["id"]).removeprefix("msg_"), blocks, (usage["input_tokens"], usage["output_tokens"])


def _streamed(block: dict[str, object]) -> tuple[dict[str, object], dict[str, object]]:
    if block["type"] == "text":
        return {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    streamed_input = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": streamed_input}


def _event(kind: str, **fields: object) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode()


def _texts(value: object) -> Iterator[str]:
    """The text in a system prompt, a list of messages, or the content of a message or tool result."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(value.get("text"))
        yield from _texts(value.get("content"))


def _tokens(text: str) -> int:
    return 1 + len(text) // CHARACTERS_PER_TOKEN
