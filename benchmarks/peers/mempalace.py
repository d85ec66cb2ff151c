"""MemPalace: a drawer for each turn, found by its search tool as an agent would call it."""

from __future__ import annotations

import os
from pathlib import Path


class Peer:
    """A separate palace."""

    def __init__(self, folder: Path, embeddings: str) -> None:
        os.environ["MEMPALACE_PALACE_PATH"] = str(folder / "palace")
        os.environ["MEMPALACE_EMBEDDING_MODEL"] = "openai-compat"
        os.environ["MEMPALACE_EMBEDDING_API_URL"] = embeddings
        os.environ["MEMPALACE_EMBEDDING_API_MODEL"] = "granite"
        from mempalace import mcp_server  # type: ignore[import-not-found]  # the settings above are read on import

        self._tools = mcp_server
        self._turns: dict[str, list[str]] = {}

    def ingest(self, turns: list[tuple[str, str, str]]) -> None:
        """File the turns, a room for each session."""
        for turn, session, text in turns:
            answer = self._tools.tool_add_drawer(wing="dialogue", room=session, content=text)
            if not answer.get("success"):
                raise RuntimeError(str(answer))
            self._turns.setdefault(answer["drawer_id"], []).append(turn)

    def ask(self, question: str, limit: int) -> list[str]:
        """Search with the default strategy."""
        answer = self._tools.tool_search(question, limit=limit)
        if "error" in answer:
            raise RuntimeError(str(answer["error"]))
        return [turn for hit in answer["results"] for turn in self._turns.get(hit["drawer_id"], [])]
