"""The journal of a session: an append-only log with one bounded line per event, kept until it was learned from. Light.

The entries suffice to understand a session without the host's transcript: the prompts, each tool call with its target
and its outcome, the beginning and the end of the output of a command, a search or a site, and digests of the lines that
an edit changed. The contents of files are not kept.
"""

from __future__ import annotations

import os

from holloway import fast_json, git
from holloway.capture.event_subject import extract_text
from holloway.capture.hosts import MILESTONES, READABLE_HOSTS
from holloway.capture.journal_fields import MESSAGES, SESSION, TARGET_ARGUMENTS, TASK, TOOL_USE
from holloway.config import (
    DETAIL_ITEMS_MAX,
    JOURNAL_FILE_BYTES_MAX,
    JOURNAL_TEXT_CHARS_MAX,
    MEMORY_FILES_MAX,
    MEMORY_TAGS_MAX,
    PATH_CHARS_MAX,
    SCRATCHPAD_LINES_MAX,
    SCRATCHPAD_RESULT_CHARS_MAX,
    TAG_CHARS_MAX,
)
from holloway.safety import secrets
from holloway.safety.paths import contained_path, safe_name
from holloway.text import tools
from holloway.text.agent_note import find_note
from holloway.text.tools import is_record
from holloway.text.truncation import cut_end, cut_start

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)

FILES_KEPT_MAX = 50
DIGESTS_KEPT_MAX = 1_000
NAME_DIGESTS_KEPT_MAX = 100
FILE_NAME_CHARS_MAX = 300
"""Longest name of a file that a search found and that is kept."""
PLAN_ITEMS_MAX = 50
PLAN_ITEM_CHARS_MAX = 200
ANSWER_CHARS_MAX = 200_000
"""Maximum length of an output that is examined; hosts truncate theirs well below it."""
MARGIN_CHARS = 200
"""Extra length searched for secrets beyond the part that is kept, so that no truncated secret remains."""
JOURNAL_DIGEST_BYTES = 4

TAIL_BYTES = 64 * 1024
"""Length of the journal's end that is searched for a duplicate event."""
LOOKED_BACK_BYTES = 1024 * 1024
SAME_EVENT_S = 2
"""Interval within which two equal events count as one event reported by two hosts."""

_EDITS = ("edits", *tools.OLD_TEXT.split(), *tools.NEW_TEXT.split())
_ANSWERING = (tools.SHELL, *tools.LOOKING, tools.WEB, tools.SUBAGENT, tools.MCP)
"""Kinds of tools whose output is kept in part; for the others only failures are kept."""
_PRINTING = frozenset(
    "cat head tail sed less more nl bat awk jq ls tree wc stat file pwd which echo mkdir cp mv rm touch chmod".split()
)
_PRINTING_GIT = frozenset("status diff log show add branch stash fetch checkout switch blame remote config".split())
"""Commands that print files, their history, or almost nothing: their output is kept only if they fail."""
_BLOCKS = ("PRIVATE KEY", "Private-Lines")
"""Signs of multi-line secrets: an output with one is redacted as a whole before it is truncated."""
_CUT = "\n\u2026\n"
_SAME = b'"same":"'


