"""Language models through their HTTP APIs, against a server on this machine."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from holloway.config import LLM_ANSWER_BYTES_MAX, Settings
from holloway.llm.providers import (
    Access,
    Anthropic,
    NotAsked,
    OpenAI,
    RateLimited,
    Stopped,
    WriterFailed,
    choose_writer,
)

if TYPE_CHECKING:
    from holloway import Holloway

KEY = "key-that-nobody-may-see"


class Server(ThreadingHTTPServer):
    """Answers every request with what the test says, and remembers what it was asked."""

    status = 200
    answer: object = None
    raw: bytes | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[tuple[str, dict[str, object]]] = []
        self.headers: list[dict[str, str]] = []
        self.location = ""
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.asked.append((self.path, json.loads(body)))
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        data = server.raw if server.raw is not None else json.dumps(server.answer).encode()
        self.send_response(server.status)
        self.send_header("Content-Type", "application/json")
        if server.location:
            self.send_header("Location", server.location)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def chat(text: str | None) -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    }


def message(text: str) -> dict[str, object]:
    return {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 2},
    }


def test_an_openai_compatible_service_is_asked_and_its_answer_counted(server: Server) -> None:
    server.answer = chat("  cents  ")
    writer = OpenAI(Access("small", f"{server.url}/v1", KEY))
    done = writer.complete("how is money stored", max_tokens=50, deadline_s=20, system="be short")
    assert done == ("cents", 12, 3)
    path, body = server.asked[0]
    assert path == "/v1/chat/completions"
    assert (body["model"], body["max_completion_tokens"]) == ("small", 50)
    assert body["messages"] == [
        {"role": "system", "content": "be short"},
        {"role": "user", "content": "how is money stored"},
    ]


def test_anthropic_is_asked_and_its_answer_counted(server: Server) -> None:
    server.answer = message("cents")
    done = Anthropic(Access("small", server.url, KEY)).complete("how", max_tokens=50, deadline_s=20, system="short")
    assert done == ("cents", 7, 2)
    path, body = server.asked[0]
    assert (path, body["model"], body["system"]) == ("/v1/messages", "small", "short")
    assert (server.headers[0]["x-api-key"], server.headers[0]["anthropic-version"]) == (KEY, "2023-06-01")


def test_the_key_is_sent_as_a_bearer_token_and_a_server_without_a_key_gets_none(server: Server) -> None:
    server.answer = chat("cents")
    for key in (KEY, ""):
        OpenAI(Access("small", f"{server.url}/v1", key)).complete("how", max_tokens=5, deadline_s=20)
    assert [sent.get("authorization") for sent in server.headers] == [f"Bearer {KEY}", None]


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_a_redirect_is_reported_and_not_followed(server: Server, kind: type[OpenAI] | type[Anthropic]) -> None:
    server.status, server.location, server.answer = 307, f"{server.url}/other", {}
    with pytest.raises(WriterFailed, match=f"redirects to {server.url}/other, which is not followed"):
        kind(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20)
    assert len(server.asked) == 1


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_a_proxy_is_not_asked_for_a_model_on_this_machine(
    server: Server, kind: type[OpenAI] | type[Anthropic], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    server.answer = chat("cents") | message("cents")
    assert kind(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20).text == "cents"


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_only_the_settings_say_which_server_is_asked(
    server: Server, kind: type[OpenAI] | type[Anthropic], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, server.url)
    monkeypatch.setenv("HTTPS_PROXY", "gopher://nowhere")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(NotAsked):
        kind(Access("small", "", KEY)).complete("x", max_tokens=5, deadline_s=20)
    assert not server.asked


def test_a_response_above_the_limit_is_a_failure_of_the_service(server: Server) -> None:
    server.raw = b" " * (LLM_ANSWER_BYTES_MAX + 1)
    with pytest.raises(WriterFailed, match="more than"):
        OpenAI(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20)


@pytest.mark.parametrize("status", [401, 429, 500, 404])
@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_a_refusal_is_one_sentence_without_the_key_and_is_not_tried_again(
    server: Server, status: int, kind: type[OpenAI] | type[Anthropic]
) -> None:
    server.status = status
    server.answer = {"error": {"type": "x", "message": f"{KEY} has no credit. " * 200}}
    with pytest.raises(WriterFailed) as caught:
        kind(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20)
    verb = "refuses calls for now" if status == 429 else "did not answer"
    assert caught.value.message.startswith(f"{kind.provider} {verb}: ")
    assert isinstance(caught.value, RateLimited) == (status == 429)
    assert str(status) in caught.value.message
    assert len(caught.value.message) < 500
    assert KEY not in caught.value.message
    assert len(server.asked) == 1


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_a_service_that_is_down_is_said(kind: type[OpenAI] | type[Anthropic]) -> None:
    down = Server()
    down.server_close()
    with pytest.raises(WriterFailed, match="did not answer"):
        kind(Access("small", down.url, KEY)).complete("x", max_tokens=5, deadline_s=20)


def test_an_answer_without_words_is_no_answer(server: Server) -> None:
    for server.answer in (chat(None), chat("  "), {**chat("x"), "choices": []}):
        with pytest.raises(WriterFailed, match="empty answer"):
            OpenAI(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20)


@pytest.mark.parametrize("raw", [b"<html>proxy error</html>", b"[" * 200_000, b"null"])
@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_garbage_is_a_failure_of_the_service(server: Server, kind: type[OpenAI] | type[Anthropic], raw: bytes) -> None:
    server.raw = raw
    with pytest.raises(WriterFailed):
        kind(Access("small", server.url, KEY)).complete("x", max_tokens=5, deadline_s=20)


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_an_address_or_a_proxy_that_cannot_be_read_is_said(
    kind: type[OpenAI] | type[Anthropic], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotAsked, match="cannot be read") as caught:
        kind(Access("small", "http://[::1", KEY)).complete("x", max_tokens=5, deadline_s=20)
    assert "llm.base_url" in caught.value.hint
    monkeypatch.setenv("HTTPS_PROXY", "gopher://nowhere")
    with pytest.raises(NotAsked, match="cannot be read"):
        kind(Access("small", "https://models.example", KEY)).complete("x", max_tokens=5, deadline_s=20)


@pytest.mark.promise("nothing-is-sent")
def test_a_key_in_the_environment_is_no_consent(memory: Holloway) -> None:
    environment = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
    assert choose_writer(memory.settings, environment).writer is None


@pytest.mark.parametrize(
    ("settings", "environment", "reason"),
    [
        ({"llm.provider": "openai"}, {}, "openai wants a key"),
        ({"llm.provider": "anthropic", "llm.base_url": "http://127.0.0.1:1"}, {}, "anthropic wants a key"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {}, "MY_KEY"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {"MY_KEY": "schlüssel"}, "characters that no key has"),
        ({"llm.provider": "openai", "llm.key_env": "MY_KEY"}, {"MY_KEY": "a\nb"}, "characters that no key has"),
        ({"llm.provider": "openai", "llm.base_url": "http://127.0.0.1:11434/v1"}, {}, ""),
        ({"llm.provider": "anthropic", "llm.key_env": "MY_KEY"}, {"MY_KEY": "k"}, ""),
    ],
)
def test_a_choice_is_complete_or_says_what_is_missing(
    settings: dict[str, str], environment: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key, value in settings.items():
        monkeypatch.setenv("HOLLOWAY_" + key.upper().replace(".", "_"), value)
    chosen = choose_writer(Settings.load_settings(), environment)
    assert (chosen.writer is None) == bool(reason)
    assert reason in chosen.reason


@pytest.mark.parametrize("kind", [OpenAI, Anthropic])
def test_a_call_ends_soon_after_the_reader_is_turned_off(kind: type[OpenAI] | type[Anthropic]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        access = Access("small", f"http://127.0.0.1:{silent.getsockname()[1]}", KEY, lambda: True)
        started = time.monotonic()
        with pytest.raises(Stopped):
            kind(access).complete("x", max_tokens=5, deadline_s=60)
    assert time.monotonic() - started < 30
