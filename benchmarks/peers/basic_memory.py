"""basic-memory: a Markdown note for each turn, indexed by its own command, found by its search tool."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

PROJECT = "dialogue"


class Peer:
    """A separate project, hybrid search with vectors from the endpoint."""

    def __init__(self, folder: Path, embeddings: str) -> None:
        os.environ |= {
            "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
            "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "true",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": "granite",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": "384",
            "OPENAI_BASE_URL": embeddings,
        }
        self._notes = folder / "notes"
        self._notes.mkdir()
        self._turns: dict[str, str] = {}
        self._loop = asyncio.new_event_loop()
        self._command("project", "add", PROJECT, str(self._notes), "--default")

    def ingest(self, turns: list[tuple[str, str, str]]) -> None:
        """Write the notes and have them indexed and embedded."""
        for turn, _session, text in turns:
            name = turn.replace(":", "-").lower()
            self._turns[f"{name}.md"] = turn
            (self._notes / f"{name}.md").write_text(
                f"---\ntitle: {name}\ntype: note\n---\n\n{text}\n", encoding="utf-8"
            )
        self._command("reindex", "--project", PROJECT)

    def ask(self, question: str, limit: int) -> list[str]:
        """Search whole notes in the default mode, which is hybrid."""
        from basic_memory.mcp.tools import search_notes  # type: ignore[import-not-found]  # settings come first

        answer = self._loop.run_until_complete(
            search_notes(
                query=question, project=PROJECT, page_size=limit, entity_types=["entity"], output_format="json"
            )
        )
        if not isinstance(answer, dict):
            raise RuntimeError(str(answer))
        file_names = [Path(hit["file_path"]).name for hit in answer["results"]]
        return [self._turns[name] for name in file_names if name in self._turns]

    def _command(self, *words: str) -> None:
        subprocess.run([str(Path(sys.executable).with_name("basic-memory")), *words], check=True)
