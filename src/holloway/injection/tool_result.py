"""Injection with a tool result: the fix of its error, gotchas of its command and files, a search's answer. Light."""

from __future__ import annotations

from holloway.config import TOOL_RESULT_MEMORIES_MAX, TOOL_RESULT_TOKENS_MAX
from holloway.injection.work_phase import infer_from_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.capture.event_subject import Subject
    from holloway.injection.reader import Reader, StoreView

TOOL_RESULT_POINT = "tool_result"


def inject(reader: Reader, subject: Subject) -> str:
    """Return the text that goes with a tool result about this subject, and record it; usually empty."""
    view = reader.open() if subject else None
    if view is None:
        return ""
    with view:
        view.phase = view.phase or infer_from_subject(subject)
        rows = _find_memories(view, subject)
        if not rows:
            return ""
        from holloway.injection.memory_text import show_rows  # most results have no memories

        return show_rows(view, rows, TOOL_RESULT_POINT, TOOL_RESULT_TOKENS_MAX)


def _find_memories(view: StoreView, subject: Subject) -> list[dict[str, object]]:
    """Find fixes, memories that name the error, those of a failed command, and gotchas of files; else an answer."""
    from holloway.injection import known_facts  # loads sqlite3, like the store

    limit = TOOL_RESULT_MEMORIES_MAX
    rows = []
    if subject.failure:
        rows += known_facts.find_fixes(view, subject.failure, limit)
        rows += known_facts.find_about_errors(view, subject.failure, limit)
    if subject.command:
        rows += known_facts.find_for_command(view, subject.command, limit)
    if subject.files:
        rows += known_facts.find_for_files(view, subject.files, limit)
    if subject.pattern and not rows:
        rows = known_facts.find_answers(view, subject.pattern, 1)
    return list({str(row["id"]): row for row in rows}.values())[:limit]
