"""User edit signals: lines that the user changed in the agent's edit before it was applied."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holloway.config import SCRATCHPAD_LINES_MAX
from holloway.domain.memory import MemoryType
from holloway.observer.signals.signal import Signal, SignalName
from holloway.safety import secrets
from holloway.text.edit_lines import differing_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.activity import SessionActivity
    from holloway.observer.scratchpad import Action

USER_EDITS_MAX = 20
EDIT_SHOWN_CHARS_MAX = 160
"""Limit for both versions of a line together; for longer lines only the difference is shown."""

_WORDS = re.compile(r"\w+")


def detect_user_edits(activity: SessionActivity) -> Iterator[Signal]:
    """Detect edits in which the user changed exactly one line of the agent; several lines give no clear lesson."""
    count = 0
    for entry in activity.successful_edits:
        pair = _find_changed_line(entry.action)
        if pair is None or count >= USER_EDITS_MAX:
            continue
        count += 1
        before, after = (form.replace("`", "'") for form in differing_parts(*pair, EDIT_SHOWN_CHARS_MAX))
        sentence = f"In `{entry.path}` the user made `{after}` of the agent's `{before}`"
        old, new = differing_parts(*pair, 0)
        files = (entry.path,) if entry.path else ()
        yield Signal(
            SignalName.USER_CORRECTION,
            f"{old} -> {new}",
            entry.step,
            files,
            {"said": sentence, "agents_line": pair[0]},
            pair,
            type=MemoryType.PREFERENCE,
        )


def _find_changed_line(action: Action) -> tuple[str, str] | None:
    """Return the single line that the user changed, before and after; None if only punctuation differs."""
    if not action.changed_by_user or not _is_complete(action):
        return None
    applied_lines = [line for line in action.applied if line in action.added or line not in action.removed]
    changed_pairs = [pair for pair in zip(action.added, applied_lines, strict=False) if pair[0] != pair[1]]
    if len(applied_lines) != len(action.added) or len(changed_pairs) != 1:
        return None
    old, new = changed_pairs[0]
    if old in applied_lines or new in action.added:
        return None
    # Redact before truncating: a secret is recognised by its surrounding text.
    old, new = secrets.redact_secrets(old)[0], secrets.redact_secrets(new)[0]
    if _WORDS.findall(old) == _WORDS.findall(new):
        return None
    return (
        (old, new) if sum(map(len, differing_parts(old, new, EDIT_SHOWN_CHARS_MAX))) <= EDIT_SHOWN_CHARS_MAX else None
    )


def _is_complete(action: Action) -> bool:
    """Whether no line was truncated: past the limit an added line would push another one out."""
    return 0 < len(action.applied) < SCRATCHPAD_LINES_MAX and len(action.added) < SCRATCHPAD_LINES_MAX
