"""Session checkpoint: serializes a scratchpad to JSON with secrets redacted, and restores an interrupted session."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from typing import Any

from holloway.domain.event import PlanItem, Started, ToolKind
from holloway.domain.session import Outcome, SessionType
from holloway.domain.work import Phase, WorkUnit
from holloway.errors import HollowayError
from holloway.observer.scratchpad import Action, Note, Scratchpad, Subtask
from holloway.safety import secrets

VERSION = 1


def dump(pad: Scratchpad) -> bytes:
    """Serialize a scratchpad to JSON bytes; secrets in its texts are redacted before they reach a disk."""
    values = {entry.name: getattr(pad, entry.name) for entry in fields(pad) if not entry.name.startswith("_")}
    values["start"] = replace(pad.start, task=_safe(pad.start.task)) if pad.start else None
    values["plan"] = [replace(item, text=_safe(item.text)) for item in pad.plan]
    values["subtasks"] = [replace(subtask, name=_safe(subtask.name)) for subtask in pad.subtasks]
    values["qa_findings"] = [_safe(finding) for finding in pad.qa_findings]
    values["notes"] = [replace(note, text=_safe(note.text)) for note in pad.notes]
    values["actions"] = [_without_secrets(action) for action in pad.actions]
    return json.dumps({"version": VERSION, **values}, default=asdict, separators=(",", ":")).encode()


def load(data: bytes) -> Scratchpad:
    """Restore a scratchpad from bytes; raises HollowayError if the checkpoint is damaged or of another version."""
    try:
        values = json.loads(data)
        if values.pop("version") != VERSION:
            raise ValueError("another version")
        return _built(values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"The checkpoint cannot be read ({error})."
        raise HollowayError(message, "The session goes on from what its journal holds.") from error


def _without_secrets(action: Action) -> Action:
    return replace(
        action,
        text=_safe(action.text),
        command=_safe(action.command),
        url=_safe(action.url),
        pattern=_safe(action.pattern),
        added=tuple(map(_safe, action.added)),
        removed=tuple(map(_safe, action.removed)),
        applied=tuple(map(_safe, action.applied)),
    )


def _safe(text: str) -> str:
    return secrets.redact(text)[0] if text else text


def _built(values: dict[str, Any]) -> Scratchpad:
    values["start"] = _start(values["start"]) if values["start"] else None
    values["actions"] = [_action(row) for row in values["actions"]]
    values["notes"] = [Note(**{**row, "files": tuple(row["files"])}) for row in values["notes"]]
    values["subtasks"] = [Subtask(**row) for row in values["subtasks"]]
    values["plan"] = tuple(PlanItem(**row) for row in values["plan"])
    values["outcome"] = Outcome(values["outcome"]) if values["outcome"] else None
    for name in ("qa_findings", "qa_verdicts", "evicted"):
        values[name] = tuple(values.get(name, ()))
    pad = Scratchpad(**values)
    pad._calls = {action.call: action for action in pad.actions if action.call}
    return pad


def _start(values: dict[str, Any]) -> Started:
    unit = values["work_unit"]
    return Started(
        **{
            **values,
            "type": SessionType(values["type"]) if values["type"] else None,
            "phase": Phase(values["phase"]) if values["phase"] else None,
            "work_unit": WorkUnit(unit["methodology"], tuple(unit["path"]), unit["label"]) if unit else None,
        }
    )


def _action(values: dict[str, Any]) -> Action:
    lists = {name: tuple(values.get(name, ())) for name in ("removed", "added", "applied", "files")}
    return Action(**{**values, **lists, "kind": ToolKind(values["kind"])})
