"""The words of a tool's answer, whatever its host wraps them in. Light."""

from __future__ import annotations

_NAMES = ("stdout", "stderr", "content", "result", "output", "text", "llmContent", "text_result_for_llm")
_DEPTH_MAX = 3
_PARTS_MAX = 100


def words(answer: object, depth: int = 0) -> str:
    """All that a tool said; empty for an answer without words."""
    if isinstance(answer, str):
        return answer
    if depth == _DEPTH_MAX:
        return ""
    if isinstance(answer, list):
        return "\n".join(filter(None, (words(each, depth + 1) for each in answer[:_PARTS_MAX])))
    if isinstance(answer, dict):
        return "\n".join(filter(None, (words(answer.get(name), depth + 1) for name in _NAMES)))
    return ""
