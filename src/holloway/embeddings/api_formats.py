"""Request and response formats of embedding servers: Ollama and the OpenAI API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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
