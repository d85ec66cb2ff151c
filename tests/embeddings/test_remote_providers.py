"""Ollama and OpenAI-compatible servers, against a real server on the loopback that misbehaves as it is told."""

import json
import socket
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from holloway.config import (
    EMBED_ANSWER_BYTES_MAX,
    EMBED_ATTEMPTS_MAX,
    EMBED_BACKOFF_S,
    EMBED_BATCH_TEXTS,
    EMBED_ERROR_CHARS_MAX,
    EMBED_QUERY_DEADLINE_S,
)
from holloway.embeddings.remote_providers import DEFAULT_DIMS, OLLAMA, OPENAI, ApiFormat, RemoteEmbedder
from holloway.errors import EmbedderUnavailable, EmbeddingFailed, TextNotEmbeddable
from tests.embeddings.server import Asked, Reply, Script, Server, Step

KEY = "sk-very-secret-0123456789"


def vector(text: str, dims: int = 4) -> list[float]:
    return [float(len(text)), 1.0, *[0.5] * (dims - 2)]


def ollama(asked: Asked) -> Reply:
    return told({"embeddings": [vector(text) for text in asked.texts]})


def openai(asked: Asked) -> Reply:
    rows = [{"index": index, "embedding": vector(text)} for index, text in enumerate(asked.texts)]
    return told({"data": rows[::-1]})


def told(answer: object, status: int = 200, **headers: str) -> Reply:
    return status, headers, json.dumps(answer).encode()


