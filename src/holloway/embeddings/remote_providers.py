"""Remote embedding providers: Ollama, and servers with the OpenAI API; their formats, retries and timeouts."""

from __future__ import annotations

import json
import time
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from holloway.config import (
    EMBED_ANSWER_BYTES_MAX,
    EMBED_ATTEMPTS_MAX,
    EMBED_BACKOFF_MAX_S,
    EMBED_BACKOFF_S,
    EMBED_BATCH_TEXTS,
    EMBED_DEADLINE_S,
    EMBED_DIMS_MAX,
    EMBED_ERROR_CHARS_MAX,
    EMBED_QUERY_DEADLINE_S,
    EMBED_REQUEST_TIMEOUT_S,
)
from holloway.embeddings.backfill import collapse_whitespace
from holloway.errors import EmbedderUnavailable, EmbeddingFailed, TextNotEmbeddable
from holloway.http_client import RequestFailed, Response, hide_key, post_json, quote_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holloway.domain.ports import Vectors


RETRYABLE_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
TEXT_REFUSED_STATUSES = frozenset({400, 413, 422, 500})
"""Statuses that blame the text; Ollama answers 500 if the vector of one text is not a number."""
LENGTH_MIN = 1e-6


class RemoteEmbedder:
    """A model on a server. Nothing is sent before `embed` is called; thread-safe."""

    def __init__(
        self,
        wire: ApiFormat,
        *,
        model: str = "",
        base_url: str = "",
        key: str = "",
        dims: int = 0,
        deadline_s: float = EMBED_DEADLINE_S,
        sleep: Callable[[float], None] = time.sleep,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wire = wire
        self._name = model or wire.model
        self._url = wire.build_url((base_url or wire.base_url).rstrip("/"))
        self._key = key
        self._requested_dims = choose_dims(self._name, dims)
        self._known_dims = self._requested_dims
        self._deadline_s = deadline_s
        self._sleep = sleep
        self._monotonic = monotonic
        self._lock = Lock()

    @property
    def model(self) -> str:
        """Provider, model, and the requested dimensions."""
        return f"{self._wire.name.lower()}:{self._name}@{self._requested_dims or 'full'}"

    @property
    def dims(self) -> int:
        """Dimensions of a vector; 0 before the first response if none were requested."""
        return self._known_dims

    @property
    def related_from(self) -> float:
        """Unknown: the similarity scale differs between models."""
        return 0.0

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return one row of length 1 for each text, within the deadline, which is shorter for a query.

        Raises EmbedderUnavailable or TextNotEmbeddable.
        """
        import numpy as np  # a tenth of a second that only those who embed pay

        allowed_s = min(self._deadline_s, EMBED_QUERY_DEADLINE_S) if is_query else self._deadline_s
        deadline = self._monotonic() + allowed_s
        text_prefix = get_prefix(self._name, is_query)
        sent = [text_prefix + (collapse_whitespace(text) or "-") for text in texts]
        parts = [sent[at : at + EMBED_BATCH_TEXTS] for at in range(0, len(sent), EMBED_BATCH_TEXTS)]
        if not parts:
            return np.empty((0, self._known_dims), dtype=np.float32)
        return np.concatenate(
            [self._normalise_vectors(self._request_with_retries(part, deadline), len(part)) for part in parts]
        )

    def _request_with_retries(self, texts: Sequence[str], deadline: float) -> Response:
        """Return the response to one request; temporary failures are retried with backoff."""
        body = json.dumps(self._wire.build_request(self._name, texts, self._requested_dims)).encode()
        for attempt in range(1, EMBED_ATTEMPTS_MAX + 1):
            answer, failure = self._send_request(body, deadline)
            if answer is not None and answer.status == 200:
                return answer
            if answer is not None and answer.status not in RETRYABLE_STATUSES:
                break
            wait_s = _compute_backoff(attempt, answer)
            if attempt == EMBED_ATTEMPTS_MAX or self._monotonic() + wait_s >= deadline:
                break
            self._sleep(wait_s)
        raise failure

    def _send_request(self, body: bytes, deadline: float) -> tuple[Response | None, EmbeddingFailed]:
        """Return the response, if any, and the error to raise if it is not accepted."""
        timeout_s = min(EMBED_REQUEST_TIMEOUT_S, deadline - self._monotonic())
        if timeout_s <= 0:
            return None, self._build_unavailable_error("the deadline has passed")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            answer = post_json(self._url, body, headers, timeout_s, EMBED_ANSWER_BYTES_MAX)
        except RequestFailed as error:
            return None, self._build_unavailable_error(str(error))
        return answer, self._classify_refusal(answer)

    def _classify_refusal(self, answer: Response) -> EmbeddingFailed:
        quote = self._quote_body(answer)
        if answer.status in TEXT_REFUSED_STATUSES:
            hint = "Other texts may do; this one is found by its words."
            return TextNotEmbeddable(f"{self._wire.name} does not take a text: {answer.status}{quote}.", hint)
        if 300 <= answer.status < 400:
            location = self._make_printable(answer.location) or "elsewhere"
            return self._build_unavailable_error(f"it redirects to {location}, which is not followed")
        hints = {
            401: "Check the variable that `embedding.key_env` names.",
            403: "Check the variable that `embedding.key_env` names, and what its key may do.",
            404: f"Is the model there ({self._name}), and is `embedding.base_url` right?",
        }
        return self._build_unavailable_error(f"it answers {answer.status}{quote}", hints.get(answer.status, ""))

    def _build_unavailable_error(self, problem: str, hint: str = "") -> EmbedderUnavailable:
        server = f"{self._wire.name} at {self._url}"
        return EmbedderUnavailable(
            f"{server}: {hide_key(problem, self._key)}.", hint or "Search goes by words until it answers."
        )

    def _quote_body(self, answer: Response) -> str:
        text = self._make_printable(answer.body.decode("utf-8", "replace"))
        return f" ({text})" if text else ""

    def _make_printable(self, text: str) -> str:
        """Return server text in printable form; the key is removed first, so that no cut leaves part of it."""
        return quote_text(text, self._key, EMBED_ERROR_CHARS_MAX)

    def _normalise_vectors(self, answer: Response, count: int) -> Vectors:
        """Return the vectors of a response, normalised; raises an error unless all are finite and of one size."""
        import numpy as np  # loaded by `embed` already

        rows = self._parse_vectors(answer, count)
        with np.errstate(all="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.all(np.isfinite(lengths) & (lengths > LENGTH_MIN)):
            hint = "Other texts may do; this one is found by its words."
            raise TextNotEmbeddable(f"{self._wire.name} returned an invalid vector (not finite, or all zeros).", hint)
        with self._lock:
            self._known_dims = self._known_dims or rows.shape[1]
        if rows.shape[1] != self._known_dims:
            problem = f"it gave {rows.shape[1]} dimensions instead of {self._known_dims}"
            raise self._build_unavailable_error(problem, "Set `embedding.dims` to what the model has.")
        vectors: Vectors = (rows / lengths).astype(np.float32)
        return vectors

    def _parse_vectors(self, answer: Response, count: int) -> Any:
        import numpy as np  # loaded by `embed` already

        try:
            with np.errstate(all="ignore"):
                rows = np.asarray(self._wire.parse_vectors(json.loads(answer.body)), dtype=np.float64)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise self._build_unavailable_error("its answer cannot be read as vectors") from error
        if rows.ndim != 2 or len(rows) != count or not 0 < rows.shape[1] <= EMBED_DIMS_MAX:
            raise self._build_unavailable_error(f"it gave {' x '.join(map(str, rows.shape))} numbers for {count} texts")
        return rows


def _compute_backoff(attempt: int, answer: Response | None) -> float:
    """Return the seconds before the next attempt: the server's Retry-After, or exponential backoff."""
    retry_after = answer.retry_after.strip() if answer else ""
    if retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 6:
        return float(retry_after)
    return min(EMBED_BACKOFF_S * (1 << (attempt - 1)), EMBED_BACKOFF_MAX_S)


class ApiFormat(NamedTuple):
    """One API format: its name, default address and model, and functions for requests and responses."""

    name: str
    base_url: str
    model: str
    build_url: Callable[[str], str]
    build_request: Callable[[str, Sequence[str], int], dict[str, object]]
    parse_vectors: Callable[[Any], list[Any]]


def _build_ollama_request(model: str, texts: Sequence[str], dims: int) -> dict[str, object]:
    return {"model": model, "input": list(texts), "truncate": True} | ({"dimensions": dims} if dims else {})


def _build_openai_request(model: str, texts: Sequence[str], dims: int) -> dict[str, object]:
    request = {"model": model, "input": list(texts), "encoding_format": "float"}
    return request | ({"dimensions": dims} if dims else {})


def _parse_openai_vectors(response: Any) -> list[Any]:
    """Return the vectors in the order of the texts; raises ValueError if the indices do not match them."""
    entries = response["data"]
    if sorted(entry["index"] for entry in entries) != list(range(len(entries))):
        raise ValueError("indices do not match the texts")
    return [entry["embedding"] for entry in sorted(entries, key=lambda entry: entry["index"])]


OLLAMA = ApiFormat(
    "Ollama",
    "http://127.0.0.1:11434",
    "qwen3-embedding:0.6b",
    lambda base: f"{base}/api/embed",
    _build_ollama_request,
    lambda answer: list(answer["embeddings"]),
)
OPENAI = ApiFormat(
    "OpenAI",
    "https://api.openai.com",
    "text-embedding-3-small",
    lambda base: f"{base}/embeddings" if base.endswith("/v1") else f"{base}/v1/embeddings",
    _build_openai_request,
    _parse_openai_vectors,
)

DEFAULT_DIMS = 1_024
SHORTENABLE_MODELS = ("text-embedding-3-", "qwen3-embedding:4b", "qwen3-embedding:8b")
"""Models that were trained to be cut to fewer dimensions."""

PREFIXES = {
    "qwen3-embedding": ("Instruct: Given a question, find the notes and code that answer it\nQuery: ", ""),
    "nomic-embed-text": ("search_query: ", "search_document: "),
    "mxbai-embed-large": ("Represent this sentence for searching relevant passages: ", ""),
    "snowflake-arctic-embed": ("Represent this sentence for searching relevant passages: ", ""),
}
"""Prefix of queries, and of passages, that a model was trained with."""


def choose_dims(model: str, chosen: int) -> int:
    """Return the dimensions to request; 0 for the model's default."""
    return chosen or (DEFAULT_DIMS if model.startswith(SHORTENABLE_MODELS) else 0)


def get_prefix(model: str, is_query: bool) -> str:
    """Return the prefix that this model expects before a text."""
    name = model.rpartition("/")[2]
    query, passage = next((both for start, both in PREFIXES.items() if name.startswith(start)), ("", ""))
    return query if is_query else passage
