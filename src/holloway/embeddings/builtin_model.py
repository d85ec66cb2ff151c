"""Built-in embedding model: loads IBM's granite-embedding-30m-english and computes vectors locally, on the CPU."""

from __future__ import annotations

import hashlib
import os
import time
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import EMBED_BATCH_TEXTS, EMBED_BATCH_TOKENS, EMBED_THREADS_MAX, EMBED_TOKENS_MAX
from holloway.embeddings.backfill import collapse_whitespace
from holloway.errors import EmbedderMissing
from holloway.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    from holloway.domain.ports import Vectors


PACKAGES = ("numpy", "onnxruntime", "tokenizers")
MODEL_FOLDER = Path(__file__).with_name("granite")
SHA256 = {
    "model.onnx": "03a825c4f66724a7f672fd8a928b0ef438d392b0be00614a49cb855c9beacec2",
    "tokenizer.json": "33465117406b9007673e8ba283f7f1383d9b5094df947481af60eec94ed7d7bd",
}
PAD_ID = 1

_LOAD_LOCK = Lock()
_last_use = [0.0]
"""Time of the last embedding in this process, by the clock that never goes back."""


class _Loaded(NamedTuple):
    session: InferenceSession
    tokenizer: Tokenizer


class BuiltinEmbedder:
    """Embeds texts with the built-in model, which is loaded with the first text (half a second); thread-safe."""

    model = "granite-embedding-30m-english:9b5b0964:w8"
    dims = 384
    related_from = 0.62
    """Similarity threshold. Questions about code reach 0.55 among 400 lines of chat and mostly stay below 0.62 among
    short notes on other subjects; of the lines that answer a question, 95 % are above 0.69."""

    def __init__(self, folder: Path = MODEL_FOLDER, threads: int | None = None) -> None:
        self._folder = folder
        self._threads = threads or min(_count_processors(), EMBED_THREADS_MAX)

    def embed(self, texts: Sequence[str], *, is_query: bool = False) -> Vectors:
        """Return one row of length 1 for each text; this model treats queries and passages alike."""
        session, tokenizer = _get_model(self._folder, self._threads)
        import numpy as np  # a tenth of a second, only paid when embedding

        encodings = [tokenizer.encode(collapse_whitespace(text)) for text in texts]
        vectors = np.empty((len(texts), self.dims), dtype=np.float32)
        for positions in _group_by_length(encodings):
            first_tokens = _embed_first_tokens(session, [encodings[position] for position in positions])
            vectors[positions] = first_tokens / np.linalg.norm(first_tokens, axis=1, keepdims=True)
        return vectors


def embed_tokens(texts: Sequence[str]) -> list[Vectors]:
    """Return the vectors of all tokens of each text, each of length 1, without the markers at both ends."""
    import numpy as np  # loaded with the model

    session, tokenizer = _get_model(MODEL_FOLDER, min(_count_processors(), EMBED_THREADS_MAX))
    encodings = [tokenizer.encode(collapse_whitespace(text)) for text in texts]
    hidden = _run_model(session, encodings)
    vectors = []
    for row, encoding in zip(hidden, encodings, strict=True):
        tokens = row[1 : max(len(encoding.ids) - 1, 2)]
        vectors.append(tokens / np.maximum(np.linalg.norm(tokens, axis=1, keepdims=True), 1e-9))
    return vectors


def list_absent_packages() -> list[str]:
    """Return the required packages that are not installed, without importing any."""
    return [name for name in PACKAGES if find_spec(name) is None]


def build_missing_error(names: Sequence[str]) -> EmbedderMissing:
    """Build the error that names the missing packages and how to install them."""
    return EmbedderMissing(
        f"The built-in model cannot run: {', '.join(names)} cannot be imported.",
        f"Install holloway again: {install_command()}. Until then search goes by words only.",
    )


def release_model(unused_s: float) -> bool:
    """Drop the loaded model if nothing was embedded for some seconds; returns whether it was dropped.

    A process that runs for days would otherwise keep a quarter of a gigabyte for one search.
    """
    with _LOAD_LOCK:
        is_loaded = _load_model.cache_info().currsize > 0
        if not is_loaded or time.monotonic() - _last_use[0] < unused_s:
            return False
        _load_model.cache_clear()
    _trim_heap()
    return True


def _trim_heap() -> None:
    """Give freed memory back to the system: the GNU C library would keep most of the model's."""
    import ctypes  # only needed here

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _get_model(folder: Path, threads: int) -> _Loaded:
    """Return the model, loaded at its first use, and note the time."""
    with _LOAD_LOCK:
        _last_use[0] = time.monotonic()
        return _load_model(folder, threads)


@lru_cache(maxsize=1)
def _load_model(folder: Path, threads: int) -> _Loaded:
    """Load the model once per process; a failure is not cached."""
    try:
        import tokenizers  # a quarter of a second each, only paid when embedding

        onnxruntime = import_onnxruntime()
    except ImportError as error:
        raise build_missing_error(list_absent_packages() or [error.name or "onnxruntime"]) from error
    model, words = _read_verified(folder, "model.onnx"), _read_verified(folder, "tokenizer.json")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Threads that spin between two texts would take CPU time from the user's work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_buffer(words)
    tokenizer.enable_truncation(EMBED_TOKENS_MAX)
    # `<s>` in a text is HTML, not the model's start token.
    tokenizer.encode_special_tokens = True
    return _Loaded(session, tokenizer)


def _read_verified(folder: Path, name: str) -> bytes:
    """Return the bytes of a model file if they match the shipped hash; hashing is a twentieth of the load time."""
    hint = f"Install holloway again: {install_command()}. Until then search goes by words only."
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise EmbedderMissing(f"The built-in model cannot be read: {folder / name}: {error.strerror}.", hint) from error
    if hashlib.sha256(data).hexdigest() != SHA256[name]:
        raise EmbedderMissing(f"The built-in model is damaged: {folder / name} is not what was shipped.", hint)
    return data


def _group_by_length(encodings: Sequence[Encoding]) -> Iterator[list[int]]:
    """Yield positions of texts of similar length, so that padding and memory stay small."""
    batch: list[int] = []
    for position in sorted(range(len(encodings)), key=lambda position: (len(encodings[position].ids), position)):
        longest = len(encodings[position].ids)
        if batch and (len(batch) >= EMBED_BATCH_TEXTS or longest * (len(batch) + 1) > EMBED_BATCH_TOKENS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _embed_first_tokens(session: InferenceSession, encodings: Sequence[Encoding]) -> Vectors:
    first_tokens: Vectors = _run_model(session, encodings)[:, 0, :]
    return first_tokens


def _run_model(session: InferenceSession, encodings: Sequence[Encoding]) -> Vectors:
    import numpy as np  # loaded by `embed` already

    longest = max(len(encoding.ids) for encoding in encodings)
    ids = np.full((len(encodings), longest), PAD_ID, dtype=np.int64)
    mask = np.zeros((len(encodings), longest), dtype=np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    (hidden,) = session.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": mask})
    vectors: Vectors = hidden
    return vectors


def _count_processors() -> int:
    """Count the CPUs that this process may use, which in a container are fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def import_onnxruntime() -> ModuleType:
    """Import and return the package (a quarter of a second); raises ImportError if it is missing.

    Its builds store a device id in the home folder and send telemetry, unless this variable is set before the library
    is loaded.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return import_module("onnxruntime")
