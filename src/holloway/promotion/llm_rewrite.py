"""LLM rewrite: a language model rewrites the text of all candidates of a session in one call; fallback: templates."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from holloway.config import LLM_ANSWER_CHARS_MAX, WORDING_ANSWER_TOKENS, WORDING_DEADLINE_S
from holloway.domain import memory_json
from holloway.errors import HollowayError
from holloway.llm.metered_client import render_prompt
from holloway.observer.signals.statements import extract_code_names
from holloway.promotion.memory_text import MEMORY_SENTENCE_CHARS_MAX
from holloway.safety.neutralize import neutralize_text
from holloway.safety.prompt_injection import find_injection
from holloway.text.sanitize import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holloway.domain.memory import Draft
    from holloway.domain.ports import Writer
    from holloway.promotion.candidate import Candidate

REWRITE_SYSTEM_PROMPT = "You write short, exact notes for developers from findings about their codebase."
FINDINGS_MAX = 20
SENTENCE_CHARS_MIN = 20

_PATH = re.compile(r"[\w@.-]+(?:/[\w@.-]+)+|\b[\w-]+\.[A-Za-z]{1,5}\b")


def rewrite_candidates(writer: Writer, project: str, candidates: Sequence[Candidate]) -> str:
    """Rewrite the text of candidates where the model keeps to the evidence; returns an error message, or empty.

    Tainted candidates are not sent: a person reviews their original text. Duplicates of a stored memory are not sent
    either: the memory keeps its text.
    """
    by_number = {
        candidate.number: candidate
        for candidate in candidates
        if candidate.draft and not candidate.signal.taint and not candidate.duplicate_of
    }
    by_number = dict(list(by_number.items())[:FINDINGS_MAX])
    if not by_number:
        return ""
    findings = "\n".join(
        f"{number}. {_render_finding(candidate.draft)}" for number, candidate in by_number.items() if candidate.draft
    )
    text = render_prompt("wording", project=neutralize_text(project), findings=findings)
    try:
        completion = writer.complete(
            text, system=REWRITE_SYSTEM_PROMPT, max_tokens=WORDING_ANSWER_TOKENS, deadline_s=WORDING_DEADLINE_S
        )
    except HollowayError as error:
        return error.message
    for number, sentence in parse_sentences(completion.text).items():
        candidate = by_number.get(number)
        if candidate is not None and candidate.draft is not None and is_supported(sentence, candidate.draft):
            candidate.draft = replace(candidate.draft, content=sentence)
    return ""


def parse_sentences(answer: str) -> dict[int, str]:
    """Parse the sentences in a model's answer by number; a malformed item is skipped."""
    sentences: dict[int, str] = {}
    for item in parse_json_list(answer):
        if isinstance(item, dict) and isinstance(item.get("number"), int) and isinstance(item.get("sentence"), str):
            sentences[item["number"]] = one_line(item["sentence"], LLM_ANSWER_CHARS_MAX)
    return sentences


def parse_json_list(answer: str) -> list[object]:
    """Parse the JSON list in a model's answer, ignoring text around it; empty if it is invalid."""
    start, end = answer.find("["), answer.rfind("]") + 1
    try:
        items: object = json.loads(answer[start:end]) if 0 <= start < end else []
    except (ValueError, RecursionError):
        return []
    return items if isinstance(items, list) else []


def is_supported(sentence: str, draft: Draft) -> bool:
    """Whether a sentence keeps to the evidence of a draft."""
    return is_grounded(sentence, (draft.content, *draft.files, *memory_json.details_texts(draft.details)))


def is_grounded(sentence: str, evidence: Iterable[str]) -> bool:
    """Whether a sentence names no file, command or identifier that the evidence does not contain.

    A sentence that is too long is rejected, not truncated: truncation could change its meaning.
    """
    if not SENTENCE_CHARS_MIN <= len(sentence) <= MEMORY_SENTENCE_CHARS_MAX:
        return False
    evidence_text = " ".join(evidence).casefold()
    named = {name.casefold() for name in (*extract_code_names(sentence), *_PATH.findall(sentence))}
    return all(name in evidence_text for name in named) and not find_injection(sentence)


def _render_finding(draft: Draft) -> str:
    facts = "; ".join(memory_json.details_texts(draft.details)) if draft.details else ""
    files = f" (files: {', '.join(draft.files)})" if draft.files else ""
    return neutralize_text(f"{draft.type.label}: {draft.content}{files}" + (f" [{facts}]" if facts else ""))
