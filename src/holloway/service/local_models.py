"""Embedding models of an Ollama that runs on this machine, for the offer of `init`. No connection is opened."""

from __future__ import annotations

import shutil
import subprocess

OLLAMA_DEADLINE_S = 3.0
LISTED_BYTES_MAX = 64 * 1024
EMBEDDING_MODELS = (
    "embeddinggemma",
    "qwen3-embedding",
    "nomic-embed",
    "mxbai-embed",
    "bge-m3",
    "snowflake-arctic-embed",
)
"""Beginnings of the names of Ollama's models that make vectors, the best for code and prose first."""


def find_embedding_model() -> str:
    """Return the best embedding model of the Ollama that runs here; empty if none runs or it has no such model.

    Ollama's own program is asked, which answers only while its server runs.
    """
    program = shutil.which("ollama")
    if not program:
        return ""
    try:
        listed = subprocess.run([program, "list"], capture_output=True, timeout=OLLAMA_DEADLINE_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    rows = listed.stdout[:LISTED_BYTES_MAX].decode("utf-8", "replace").splitlines()[1:]
    names = [row.split()[0] for row in rows if row.strip()]
    return next((name for model in EMBEDDING_MODELS for name in names if name.startswith(model)), "")
