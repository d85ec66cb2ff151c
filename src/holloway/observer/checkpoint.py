"""Session checkpoint: serializes a scratchpad to JSON with secrets redacted, and restores an interrupted session."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from holloway.domain.codec import decode, encode
from holloway.errors import HollowayError
from holloway.observer.scratchpad import Scratchpad
from holloway.safety import secrets

if TYPE_CHECKING:
    from holloway.observer.scratchpad import Action, Note

CHECKPOINT_VERSION = 1
REQUIRED = ("start", "actions", "notes", "subtasks", "plan", "outcome")
"""Fields that every checkpoint has had; later ones may be missing in an older one."""


def dump_scratchpad(pad: Scratchpad) -> bytes:
    """Serialize a scratchpad to JSON bytes; secrets in its texts are redacted before they reach a disk."""
    names = [entry.name for entry in fields(pad) if not entry.name.startswith("_")]
    names.insert(names.index("actions") + 1, "notes")
    values = {name: getattr(pad, name) for name in names}
    values["start"] = pad.start and replace(
        pad.start, task=_redact_secrets(pad.start.task), branch=secrets.redact_path(pad.start.branch)
    )
    values["plan"] = [replace(item, text=_redact_secrets(item.text)) for item in pad.plan]
    values["subtasks"] = [replace(subtask, name=_redact_secrets(subtask.name)) for subtask in pad.subtasks]
    values["qa_findings"] = [_redact_secrets(finding) for finding in pad.qa_findings]
    values["notes"] = [_encode_note(note) for note in pad.notes]
    values["actions"] = [_encode_action(action) for action in pad.actions]
    return json.dumps({"version": CHECKPOINT_VERSION, **values}, default=encode, separators=(",", ":")).encode()


def load_scratchpad(data: bytes) -> Scratchpad:
    """Restore a scratchpad from bytes; raises HollowayError if the checkpoint is damaged or of another version."""
    try:
        values = json.loads(data)
        if values.pop("version") != CHECKPOINT_VERSION:
            raise ValueError("another version")
        if missing := [name for name in REQUIRED if name not in values]:
            raise ValueError(f"no {', '.join(missing)}")
        values["_notes"] = values.pop("notes")
        pad = decode(Scratchpad, values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        message = f"The checkpoint cannot be read ({error})."
        raise HollowayError(message, "The session goes on from what its journal holds.") from error
    pad._calls = {action.call: action for action in pad.actions if action.call}
    return pad


def _encode_note(note: Note) -> dict[str, Any]:
    """Encode a note with its texts redacted; details and tags are written if it has any."""
    redacted = replace(
        note,
        text=_redact_secrets(note.text),
        files=tuple(map(secrets.redact_path, note.files)),
        details=_redact_secrets(note.details),
        tags=tuple(map(_redact_secrets, note.tags)),
    )
    left_out = {name for name in ("details", "tags") if not getattr(redacted, name)}
    return {name: value for name, value in encode(redacted).items() if name not in left_out}


def _encode_action(action: Action) -> dict[str, Any]:
    """Encode an action with its texts redacted; of a long result only the beginning, the end and a sketch are saved."""
    action.drop_whole_text()
    redacted = replace(
        action,
        text=_redact_secrets(action.text),
        path=secrets.redact_path(action.path),
        files=tuple(map(secrets.redact_path, action.files)),
        command=_redact_secrets(action.command),
        url=_redact_secrets(action.url),
        pattern=_redact_secrets(action.pattern),
        added=tuple(map(_redact_secrets, action.added)),
        removed=tuple(map(_redact_secrets, action.removed)),
        applied=tuple(map(_redact_secrets, action.applied)),
    )
    left_out = {"whole"} if action.digests else {"whole", "digests"}
    return {name: value for name, value in encode(redacted).items() if name not in left_out}


def _redact_secrets(text: str) -> str:
    return secrets.redact_secrets(text)[0] if text else text