def append_entry(folder: str, session: str, entry: dict[str, object]) -> bool:
    """Append one event to the session's journal, unless the journal has reached its size limit.

    Returns whether the event is new: hosts read each other's configuration and may run the same hook twice. Each run
    writes its line first and then checks the lines before it, so that exactly one of two concurrent runs finds it new.
    A prompt without text is never new: Qwen Code reports one before each step.
    """
    if entry.get("event") == "UserPromptSubmit" and not entry.get("prompt"):
        return False
    if not os.path.isdir(folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    line = fast_json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    descriptor = os.open(file_of(folder, session), _APPEND, 0o600)
    try:
        if os.fstat(descriptor).st_size + len(line) > JOURNAL_FILE_BYTES_MAX:
            return True
        os.write(descriptor, line)
        end = os.lseek(descriptor, 0, os.SEEK_CUR)
        tail = os.pread(descriptor, TAIL_BYTES, max(0, end - TAIL_BYTES)) if hasattr(os, "pread") else line
    finally:
        os.close(descriptor)
    return not _told_before(tail, line)


def _told_before(tail: bytes, line: bytes) -> bool:
    """Return whether a line before this one, the last, records the same event at the same time."""
    at = line.find(_SAME)
    mark = line[at : at + len(_SAME) + 2 * JOURNAL_DIGEST_BYTES + 1]
    before = tail[: -len(line)].rfind(mark) if at > 0 else -1
    if before < 0:
        return False
    start = tail.rfind(b"\n", 0, before) + 1
    return abs(_time_of_day_s(line) - _time_of_day_s(tail[start:before])) <= SAME_EVENT_S


def _time_of_day_s(line: bytes) -> int:
    """Return the time of day of an entry in seconds; a large negative number if it has no time."""
    clock = line[len(b'{"at":"2026-01-01T') :][:8].split(b":")
    try:
        hours, minutes, seconds = map(int, clock)
    except ValueError:
        return -(10**6)
    return hours * 3600 + minutes * 60 + seconds


def last_prompt(folder: str, session: str) -> str:
    """Return the last prompt in the journal of a session; empty if there is no prompt."""
    for line in reversed(_read_tail(folder, session).split(b"\n")):
        if b'"event":"UserPromptSubmit"' in line:
            try:
                prompt = fast_json.loads(line).get("prompt")
            except ValueError:
                continue
            if isinstance(prompt, str) and prompt:
                return prompt
    return ""


def compaction_was_told(folder: str, session: str) -> bool:
    """Return whether the session has restarted since the host last began a compaction."""
    tail = _read_tail(folder, session)
    return b'"source":"compact"' in tail[max(0, tail.rfind(b'"event":"PreCompact"')) :]


def _read_tail(folder: str, session: str) -> bytes:
    try:
        with open(file_of(folder, session), "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LOOKED_BACK_BYTES))
            return file.read(LOOKED_BACK_BYTES)
    except OSError:
        return b""


def file_of(folder: str, session: str) -> str:
    """Return the path of a session's journal."""
    return os.path.join(folder, safe_name(session) + ".jsonl")


def entry_of(event: dict[str, object], now: str, root: str = "", host: str = "") -> dict[str, object]:
    """Return the journal entry of an event: tool, target and outcome, with bounded and redacted texts."""
    name = _bounded_text(event.get("hook_event_name"), 40)
    entry: dict[str, object] = {"at": now, "event": name, "same": _event_identity(event)}
    _copy_fields(entry, event, TOOL_USE)
    arguments = event.get("tool_input")
    if isinstance(arguments, dict):
        _note_arguments(entry, arguments, event.get("cwd"), root)
    for field in MESSAGES:
        if event.get(field):
            entry[field] = _bounded_text(event[field])
    if name in ("PostToolUse", "PostToolUseFailure"):
        _note_answer(entry, event, root)
        if not _has_transcript(event, host):
            _note_digests(entry, extract_text(event.get("tool_response", event.get("tool_result"))))
    if name == "UserPromptSubmit" and event.get("permission_mode"):
        entry["mode"] = _bounded_text(event["permission_mode"], 40)
    if name in MILESTONES:
        _note_session(entry, event, name, root, host)
    return entry


def _copy_fields(
    entry: dict[str, object], payload: dict[str, object], fields: tuple[tuple[str, str, int], ...]
) -> None:
    for key, field, max_chars in fields:
        if payload.get(key):
            entry[field] = _bounded_text(payload[key], max_chars)


def located_entry(files: Iterable[str], now: str) -> dict[str, object]:
    """Return the journal entry for the files that were suggested to the agent for a prompt."""
    return {"at": now, "event": "Located", "files": [secrets.redact_path(path) for path in files]}


def _event_identity(event: dict[str, object]) -> str:
    """Return a digest that is equal for one event reported by two hosts, from the call id or else from the texts.

    Outputs are left out, because each host truncates and wraps them differently.
    """
    named = ("hook_event_name", "agent_id", "tool_use_id")
    fields = (*named, *(() if event.get("tool_use_id") else ("tool_name", "tool_input", *MESSAGES)))
    return _digest_lines([repr([event.get(name) for name in fields])[:ANSWER_CHARS_MAX]])[0]


def _note_session(entry: dict[str, object], event: dict[str, object], name: str, root: str, host: str) -> None:
    _copy_fields(entry, event, SESSION)
    if name == "SessionStart" and root:
        entry.update(
            host=_bounded_text(host, 40),
            branch=_bounded_text(secrets.redact_path(git.current_branch(root)), 200),
            commit=git.head_commit(root)[:64],
        )


def _note_arguments(entry: dict[str, object], arguments: dict[str, object], cwd: object, root: str) -> None:
    """Add the target of a tool call to the entry and, for an edit, the lines that it changed."""
    folder = cwd if isinstance(cwd, str) else ""
    _note_path(entry, arguments, folder, root)
    patch = tools.patch_in(arguments)
    if patch:
        entry["edits"] = _patch_edits(patch, folder, root)
    for name in TARGET_ARGUMENTS:
        if arguments.get(name) and arguments[name] is not patch:
            entry[name] = _bounded_text(arguments[name])
    if note := find_note(arguments, is_record_tool=is_record(str(entry.get("tool", "")))):
        entry["record"] = _note_fields(note)
    _copy_fields(entry, arguments, TASK)
    if not patch and any(name in arguments for name in _EDITS):
        entry["removed"], entry["added"] = _changed_lines(arguments)
    listed = arguments.get("todos") or arguments.get("plan")
    if isinstance(listed, list):
        entry["plan"] = [_plan_item(item) for item in listed[:PLAN_ITEMS_MAX] if isinstance(item, dict)]


def _note_path(entry: dict[str, object], arguments: dict[str, object], folder: str, root: str) -> None:
    named = tools.named_files(arguments, tools.kind_of(str(entry.get("tool", ""))))
    places = [secrets.redact_path(contained_path(path, root, folder)) if root else "" for path in named]
    if places and places[0]:
        entry["path"] = places[0]
    elif places:
        entry["outside"] = True
    if places[1:]:  # the other files of a list; an empty name is a file outside of the project
        entry["more"] = places[1:]
    if folder and root and folder != root and (below := contained_path(folder, root)) not in ("", "."):
        entry["cwd"] = secrets.redact_path(below)


_DEAD_END = ("approach_tried", "why_it_failed", "alternative_used")


def _note_fields(arguments: dict[str, object]) -> dict[str, object]:
    """Return the text, type, files, tags and details that an agent asked to remember."""
    files = arguments.get("files")
    named = (
        [_bounded_text(path, PATH_CHARS_MAX) for path in files[:MEMORY_FILES_MAX]] if isinstance(files, list) else []
    )
    details, tags = arguments.get("details"), arguments.get("tags")
    fields: dict[str, object] = {name: _bounded_text(arguments[name]) for name in _DEAD_END if arguments.get(name)}
    if isinstance(details, dict):
        fields["details"] = {
            _bounded_text(name, 40): _bounded_text(value)
            if not isinstance(value, list)
            else [_bounded_text(item) for item in value[:DETAIL_ITEMS_MAX]]
            for name, value in list(details.items())[:DETAIL_ITEMS_MAX]
        }
    if isinstance(tags, list):
        fields["tags"] = [_bounded_text(tag, TAG_CHARS_MAX) for tag in tags[:MEMORY_TAGS_MAX]]
    return {
        "text": _bounded_text(arguments.get("text") or ""),
        "type": _bounded_text(arguments.get("type") or "", 40),
        "files": named,
        **fields,
    }


def _patch_edits(patch: str, folder: str, root: str) -> list[dict[str, object]]:
    from holloway.text import edit_lines  # only edits need it

    edits: list[dict[str, object]] = []
    for change in edit_lines.parse_patch(patch):
        path = contained_path(change.path, root, folder)
        about: dict[str, object] = {"path": secrets.redact_path(path)} if path else {"outside": True}
        edits.append(
            {
                **about,
                "kind": change.kind,
                "removed": _digest_lines(change.removed),
                "added": _digest_lines(change.added),
            }
        )
    return edits


def _changed_lines(arguments: dict[str, object]) -> tuple[list[str], list[str]]:
    from holloway.text import edit_lines  # only edits need it

    removed, added = edit_lines.changed_by(arguments)
    return _digest_lines(removed), _digest_lines(added)


def _digest_lines(lines: list[str]) -> list[str]:
    """Return digests of the lines, which can be compared but not read."""
    from _blake2 import blake2b  # the module behind hashlib, which would load much more

    bounded = lines[:SCRATCHPAD_LINES_MAX]
    return [blake2b(line.encode("utf-8", "replace"), digest_size=JOURNAL_DIGEST_BYTES).hexdigest() for line in bounded]


def _plan_item(item: dict[str, object]) -> list[object]:
    text = item.get("content") or item.get("step") or item.get("description") or ""
    return [_bounded_text(text, PLAN_ITEM_CHARS_MAX), item.get("status") == "completed"]


def _note_answer(entry: dict[str, object], event: dict[str, object], root: str) -> None:
    """Add the outcome of a tool call to the entry, and as much of its output as detectors need."""
    response = event.get("tool_response", event.get("tool_result"))
    facts = response if isinstance(response, dict) else {}
    error = event.get("error") or facts.get("error")
    interrupted = event.get("is_interrupt") is True or facts.get("interrupted") is True
    refused = facts.get("is_error") is True or facts.get("isError") is True or facts.get("success") is False
    if event.get("hook_event_name") == "PostToolUseFailure" or error or interrupted or refused:
        entry["failed"] = True
    if error:
        entry["error"] = _head_and_tail(_cut_answer(str(error)))
    if interrupted:
        entry["interrupted"] = True
    if facts.get("userModified") is True:
        entry["changed"] = True
    kind = tools.kind_of(str(entry.get("tool", "")))
    if kind in _ANSWERING:
        if ("failed" in entry or not _prints_files(entry)) and (output := _cut_answer(extract_text(response))):
            entry["text"] = _head_and_tail(output)
        _note_files(entry, facts, root)


def _has_transcript(event: dict[str, object], host: str) -> bool:
    """Return whether the worker can read what a tool printed in the host's transcript."""
    path = str(event.get("transcript_path") or "")
    return host in READABLE_HOSTS and path.endswith(".jsonl") and os.path.isfile(os.path.expanduser(path))


def _note_digests(entry: dict[str, object], output: str) -> None:
    """Add the sketch of an output that the entry does not contain, where no transcript has it either."""
    is_printed = tools.kind_of(str(entry.get("tool", ""))) in (*_ANSWERING, tools.READ)
    if is_printed and output and output != entry.get("text"):
        from holloway.text import sketch  # only hosts without a transcript need it

        names = sketch.sketch_names(output, NAME_DIGESTS_KEPT_MAX)
        sentences = sketch.sketch_text(output, DIGESTS_KEPT_MAX - len(names), sketch.SKETCH_DIGESTS_ALONE)
        entry["digests"] = [f"{digest:x}" for digest in (*names, *sentences)]


def _prints_files(entry: dict[str, object]) -> bool:
    command = str(entry.get("command") or entry.get("cmd") or "")
    words = (command.partition("&&")[2] if command.startswith("cd ") else command).split(maxsplit=2)[:2]
    if words[:1] == ["git"]:
        return bool(_PRINTING_GIT & {*words[1:]})
    return bool(_PRINTING & {*words[:1]})


def _note_files(entry: dict[str, object], facts: dict[str, object], root: str) -> None:
    """Add the number of files that a search found, and the first of them that are inside the project."""
    listed = facts.get("filenames")
    if not isinstance(listed, list):
        return
    prefix = root.rstrip(os.sep) + os.sep
    count = facts.get("numFiles")
    entry["count"] = count if isinstance(count, int) and 0 <= count < 1 << 31 else len(listed)
    names = [name[len(prefix) :] if name.startswith(prefix) else name for name in map(str, listed[:FILES_KEPT_MAX])]
    inside = [name for name in names if name and not os.path.isabs(name) and not name.startswith("~")]
    short = [name for name in inside if len(name) <= FILE_NAME_CHARS_MAX]
    entry["files"] = _bounded_text("\n".join(short), FILES_KEPT_MAX * FILE_NAME_CHARS_MAX).split("\n") if short else []


def _cut_answer(text: str) -> str:
    """Cut an output to the length that is examined."""
    return cut_start(text, ANSWER_CHARS_MAX)


def _head_and_tail(text: str) -> str:
    """Return the beginning and, twice as long, the end of a text, which is where errors and verdicts are."""
    if any(sign in text for sign in _BLOCKS):
        text = _redact_text(text)
    limit = SCRATCHPAD_RESULT_CHARS_MAX
    if len(text) <= limit:
        return _bounded_text(text, limit)
    head = limit // 3
    tail = limit - head - len(_CUT)
    return _bounded_text(text, head) + _CUT + cut_end(_redact_text(cut_end(text, tail + MARGIN_CHARS)), tail)


def _bounded_text(value: object, limit: int = JOURNAL_TEXT_CHARS_MAX) -> str:
    whole = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return cut_start(_redact_text(cut_start(whole, limit + MARGIN_CHARS)), limit)


def _redact_text(text: str) -> str:
    """Return the text without secrets; the word "passed" alone does not look like a password and loads no rules."""
    text = text.encode("utf-8", "replace").decode()
    if "passed" in text and not secrets.scan_secrets(text.replace("passed", "pazzed")):
        return text
    return secrets.redact_secrets(text)[0]
