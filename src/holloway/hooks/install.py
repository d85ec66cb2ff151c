"""Putting holloway's hooks into an agent's own configuration, and taking exactly them out again."""

from __future__ import annotations

import base64
import difflib
import hashlib
import importlib.util
import json
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holloway.config import RULE_FILE_BYTES_MAX, replace_file
from holloway.errors import HollowayError, InvalidInput

MARK = "holloway.hooks.entry"
"""What every entry of ours has in it, and nobody else's."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one agent wants its hooks written: the file by scope, and the events with their time limits in seconds."""

    agent: str
    label: str
    user_file: str
    project_file: str
    events: dict[str, int]


CLAUDE_CODE = Dialect(
    agent="claude-code",
    label="Claude Code",
    user_file="settings.json",
    project_file=".claude/settings.local.json",
    events={
        "SessionStart": 10,
        "UserPromptSubmit": 5,
        "PostToolUse": 5,
        "PostToolUseFailure": 5,
        "PreCompact": 5,
        "PostCompact": 5,
        "SubagentStop": 5,
        "Stop": 5,
        "SessionEnd": 2,
    },
)
DIALECTS = {dialect.agent: dialect for dialect in (CLAUDE_CODE,)}


@dataclass(frozen=True, slots=True)
class Change:
    """What would happen to a configuration file."""

    path: Path
    before: bytes | None
    after: bytes | None

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.before != self.after

    def events(self) -> list[str]:
        """The events whose hooks come or go."""
        return list(_ours(self))

    def entry(self) -> dict[str, Any]:
        """The hook entry that comes or goes; it is the same for every event but for its time limit."""
        return next(iter(_ours(self).values()))

    def diff(self) -> str:
        """The change as a person reads it."""
        old = (self.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        new = (self.after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        return "".join(difflib.unified_diff(old, new, str(self.path), str(self.path), n=1))


def _ours(change: Change) -> dict[str, dict[str, Any]]:
    data = change.after if change.after is not None and MARK.encode() in change.after else change.before
    hooks = _parsed(change.path, data).get("hooks", {})
    return {
        event: one
        for event, entries in hooks.items()
        for entry in entries
        for one in entry.get("hooks", [])
        if MARK in json.dumps(one)
    }


def dialect(agent: str) -> Dialect:
    """The dialect of an agent."""
    if agent in DIALECTS:
        return DIALECTS[agent]
    raise InvalidInput(f"holloway does not know the agent {agent!r}.", f"Known: {', '.join(DIALECTS)}.")


def config_file(chosen: Dialect, scope: str, root: Path) -> Path:
    """The file that holds the hooks; a project's file is the local one, because it names paths of this machine."""
    if scope == "project":
        return root / chosen.project_file
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    return (Path(folder).expanduser() if folder else Path.home() / ".claude") / chosen.user_file


def handler(chosen: Dialect, timeout_s: int) -> dict[str, Any]:
    """One hook entry: the real interpreter, without a shell, a shim or a search of the PATH.

    The program is given as text and not as a script's path, because Python exits with 2 when a script is missing,
    and 2 tells the agent to block. With holloway uninstalled this exits with 0 and says nothing.
    """
    package = Path(__file__).resolve().parents[2]
    code = (
        f"import sys\nsys.path.insert(0, {str(package)!r})\ntry:\n from {MARK} import main\n"
        "except Exception:\n sys.exit(0)\nmain()"
    )
    return {
        "type": "command",
        "command": _interpreter(),
        "args": [*_flags(package), "-c", code, chosen.agent],
        "timeout": timeout_s,
    }


def _interpreter() -> str:
    return os.path.abspath(sys.executable)  # noqa: PTH100  (a virtual environment's link must not be resolved)


def _flags(package: Path) -> list[str]:
    """Skip Python's site set-up where everything we need lies in one folder; it is a third of a hook's time."""
    found = importlib.util.find_spec("re2")
    beside = found is not None and found.origin is not None and Path(found.origin).resolve().is_relative_to(package)
    return ["-I", "-S"] if beside else ["-I"]


def plan(chosen: Dialect, path: Path, *, remove: bool, home: Path) -> Change:
    """The change that setup or removal would make; nothing is written."""
    before = _read(path)
    if remove:
        return Change(path, before, _without(path, before, home))
    settings = _parsed(path, before)
    _strip(settings)
    hooks = settings.setdefault("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(entries, list) for entries in hooks.values()):
        raise HollowayError(f'"hooks" in {path} has a form that holloway does not know.', "The file was left as it is.")
    for event, timeout_s in chosen.events.items():
        hooks.setdefault(event, []).append({"hooks": [handler(chosen, timeout_s)]})
    return Change(path, before, _written(settings, before))


def apply(change: Change, home: Path) -> None:
    """Write the change; the bytes that stood there are kept, so that removal can bring them back."""
    record = _record_file(change.path, home)
    target = Path(os.path.realpath(change.path))
    if change.after is None:
        target.unlink(missing_ok=True)
        record.unlink(missing_ok=True)
        return
    adds = MARK.encode() in change.after
    if adds:
        original = _original(change, home)
        kept = {
            "path": str(change.path),
            "before": None if original is None else base64.b64encode(original).decode(),
            "after": hashlib.sha256(change.after).hexdigest(),
        }
        record.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(str(record), json.dumps(kept, indent=1).encode())
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    replace_file(str(target), change.after)
    target.chmod(mode)
    if not adds:
        record.unlink(missing_ok=True)


def installed(path: Path) -> list[str]:
    """The events for which a file has holloway's hooks."""
    try:
        hooks = _parsed(path, _read(path)).get("hooks", {})
    except HollowayError:
        return []
    return [event for event, entries in hooks.items() if MARK in json.dumps(entries)] if isinstance(hooks, dict) else []


def verdict(chosen: Dialect, path: Path) -> tuple[str, str, str]:
    """Whether an installed set of hooks is complete and can run: verdict, what was seen, hint."""
    events = installed(path)
    wanted = json.dumps(handler(chosen, 0)["args"])
    before = _read(path)
    settings = _parsed(path, before)
    ours = _ours(Change(path, before, None)).values()
    again = f"`holloway setup {chosen.agent}` writes them anew."
    if settings.get("disableAllHooks"):
        return "warning", f"{path} switches all hooks off", "Remove disableAllHooks there."
    if missing := [one["command"] for one in ours if not Path(one["command"]).exists()]:
        return "failure", f"{path} names {missing[0]}, which is gone", again
    if len(events) < len(chosen.events) or any(json.dumps(one["args"]) != wanted for one in ours):
        return "warning", f"{path} has hooks of another installation", again
    return "ok", f"connected by {path}", ""


def _original(change: Change, home: Path) -> bytes | None:
    """What the file was before holloway came: when it is set up twice, the first state counts."""
    before = change.before
    if before is None or MARK.encode() not in before:
        return before
    return _remembered(change.path, before, home)[0]


def _without(path: Path, before: bytes | None, home: Path) -> bytes | None:
    """The file without our entries: the very bytes from before, if nobody else changed it since."""
    if before is None or MARK.encode() not in before:
        return before
    original, untouched = _remembered(path, before, home)
    if untouched:
        return original
    settings = _parsed(path, before)
    _strip(settings)
    return _written(settings, before)


def _remembered(path: Path, now: bytes, home: Path) -> tuple[bytes | None, bool]:
    try:
        kept = json.loads(_record_file(path, home).read_text("utf-8"))
        original = None if kept["before"] is None else base64.b64decode(kept["before"])
        return original, kept["after"] == hashlib.sha256(now).hexdigest()
    except (OSError, ValueError, KeyError, TypeError):
        return None, False


def _record_file(path: Path, home: Path) -> Path:
    return home / "installs" / (hashlib.sha256(str(path).encode()).hexdigest()[:16] + ".json")


def _strip(settings: dict[str, Any]) -> None:
    """Take our entries out, and what would be left empty by that."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, dict):
        return
    for event, entries in list(hooks.items()):
        if not isinstance(entries, list) or MARK not in json.dumps(entries):
            continue
        for entry in entries:
            if isinstance(entry, dict) and isinstance(entry.get("hooks"), list):
                entry["hooks"] = [one for one in entry["hooks"] if MARK not in json.dumps(one)]
        hooks[event] = [entry for entry in entries if not (isinstance(entry, dict) and entry.get("hooks") == [])]
        if not hooks[event]:
            del hooks[event]
    if not hooks:
        del settings["hooks"]


def _read(path: Path) -> bytes | None:
    try:
        if path.is_symlink() and not path.exists():
            raise HollowayError(f"{path} is a link that leads nowhere.", "Mend the link, then try again.")
        if not path.exists():
            return None
        if path.stat().st_size > RULE_FILE_BYTES_MAX:
            raise HollowayError(f"{path} is larger than a configuration should be.", "It was left as it is.")
        return path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error


def _parsed(path: Path, data: bytes | None) -> dict[str, Any]:
    if data is None or not data.strip():
        return {}
    try:
        settings = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise HollowayError(f"{path} is not valid JSON: {error}.", "Mend it; holloway left it as it is.") from None
    if not isinstance(settings, dict):
        raise HollowayError(f"{path} holds no settings object.", "Mend it; holloway left it as it is.")
    return settings


def _written(settings: dict[str, Any], before: bytes | None) -> bytes:
    """The settings in the file's own manner: its indentation, its end of line, its last newline."""
    text = (before or b"").decode("utf-8", "replace")
    indent = re.search(r"\n([ \t]+)\S", text)
    made = json.dumps(settings, indent=indent.group(1) if indent else 2, ensure_ascii=False)
    ending = "\n" if before is None or text.endswith("\n") else ""
    return ((made + ending).replace("\n", "\r\n") if "\r\n" in text else made + ending).encode()
