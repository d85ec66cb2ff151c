"""Sessions as agents and hooks leave them on disk, for tests of what learns from them."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from holloway.capture import claude_code
from holloway.capture import journal as hooks
from holloway.service.holloway import Holloway

REFUSED = "redis.exceptions.ConnectionError: Error 111 connecting to localhost:6379. Connection refused."
FILE = "src/shop/auth/tokens.py"
BEGAN = datetime(2026, 1, 4, 9, 0, tzinfo=UTC)


def variable(number: int) -> str:
    """What session number so-and-so found out."""
    return f"SHOP_{chr(65 + number // 26)}{chr(65 + number % 26)}_URL"


def deeds(number: int, root: Path) -> list[tuple[str, dict[str, object], str, bool]]:
    """A file is changed, a test fails for a reason of its own, a variable mends it: tool, arguments, answer, ok."""
    name = variable(number)
    refused = f"KeyError: '{name}' is not set"
    changed: dict[str, object] = {"file_path": str(root / FILE), "old_string": "return token", "new_string": "x"}
    return [
        ("Edit", changed, "done", True),
        ("Bash", {"command": "pytest -q"}, refused, False),
        ("Bash", {"command": f"{name}=fake:// pytest -q"}, "12 passed in 0.3s", True),
    ]


def transcript(root: Path, session: str, number: int = 0, *, of: Path | None = None) -> Path:
    """A session of Claude Code, on disk; `of` is one whose beginning it repeats."""
    rows = [json.loads(line) for line in of.read_text().splitlines()] if of else []
    at = BEGAN + timedelta(hours=number)
    for place, (kind, message) in enumerate(_messages(number, root)):
        rows.append(
            {
                "type": kind,
                "uuid": f"{session}-{place}",
                "timestamp": (at + timedelta(seconds=place)).isoformat(),
                "sessionId": session,
                "cwd": str(root),
                "gitBranch": "main",
                "isSidechain": False,
                "message": message,
            }
        )
    folder = Path.home() / ".claude" / "projects" / claude_code.encode_folder(str(root))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def _messages(number: int, root: Path) -> list[tuple[str, dict[str, object]]]:
    made: list[tuple[str, dict[str, object]]] = [("user", {"role": "user", "content": f"Fix the login, part {number}"})]
    for place, (tool, arguments, answer, ok) in enumerate(deeds(number, root)):
        call = {"type": "tool_use", "id": f"t{place}", "name": tool, "input": arguments}
        made.append(("assistant", {"role": "assistant", "id": f"m{place}", "content": [call]}))
        result = {"type": "tool_result", "tool_use_id": f"t{place}", "content": answer, "is_error": not ok}
        made.append(("user", {"role": "user", "content": [result]}))
    return made


def watched(
    memory: Holloway, session: str, number: int = 0, *, ended: bool = True, told: str = "", silent_s: float = 0.0
) -> Path:
    """The journal of a session; `told` names its transcript, `silent_s` is how long ago the last event was."""
    root, folder = memory.project.root, str(memory.project.journal_folder)
    events: list[dict[str, object]] = [
        {"hook_event_name": "SessionStart", "transcript_path": told or "/nowhere.jsonl"},
        {"hook_event_name": "UserPromptSubmit", "prompt": f"Fix the login, part {number}"},
    ]
    for place, (tool, arguments, answer, ok) in enumerate(deeds(number, root)):
        about = {"tool_name": tool, "tool_input": arguments, "tool_use_id": f"t{place}"}
        name = "PostToolUse" if ok else "PostToolUseFailure"
        events.append({"hook_event_name": name, **about, **({"tool_response": answer} if ok else {"error": answer})})
    events += [{"hook_event_name": "SessionEnd", "reason": "exit"}] if ended else []
    for second, event in enumerate(events):
        at = (BEGAN + timedelta(hours=number, seconds=second)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        whole = {"session_id": session, "cwd": str(root), **event}
        hooks.append_entry(folder, session, hooks.entry_of(whole, at, str(root), "claude-code"))
    path = Path(hooks.file_of(folder, session))
    last = memory.clock.now().timestamp() - silent_s
    os.utime(path, (last, last))
    return path
