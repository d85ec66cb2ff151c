"""Rerankers for the best few results: late interaction with the built-in model, or a cross-encoder of the user.

Both are off unless chosen, and stop at their deadline: then the order stays as it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.config import EMBED_THREADS_MAX, RERANK_BATCH, RERANK_TOKENS_MAX
from holloway.embeddings import builtin_model
from holloway.embeddings.backfill import collapse_whitespace
from holloway.errors import EmbedderMissing, EmbeddingFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from holloway.config import Settings
    from holloway.domain.ports import Reranker


class LateInteraction:
    """Sums, over the tokens of the query, the similarity of the nearest token of a text (built-in model)."""

    name = "late interaction"

    def score(self, query: str, texts: Sequence[str], *, deadline_s: float) -> list[float] | None:
        """Return how well each text answers the query; None if the deadline passed first."""
        tokens = builtin_model.embed_tokens([query])[0]

        def score_batch(batch: Sequence[str]) -> list[float]:
            return [float((tokens @ other.T).max(axis=1).mean()) for other in builtin_model.embed_tokens(batch)]

        return _score_within_deadline(score_batch, texts, deadline_s)


class CrossEncoder:
    """An ONNX model that reads query and text together, from a folder with `model.onnx` and `tokenizer.json`."""

    name = "cross-encoder"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def score(self, query: str, texts: Sequence[str], *, deadline_s: float) -> list[float] | None:
        """Return how well each text answers the query; None if the deadline passed first."""
        session, tokenizer = _load_model(self._folder)

        def score_batch(batch: Sequence[str]) -> list[float]:
            pairs = [(collapse_whitespace(query), collapse_whitespace(text)) for text in batch]
            return _score_pairs(session, tokenizer, pairs)

        return _score_within_deadline(score_batch, texts, deadline_s)


def _score_within_deadline(
    score_batch: Callable[[Sequence[str]], list[float]], texts: Sequence[str], deadline_s: float
) -> list[float] | None:
    deadline = time.monotonic() + deadline_s
    scores: list[float] = []
    for at in range(0, len(texts), RERANK_BATCH):
        if time.monotonic() >= deadline:
            return None
        scores += score_batch(texts[at : at + RERANK_BATCH])
    return scores


@lru_cache(maxsize=1)
def _load_model(folder: Path) -> tuple[InferenceSession, Tokenizer]:
    try:
        import tokenizers  # only paid when reranking

        onnxruntime = builtin_model.import_onnxruntime()
    except ImportError as error:
        raise builtin_model.build_missing_error(
            builtin_model.list_absent_packages() or [error.name or "onnxruntime"]
        ) from error
    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = EMBED_THREADS_MAX
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # the two packages raise many types for invalid files
        cause = " ".join(str(error).split())[:200]
        hint = "`rerank.folder` names a folder with model.onnx and tokenizer.json."
        raise EmbedderMissing(f"The reranker in {folder} cannot be loaded: {cause}", hint) from error
    tokenizer.enable_truncation(RERANK_TOKENS_MAX)
    tokenizer.enable_padding()
    return session, tokenizer


def _score_pairs(session: InferenceSession, tokenizer: Tokenizer, pairs: list[tuple[str, str]]) -> list[float]:
    import numpy as np  # loaded with the model

    encodings = tokenizer.encode_batch(pairs)
    columns = {
        "input_ids": [encoding.ids for encoding in encodings],
        "attention_mask": [encoding.attention_mask for encoding in encodings],
        "token_type_ids": [encoding.type_ids for encoding in encodings],
    }
    wanted = [model_input.name for model_input in session.get_inputs()]
    if unknown := [name for name in wanted if name not in columns]:
        raise EmbeddingFailed(f"The reranker has unknown inputs: {', '.join(unknown)}.", "Try another model.")
    (answer, *_) = session.run(None, {name: np.asarray(columns[name], dtype=np.int64) for name in wanted})
    scores: NDArray[np.float32] = np.asarray(answer, dtype=np.float32)
    scores = scores.reshape(len(pairs), -1)[:, -1]
    if not np.isfinite(scores).all():
        raise EmbeddingFailed("The reranker returned a score that is not a number.", "Try another model.")
    return [float(score) for score in scores]


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """The chosen reranker, or the reason why results are not reranked."""

    reranker: Reranker | None
    reason: str = ""


def choose_reranker(settings: Settings) -> RerankerChoice:
    """Return the reranker that the settings name; nothing is loaded."""
    provider = settings.get_text("rerank.provider")
    if provider == "off":
        return RerankerChoice(None)
    if absent := builtin_model.list_absent_packages():
        return RerankerChoice(None, builtin_model.build_missing_error(absent).message)
    if provider == "late":
        return RerankerChoice(LateInteraction())
    folder = settings.get_text("rerank.folder")
    if not folder:
        return RerankerChoice(None, "`rerank.folder` is not set: a folder with model.onnx and tokenizer.json.")
    return RerankerChoice(CrossEncoder(Path(folder).expanduser()))
