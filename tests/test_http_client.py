"""The HTTP client; its bounds on time and size are tested with the embedding servers, which use it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from urllib.error import URLError

import pytest

from holloway import http_client
from holloway.http_client import (
    AddressUnreadable,
    RequestCancelled,
    RequestFailed,
    hide_key,
    post_json,
    quote_text,
)
from tests.embeddings.server import Asked, Script, Server, Step


@pytest.mark.parametrize(
    "url", ["http://[::1", "ftp://127.0.0.1/x", "file:///etc/hosts", "127.0.0.1:80", "", "http://"]
)
def test_an_address_that_is_not_http_is_refused_before_anything_is_sent(url: str) -> None:
    with pytest.raises(AddressUnreadable, match="its address cannot be read"):
        post_json(url, b"{}", {}, 5, 100)


@pytest.mark.parametrize("proxy", ["gopher://nowhere", "socks5://127.0.0.1:1080"])
def test_a_proxy_of_another_kind_is_refused_before_anything_is_sent(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    with pytest.raises(AddressUnreadable, match="proxy"):
        post_json("https://models.example", b"{}", {}, 5, 100)


def test_the_proxy_of_the_environment_is_asked_for_other_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(RequestFailed, match="nothing listens there"):
        post_json("http://models.example", b"{}", {}, 5, 100)


def test_a_quoted_text_is_one_short_line_without_the_key() -> None:
    assert quote_text("no\ncredit for sk-1234 \x07left", "sk-1234", 100) == "no credit for … left"
    assert len(quote_text("word " * 100, "", 40)) <= 40
    assert hide_key("sk-1234", "") == "sk-1234"


@contextmanager
def listening(step: Step) -> Iterator[tuple[str, Script]]:
    """A server that answers every request by one step."""
    script = Script([step])
    server = Server(script)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.url, script
    finally:
        script.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_response_of_any_status_comes_back_and_a_redirect_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    headers = {"Retry-After": "7", "Location": "/elsewhere"}
    with listening(lambda asked: (302, headers, b"moved")) as (url, script):
        response = post_json(f"{url}/embed", b'{"input": ["a"]}', {"X-Key": "k", "User-Agent": "test"}, 20, 5)
    assert response == (302, b"moved", "7", "/elsewhere")
    (asked,) = script.asked
    assert (asked.path, asked.body) == ("/embed", {"input": ["a"]})
    sent = {name.lower(): value for name, value in asked.headers.items()}
    assert (sent["x-key"], sent["user-agent"], sent["content-type"]) == ("k", "test", "application/json")


def test_a_response_without_those_headers_has_empty_ones() -> None:
    with listening(lambda asked: (200, {}, b"{}")) as (url, _):
        assert post_json(url, b"{}", {}, 20, 2) == (200, b"{}", "", "")


def test_a_response_that_is_too_long_or_breaks_off_is_refused() -> None:
    with (
        listening(lambda asked: (200, {}, b"123456")) as (url, _),
        pytest.raises(RequestFailed, match="an answer of more than 5 bytes"),
    ):
        post_json(url, b"{}", {}, 20, 5)
    with (
        listening(lambda asked: (200, {"Content-Length": "9", "Connection": "close"}, b"123456")) as (url, _),
        pytest.raises(RequestFailed, match="the connection failed"),
    ):
        post_json(url, b"{}", {}, 20, 100)


def wait_until_released(script: list[Script]) -> Step:
    def step(asked: Asked) -> None:
        script[0].released.wait(60)

    return step


def test_a_server_that_does_not_answer_in_time_is_given_up() -> None:
    scripts: list[Script] = []
    with listening(wait_until_released(scripts)) as (url, script):
        scripts.append(script)
        with pytest.raises(RequestFailed, match=r"no answer within 0\.2 s"):
            post_json(url, b"{}", {}, 0.2, 100)


def test_a_request_that_the_caller_cancels_ends_before_its_timeout() -> None:
    scripts: list[Script] = []
    with listening(wait_until_released(scripts)) as (url, script):
        scripts.append(script)
        with pytest.raises(RequestCancelled, match="it was cancelled"):
            post_json(url, b"{}", {}, 50, 100, lambda: bool(script.asked))


def test_a_request_that_nobody_cancels_is_answered() -> None:
    with listening(lambda asked: (200, {}, b"{}")) as (url, _):
        assert post_json(url, b"{}", {}, 20, 100, lambda: False).status == 200


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (URLError(ConnectionRefusedError()), "nothing listens there"),
        (socket.gaierror(-2, "unknown"), "the name of the host is not known"),
        (URLError("no route"), "the connection failed: no route"),
        (ValueError(), "the connection failed: ValueError"),
    ],
)
def test_a_failed_connection_is_described(error: Exception, text: str) -> None:
    assert http_client._describe_error(error) == text
