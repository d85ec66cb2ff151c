"""The phase of work that an event of an agent shows: the memories that it needs most come first. Light."""

from __future__ import annotations

from holloway.text.tools import EDIT, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holloway.capture.event_subject import Subject

IMPLEMENT, EXPLORE, REFINE = "implement", "explore", "refine"


def infer_from_subject(subject: Subject) -> str:
    """Return the phase that a tool result shows: a failure refines, an edit implements; else empty."""
    if subject.failure:
        return REFINE
    return IMPLEMENT if subject.kind in (EDIT, WRITE) else ""


def infer_from_step(*, has_edits: bool, has_commands: bool) -> str:
    """Return the phase that a step shows: an edit implements, reading and searching alone explore; else empty."""
    if has_edits:
        return IMPLEMENT
    return "" if has_commands else EXPLORE
