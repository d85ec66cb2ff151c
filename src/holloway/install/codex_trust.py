"""Whether Codex would run our hooks: it runs only those whose fingerprint the person has trusted."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from holloway.install.file_content import table

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.install.hooks_json import Hook

DEFAULT_TIMEOUT_S = 600
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop")
"""Events for which Codex has no use of a matcher and leaves it out of the fingerprint."""


def state_key(file: Path, hook: Hook) -> str:
    """The name under which Codex keeps what the person decided about a hook."""
    return f"{file}:{_event(hook)}:{hook.entry}:{hook.place}"


def fingerprint(settings: dict[str, Any], hook: Hook) -> str:
    """The hash that Codex takes of a hook: its event, its matcher and what it runs, in a fixed form."""
    said: dict[str, object] = {
        "event_name": _event(hook),
        "hooks": [{"async": False, "timeout": DEFAULT_TIMEOUT_S, **hook.value}],
    }
    matcher = table(settings["hooks"][hook.event][hook.entry]).get("matcher")
    if isinstance(matcher, str) and hook.event not in WITHOUT_MATCHER:
        said["matcher"] = matcher
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def trusted(config: dict[str, Any], settings: dict[str, Any], file: Path, hook: Hook) -> bool:
    """Whether the person has trusted a hook as it is, and has not switched it off."""
    state = table(table(table(config.get("hooks")).get("state")).get(state_key(file, hook)))
    return state.get("trusted_hash") == fingerprint(settings, hook) and state.get("enabled") is not False


def _event(hook: Hook) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", hook.event).lower()