def says(status: int, body: bytes = b"", **headers: str) -> Step:
    return lambda asked: (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


Start = Callable[..., tuple[RemoteEmbedder, Script]]


class Slept(list[float]):
    """The waits that were asked for; they pass on a clock of their own."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)

    def monotonic(self) -> float:
        return sum(self)


@pytest.fixture
def slept() -> Slept:
    return Slept()


@pytest.fixture
def start(slept: Slept) -> Iterator[Start]:
    servers: list[Server] = []

    def started(*steps: Step, wire: ApiFormat = OLLAMA, **options: object) -> tuple[RemoteEmbedder, Script]:
        script = Script(list(steps))
        server = Server(script)
        servers.append(server)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        given: dict[str, object] = {"model": "small", "base_url": server.url, "sleep": slept} | options
        given.setdefault("monotonic", slept.monotonic)
        return RemoteEmbedder(wire, **given), script  # type: ignore[arg-type]

    yield started
    for server in servers:
        server.script.released.set()
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("wire", "step", "path"), [(OLLAMA, ollama, "/api/embed"), (OPENAI, openai, "/v1/embeddings")])
def test_texts_come_back_as_rows_of_length_one_in_their_order(
    start: Start, wire: ApiFormat, step: Step, path: str
) -> None:
    embedder, script = start(step, wire=wire)
    texts = ["a", "bbbb", "cc"]
    vectors = embedder.embed(texts)
    expected = np.array([vector(text) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert vectors == pytest.approx(expected)
    assert vectors.dtype == np.float32
    assert (embedder.dims, script.asked[0].path) == (4, path)
    assert script.asked[0].body["model"] == "small"
    assert "dimensions" not in script.asked[0].body


def test_many_texts_go_in_batches(start: Start) -> None:
    embedder, script = start(ollama)
    texts = ["x" * number for number in range(1, 2 * EMBED_BATCH_TEXTS + 3)]
    vectors = embedder.embed(texts)
    assert [len(asked.texts) for asked in script.asked] == [EMBED_BATCH_TEXTS, EMBED_BATCH_TEXTS, 2]
    assert vectors[-1] == pytest.approx(embedder.embed(texts[-1:])[0])
    assert embedder.embed([]).shape == (0, 4)


def test_the_key_goes_to_the_chosen_server_only_where_there_is_one(start: Start) -> None:
    embedder, script = start(openai, wire=OPENAI, key=KEY)
    embedder.embed(["x"])
    assert script.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    embedder, script = start(openai, wire=OPENAI)
    embedder.embed(["x"])
    assert "Authorization" not in script.asked[0].headers


def test_a_base_with_its_version_is_not_given_another(start: Start) -> None:
    embedder, script = start(openai, wire=OPENAI)
    with_version = RemoteEmbedder(OPENAI, model="small", base_url=embedder._url.removesuffix("/embeddings") + "/")
    with_version.embed(["x"])
    assert script.asked[0].path == "/v1/embeddings"


def test_the_name_of_a_model_says_who_and_how_large() -> None:
    assert RemoteEmbedder(OPENAI).model == f"openai:text-embedding-3-small@{DEFAULT_DIMS}"
    assert RemoteEmbedder(OPENAI, model="own", dims=256).model == "openai:own@256"
    assert RemoteEmbedder(OLLAMA, model="own").model == "ollama:own@full"
    assert RemoteEmbedder(OLLAMA, model="own").dims == 0


def test_dimensions_are_asked_for_where_they_were_chosen_or_the_model_is_made_for_it(start: Start) -> None:
    embedder, script = start(openai, wire=OPENAI, dims=4)
    embedder.embed(["x"])
    assert script.asked[0].body["dimensions"] == 4
    embedder, script = start(openai, wire=OPENAI, model="text-embedding-3-large")
    with pytest.raises(EmbedderUnavailable, match=f"4 dimensions instead of {DEFAULT_DIMS}"):
        embedder.embed(["x"])
    assert script.asked[0].body["dimensions"] == DEFAULT_DIMS


def test_queries_and_passages_begin_as_the_model_was_taught(start: Start) -> None:
    embedder, script = start(ollama, model="nomic-embed-text:v1.5")
    embedder.embed(["where  is\nit"], is_query=True)
    embedder.embed(["here"])
    assert [asked.texts for asked in script.asked] == [["search_query: where is it"], ["search_document: here"]]


def test_an_empty_or_broken_text_does_not_reach_the_server_as_such(start: Start) -> None:
    embedder, script = start(ollama)
    embedder.embed(["", " \n", "\ud800x"])
    assert script.asked[0].texts == ["-", "-", "?x"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
def test_what_passes_by_itself_is_tried_again(start: Start, slept: Slept, status: int) -> None:
    embedder, script = start(says(status), says(status), ollama)
    assert embedder.embed(["x"]).shape == (1, 4)
    assert len(script.asked) == 3
    assert slept == [EMBED_BACKOFF_S, 2 * EMBED_BACKOFF_S]


def test_the_wait_that_a_server_asks_for_is_kept(start: Start, slept: Slept) -> None:
    embedder, _ = start(says(429, Retry_After="7"), says(429, Retry_After="soon"), ollama)
    embedder.embed(["x"])
    assert slept == [7, 2 * EMBED_BACKOFF_S]


def test_a_wait_beyond_the_deadline_is_not_begun(start: Start, slept: Slept) -> None:
    embedder, script = start(says(429, b"slow down", Retry_After="9999"))
    with pytest.raises(EmbedderUnavailable, match=r"Ollama.*429.*slow down"):
        embedder.embed(["x"])
    assert (slept, len(script.asked)) == ([], 1)


def test_a_server_that_keeps_failing_is_given_up_after_a_few_attempts(start: Start, slept: Slept) -> None:
    embedder, script = start(says(503, b"overloaded"))
    with pytest.raises(EmbedderUnavailable, match=r"503.*overloaded"):
        embedder.embed(["x"])
    assert len(script.asked) == EMBED_ATTEMPTS_MAX
    assert len(slept) == EMBED_ATTEMPTS_MAX - 1


def test_a_query_waits_less_than_a_batch(start: Start, slept: Slept) -> None:
    embedder, script = start(says(503, Retry_After=str(int(EMBED_QUERY_DEADLINE_S) + 1)), ollama)
    with pytest.raises(EmbedderUnavailable):
        embedder.embed(["x"], is_query=True)
    assert len(script.asked) == 1
    assert embedder.embed(["x"]).shape == (1, 4)


def test_all_batches_share_one_deadline(start: Start, slept: Slept) -> None:
    def slow(asked: Asked) -> Reply:
        slept.append(25.0)
        return ollama(asked)

    embedder, script = start(slow)
    with pytest.raises(EmbedderUnavailable, match="the deadline has passed"):
        embedder.embed(["x"] * EMBED_BATCH_TEXTS * 5)
    assert len(script.asked) == 3


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_refused_is_not_tried_again(start: Start, slept: Slept, status: int) -> None:
    embedder, script = start(says(status, b'{"error": "input length exceeds the context length"}'))
    with pytest.raises(TextNotEmbeddable, match="exceeds the context length"):
        embedder.embed(["x"])
    assert (len(script.asked), slept) == (1, [])


@pytest.mark.parametrize(("status", "hint"), [(401, "key_env"), (403, "key_env"), (404, "base_url")])
def test_a_wrong_set_up_is_told_with_what_to_look_at(start: Start, status: int, hint: str) -> None:
    embedder, script = start(says(status, f"Incorrect API key provided: {KEY}".encode()), key=KEY)
    with pytest.raises(EmbedderUnavailable, match=str(status)) as caught:
        embedder.embed(["x"])
    assert hint in caught.value.hint
    assert len(script.asked) == 1
    assert KEY not in caught.value.message + caught.value.hint


def test_no_part_of_the_key_is_left_where_an_answer_is_cut(start: Start) -> None:
    embedder, _ = start(says(401, b"x" * (EMBED_ERROR_CHARS_MAX - 10) + KEY.encode()), key=KEY)
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["x"])
    assert KEY[:4] not in caught.value.message


def test_a_redirect_is_not_followed_and_nobody_else_sees_the_key(start: Start) -> None:
    other, elsewhere = start(openai, wire=OPENAI)
    for status in (301, 302, 307, 308):
        embedder, _ = start(says(status, Location=other._url), wire=OPENAI, key=KEY)
        with pytest.raises(EmbedderUnavailable, match="redirects to http://127"):
            embedder.embed(["x"])
    assert elsewhere.asked == []


def test_a_server_that_is_down_is_told(slept: Slept) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    embedder = RemoteEmbedder(
        OLLAMA, base_url=f"http://127.0.0.1:{port}", sleep=slept, monotonic=slept.monotonic, key=KEY
    )
    with pytest.raises(EmbedderUnavailable, match=rf"Ollama at .*{port}.*nothing listens there") as caught:
        embedder.embed(["x"])
    assert len(slept) == EMBED_ATTEMPTS_MAX - 1
    assert "words" in caught.value.hint


def test_a_connection_that_breaks_off_is_tried_again(start: Start) -> None:
    def cut(asked: Asked) -> None:
        asked.answer(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")

    embedder, script = start(lambda asked: None, cut, ollama)
    assert embedder.embed(["x"]).shape == (1, 4)
    assert len(script.asked) == 3


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"])
def test_a_server_that_never_finishes_is_left_at_the_deadline(start: Start, beginning: bytes) -> None:
    def stuck(asked: Asked) -> None:
        asked.answer(beginning)
        script.released.wait(30)

    ticks = iter([0.0, 0.0, *[1e9] * 9])
    embedder, script = start(stuck, deadline_s=0.2, monotonic=lambda: next(ticks))
    with pytest.raises(EmbedderUnavailable, match=r"no answer within 0\.2 s"):
        embedder.embed(["x"])


def test_a_server_that_drips_is_left_at_the_deadline(start: Start) -> None:
    def drip(asked: Asked) -> None:
        asked.answer(b"HTTP/1.1 200 OK\r\n")
        while not script.released.wait(0.02):
            asked.answer(b"X-More: yes\r\n")

    ticks = iter([0.0, 0.0, *[1e9] * 9])
    embedder, script = start(drip, deadline_s=0.3, monotonic=lambda: next(ticks))
    with pytest.raises(EmbedderUnavailable, match=r"no answer within 0\.3 s"):
        embedder.embed(["x"])


def test_an_answer_without_end_is_cut_off(start: Start) -> None:
    def endless(asked: Asked) -> Reply:
        return 200, {}, b" " * (EMBED_ANSWER_BYTES_MAX + 1)

    embedder, _ = start(endless)
    with pytest.raises(EmbedderUnavailable, match="more than"):
        embedder.embed(["x"])


GARBAGE: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"<html>hello</html>",
    "no UTF-8": b"\xff\xfe\x00",
    "no vectors": b"{}",
    "a list": b"[]",
    "null": b"null",
    "too few": b'{"embeddings": [], "data": []}',
    "too many": b'{"embeddings": [[1], [1]], "data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}',
    "twice the same": b'{"embeddings": 7, "data": [{"index": 5, "embedding": [1, 2]}]}',
    "words": b'{"embeddings": [["a", "b"]], "data": [{"index": 0, "embedding": "abc"}]}',
    "ragged": b'{"embeddings": [[1, [2]]], "data": [{"index": 0, "embedding": [1, [2]]}]}',
    "empty vector": b'{"embeddings": [[]], "data": [{"index": 0, "embedding": []}]}',
    "deep": b'{"embeddings": ' + b"[" * 100_000,
    "huge number": b'{"embeddings": [[' + b"9" * 5_000 + b']], "data": []}',
}


@pytest.mark.parametrize("wire", [OLLAMA, OPENAI], ids=["ollama", "openai"])
@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
def test_garbage_is_one_error_that_names_the_provider(start: Start, wire: ApiFormat, body: bytes) -> None:
    embedder, _ = start(says(200, body), wire=wire)
    with pytest.raises(EmbeddingFailed, match=wire.name) as caught:
        embedder.embed(["x"])
    assert caught.value.hint


@pytest.mark.parametrize("numbers", ["NaN, 1", "1, Infinity", "0, 0", "1e-30, 0", "1e400, 1", "null, 1"])
def test_a_vector_that_is_none_is_refused(start: Start, numbers: str) -> None:
    embedder, _ = start(says(200, f'{{"embeddings": [[{numbers}]]}}'.encode()))
    with pytest.raises(TextNotEmbeddable, match="an invalid vector"):
        embedder.embed(["x"])


def test_large_numbers_are_scaled_to_length_one(start: Start) -> None:
    embedder, _ = start(says(200, b'{"embeddings": [[3e60, 4e60]]}'))
    assert embedder.embed(["x"])[0] == pytest.approx([0.6, 0.8])


def test_a_model_that_changes_its_size_is_refused(start: Start) -> None:
    embedder, _ = start(ollama, says(200, b'{"embeddings": [[1, 2]]}'))
    embedder.embed(["x"])
    with pytest.raises(EmbedderUnavailable, match="2 dimensions instead of 4") as caught:
        embedder.embed(["x"])
    assert "embedding.dims" in caught.value.hint


def test_what_a_server_says_is_shown_short_and_without_control_characters(start: Start) -> None:
    embedder, _ = start(says(403, b"\x1b[31mred\x07 " + b"long " * 1_000))
    with pytest.raises(EmbedderUnavailable) as caught:
        embedder.embed(["x"])
    assert "red long" in caught.value.message
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 500


def test_a_proxy_is_not_asked_for_what_runs_on_this_machine(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    embedder, _ = start(ollama)
    assert embedder.embed(["x"]).shape == (1, 4)
