"""Ask: the evidence for a question from memories and map, and where a language model is configured, an answer to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holloway.config import ASK_ANSWER_TOKENS, ASK_DEADLINE_S, ASK_EVIDENCE_TOKENS
from holloway.domain.work import Phase
from holloway.errors import HollowayError
from holloway.llm.metered_client import meter_writer, render_prompt
from holloway.llm.providers import choose_writer
from holloway.retrieval.pack import pack_memories
from holloway.safety.neutralize import neutralize_text

if TYPE_CHECKING:
    from holloway.domain.memory import Memory
    from holloway.domain.ports import Writer
    from holloway.retrieval.locate import LocateResult
    from holloway.retrieval.recall import RecallResult
    from holloway.service.holloway import Holloway

ASK_MEMORIES_MAX = 12
ASK_FILES_MAX = 6
ASK_SYSTEM_PROMPT = "You answer questions about a codebase from notes that its developers and their tools have kept."

_CITED = re.compile(r"\[hw:([0-9a-f]{4,32})[^\]]{0,40}\]")


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """The evidence for a question, best first, and the answer with the ids that it cites if a model wrote one."""

    results: tuple[RecallResult, ...]
    located: LocateResult
    text: str = ""
    cited: tuple[str, ...] = ()
    model: str = ""
    note: str = ""
    """The reason why there is no written answer."""


def ask(memory: Holloway, question: str, *, writer: Writer | None = None) -> AskAnswer:
    """Answer a question with citations; without a language model, the ranked evidence is the answer."""
    results = tuple(memory.recall(question, limit=ASK_MEMORIES_MAX))
    located = memory.map.locate(question, limit=ASK_FILES_MAX)
    chosen = choose_writer(memory.settings)
    writer = writer or chosen.writer
    if writer is None:
        return AskAnswer(results, located, note=chosen.reason)
    model = meter_writer(memory.store, memory.settings, writer, "ask")
    evidence, evidence_ids = _render_evidence(memory, results, located)
    text = render_prompt("ask", project=memory.project.name, question=neutralize_text(question), evidence=evidence)
    try:
        completion = model.complete(
            text, system=ASK_SYSTEM_PROMPT, max_tokens=ASK_ANSWER_TOKENS, deadline_s=ASK_DEADLINE_S
        )
    except HollowayError as error:
        return AskAnswer(results, located, note=error.message)
    return AskAnswer(results, located, *_check_citations(completion.text, evidence_ids), model=model.model)


def _render_evidence(
    memory: Holloway, results: tuple[RecallResult, ...], located: LocateResult
) -> tuple[str, set[str]]:
    """Return the evidence as text, and the ids of the memories in it."""
    store = memory.store.memories

    def find(other: str) -> Memory | None:
        needed = store.get_memory(other) if store.has_memory(other) else None
        return needed if needed and needed.branch_only in ("", memory.branch) else None

    memories = [result.memory for result in results]
    packed = pack_memories(memories, Phase.EXPLORE, budget=ASK_EVIDENCE_TOKENS, find=find)
    files = "\n".join(
        f"- {neutralize_text(file.path)}: {neutralize_text('; '.join(file.reasons))}" for file in located.files
    )
    text = f"{packed.text or '- no memories'}\n\nFiles that speak of it:\n{files or '- none'}"
    return text, set(packed.memories)


def _check_citations(text: str, known: set[str]) -> tuple[str, tuple[str, ...]]:
    """Return the answer without citations of memories outside the evidence, and the ids that it cites."""
    cited: dict[str, None] = {}

    def check(match: re.Match[str]) -> str:
        if match[1] not in known:
            return ""
        cited[match[1]] = None
        return f"[hw:{match[1]}]"

    return _CITED.sub(check, text).strip(), tuple(cited)
