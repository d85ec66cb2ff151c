"""mem0: turns added as they are (no LLM), found by vectors and BM25 together in a local Qdrant."""

from __future__ import annotations

import os
from pathlib import Path

DIMS = 384
LANGUAGES = (
    "arabic danish dutch english finnish french german greek hungarian italian norwegian portuguese romanian russian "
    "spanish swedish turkish"
).split()
REVISION = "0" * 40


class Peer:
    """A separate collection."""

    def __init__(self, folder: Path, embeddings: str) -> None:
        os.environ["MEM0_DIR"] = str(folder / "mem0")
        os.environ["FASTEMBED_CACHE_PATH"] = str(_stop_words(folder / "fastembed"))
        from mem0 import Memory  # type: ignore[import-not-found]  # the settings above are read on import

        openai = {"model": "granite", "openai_base_url": embeddings, "api_key": "local"}
        self._memory = Memory.from_config(
            {
                "embedder": {"provider": "openai", "config": openai | {"embedding_dims": DIMS}},
                "llm": {"provider": "openai", "config": openai},
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": DIMS, "on_disk": True},
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        if self._memory.vector_store.keyword_search("is BM25 there", filters={"user_id": "dialogue"}) is None:
            raise RuntimeError("mem0 runs without its BM25")

    def ingest(self, turns: list[tuple[str, str, str]]) -> None:
        """Add the turns without inference."""
        for turn, _session, text in turns:
            self._memory.add(text, user_id="dialogue", infer=False, metadata={"turn": turn})

    def ask(self, question: str, limit: int) -> list[str]:
        """Search as it is set up by default."""
        answer = self._memory.search(question, filters={"user_id": "dialogue"}, top_k=limit)
        return [hit["metadata"]["turn"] for hit in answer["results"]]


def _stop_words(cache: Path) -> Path:
    """BM25's stop words as if fastembed had fetched them: spaCy's English list, and nothing for other languages."""
    from spacy.lang.en.stop_words import STOP_WORDS  # type: ignore[import-not-found]  # only in mem0's environment

    repository = cache / "models--Qdrant--bm25"
    snapshot = repository / "snapshots" / REVISION
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(REVISION)
    (snapshot / "config.json").write_text("{}")
    for language in LANGUAGES:
        (snapshot / f"{language}.txt").write_text("\n".join(sorted(STOP_WORDS)) if language == "english" else "")
    return cache
