"""Check whether Codex will run our hooks: it runs only hooks whose fingerprint the user has trusted."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from holloway.install.file_content import as_table

if TYPE_CHECKING:
    from pathlib import Path

    from holloway.install.hooks_json import InstalledHook

DEFAULT_TIMEOUT_S = 600
WITHOUT_MATCHER = ("UserPromptSubmit", "Stop")
"""Events without a matcher: Codex leaves it out of the fingerprint."""


def state_key(file: Path, hook: InstalledHook) -> str:
    """Return the key under which Codex stores the user's trust decision for a hook."""
    return f"{file}:{_event_name(hook)}:{hook.entry}:{hook.place}"


def compute_fingerprint(settings: dict[str, Any], hook: InstalledHook) -> str:
    """Compute the hash that Codex uses for a hook: its event, matcher and command in canonical JSON."""
    identity: dict[str, object] = {
        "event_name": _event_name(hook),
        "hooks": [{"async": False, "timeout": DEFAULT_TIMEOUT_S, **hook.value}],
    }
    matcher = as_table(settings["hooks"][hook.event][hook.entry]).get("matcher")
    if isinstance(matcher, str) and hook.event not in WITHOUT_MATCHER:
        identity["matcher"] = matcher
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_trusted(config: dict[str, Any], settings: dict[str, Any], file: Path, hook: InstalledHook) -> bool:
    """Return whether the user has trusted this version of a hook and has not disabled it."""
    state = as_table(as_table(as_table(config.get("hooks")).get("state")).get(state_key(file, hook)))
    return state.get("trusted_hash") == compute_fingerprint(settings, hook) and state.get("enabled") is not False


def _event_name(hook: InstalledHook) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", hook.event).lower()
