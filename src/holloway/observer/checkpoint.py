"""A scratchpad as bytes without secrets, and back: a session that was cut short goes on as if it had not been."""

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
    """All that a scratchpad knows; secrets in its texts are cut out before they reach a disk."""
    values = {entry.name: getattr(pad, entry.name) for entry in fields(pad) if not entry.name.startswith("_")}
    values["start"] = replace(pad.start, task=_safe(pad.start.task)) if pad.start else None
    values["plan"] = [replace(item, text=_safe(item.text)) for item in pad.plan]
    values["subtasks"] = [replace(each, name=_safe(each.name)) for each in pad.subtasks]
    values["qa_findings"] = [_safe(said) for said in pad.qa_findings]
    values["notes"] = [replace(note, text=_safe(note.text)) for note in pad.notes]
    values["actions"] = [_without_secrets(action) for action in pad.actions]
    return json.dumps({"version": VERSION, **values}, default=asdict, separators=(",", ":")).encode()


def load(data: bytes) -> Scratchpad:
    """The scratchpad behind these bytes; a checkpoint of another version or a damaged one is an error."""
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
    values["actions"] = [_action(each) for each in values["actions"]]
    values["notes"] = [Note(**{**each, "files": tuple(each["files"])}) for each in values["notes"]]
    values["subtasks"] = [Subtask(**each) for each in values["subtasks"]]
    values["plan"] = tuple(PlanItem(**each) for each in values["plan"])
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
