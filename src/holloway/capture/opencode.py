"""Sessions of OpenCode and of its fork Kilo, read from a database, a storage folder or an exported session.

A message of the user holds what the person typed, and also text that the host wrote for the model: prompts of
subagents, attached files, instructions to go on. The host marks those, and only the remaining text is a prompt. A tool
call and its result are one part. Ids are not unique in some exports, so messages and parts are identified by their
position.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture import opencode_storage, project_paths
from holloway.capture.hosts import OPENCODE
from holloway.capture.json_lines import as_count, as_items, as_mapping, as_text, parse_time
from holloway.capture.session_reader import Following
from holloway.domain.event import Interrupted, Plan, Said, Started, Summarized, Usage
from holloway.text import edit_lines
from holloway.text.tools import TOOL_FILES_MAX

if TYPE_CHECKING:
    from holloway.capture.opencode_storage import Message, StoredSession
    from holloway.domain.event import Event

SUBAGENT_SESSIONS_MAX = 500

_TOOLS = frozenset(
    "bash read edit write multiedit patch apply_patch grep glob list task todowrite todoread webfetch websearch "
    "codesearch skill question lsp batch plan_enter plan_exit invalid".split()
)
"""The host's own tools; any other is of an MCP server or a plugin."""
_REJECTABLE = _TOOLS - {"webfetch", "websearch", "codesearch", "question", "batch"}
"""Tools whose error can only be the host's: a site could answer with the words of the user."""
_REJECTED = re.compile(
    r"(?:\w{1,40}: )?The user rejected permission to use this specific tool call with the following feedback: (.+)",
    re.DOTALL,
)
_HOST_AGENTS = frozenset({"compaction", "summary", "title"})
"""Agents of the host that only summarise the conversation."""
_QUOTED = re.compile(r'"([^"]*)"')
"""A prompt given on the command line: the host puts quotation marks around it."""
_LINE_NUMBER = re.compile(r"^\d{1,7}: ", re.MULTILINE)


def read_session(path: Path, root: Path, parts: Sequence[Path] = (), agent: str = OPENCODE) -> Iterator[Event]:
    """Return the events of a session in time order, with those of its subagents' sessions (`parts`)."""
    streams = [_Session(stored, root, agent).read_events() for stored in _describe_all([path])]
    subagents = _describe_all(parts[:SUBAGENT_SESSIONS_MAX])
    streams += [_Session(stored, root, agent, is_part=True).read_events() for stored in subagents]
    return heapq.merge(*streams, key=lambda event: event.at)


def _describe_all(paths: Sequence[Path]) -> list[StoredSession]:
    return [stored for stored in map(opencode_storage.describe_session, paths) if stored]


def find_sessions(home: Path, root: Path, agent: str = OPENCODE) -> list[StoredSession]:
    """Return the facts of the sessions of a project, including those of subagents."""

    def is_wanted(folder: str) -> bool:
        return project_paths.is_project_folder(folder, str(root))

    return opencode_storage.list_sessions(opencode_storage.data_folder(home, agent), is_wanted)


class _Session:
    """Parser of one session; `is_part` is set for a subagent's session that is read with its parent."""

    def __init__(self, stored: StoredSession, root: Path, agent: str, *, is_part: bool = False) -> None:
        self._stored = stored
        self._agent = agent
        self._is_part = is_part
        self._following = Following(root)
        self._actor = stored.session if stored.parent or is_part else ""
        self._planning = False
        self._typed = ""
        self._repeated = ""
        """The prompt that the host repeats after a compaction."""
        self._is_host_turn = False
        """Whether the host wrote the whole last message of the user."""

    def read_events(self) -> Iterator[Event]:
        """Yield the events of the session, message by message."""
        self._following.at = self._stored.started_at
        self._following.set_folder(self._stored.directory)
        # Nothing is loaded before this event was taken: of many subagents only those at work are in memory.
        session = self._stored.parent if self._is_part else self._stored.session
        yield Started(self._stored.started_at, session, self._agent)
        for number, message in enumerate(opencode_storage.read_messages(self._stored.path)):
            self._following.entry_time(as_mapping(message.info.get("time")).get("created"))
            # Calls of one message run at the same time: the first result may come after the last call.
            yield from sorted(self._parse_message(message, number), key=lambda event: event.at)

    def _parse_message(self, message: Message, number: int) -> Iterator[Event]:
        role = message.info.get("role")
        if role == "user":
            yield from self._parse_user(message)
        elif role == "assistant":
            yield from self._parse_assistant(message, number)

    def _parse_user(self, message: Message) -> Iterator[Event]:
        typed = [part for part in message.parts if part.get("type") == "text" and not _is_hidden(part)]
        self._is_host_turn = not typed
        if any(part.get("type") == "compaction" and part.get("overflow") is True for part in message.parts):
            self._repeated = self._typed
        text = as_text("\n".join(as_text(part.get("text")) for part in typed)).strip()
        if quoted := _QUOTED.fullmatch(text):
            text = quoted[1].strip()
        if self._actor or not text:
            return
        is_planning = message.info.get("agent") == "plan"
        if is_planning and not self._planning:
            yield Plan(self._following.at, mode=True)
        self._planning = is_planning
        repeated, self._repeated, self._typed = self._repeated, "", text
        if text != repeated:
            yield from self._following.record_prompt(text)

    def _parse_assistant(self, message: Message, number: int) -> Iterator[Event]:
        info = message.info
        created_at = self._following.at
        self._following.set_folder(as_mapping(info.get("path")).get("cwd"))
        # A command that the user ran in the host's prompt has no step of the model.
        is_by_user = self._is_host_turn and all(part.get("type") != "step-start" for part in message.parts)
        is_summary = info.get("summary") is True or as_text(info.get("agent")) in _HOST_AGENTS
        for index, part in enumerate(message.parts):
            kind = part.get("type")
            self._set_time(part.get("time"), "start", created_at)
            if kind in ("text", "reasoning") and not _is_hidden(part):
                yield from self._parse_words(as_text(part.get("text")).strip(), kind, is_summary=is_summary)
            elif kind == "tool" and not (is_by_user and part.get("tool") == "bash"):
                yield from self._parse_tool(part, f"{self._actor}{number}.{index}", created_at)
        self._set_time(info.get("time"), "completed", created_at)
        yield from self._count_tokens(as_mapping(info.get("tokens")))
        if as_mapping(info.get("error")).get("name") == "MessageAbortedError":
            yield Interrupted(self._following.at)

    def _parse_words(self, text: str, kind: str, *, is_summary: bool) -> Iterator[Event]:
        """Yield what the agent said or thought; the text of a summary stands for the conversation before it."""
        if text and not is_summary:
            yield Said(self._following.at, text, kind == "reasoning", self._actor)
        elif text and kind == "text" and not self._actor:
            yield Summarized(self._following.at, text)

    def _set_time(self, times: object, name: str, earliest: float) -> None:
        self._following.at = max(earliest, parse_time(as_mapping(times).get(name), earliest))

    def _parse_tool(self, part: Mapping[str, object], call_id: str, created_at: float) -> Iterator[Event]:
        tool, state = as_text(part.get("tool")), as_mapping(part.get("state"))
        metadata = as_mapping(state.get("metadata"))
        arguments = as_mapping(state.get("input"))
        self._set_time(state.get("time"), "start", created_at)
        yield from self._following.record_tool_use(
            tool if tool in _TOOLS or tool.startswith("mcp_") else f"mcp__{tool}" if tool else "",
            arguments,
            call_id,
            self._actor,
            _parse_changes(metadata),
        )
        status = state.get("status")
        if status not in ("completed", "error"):
            return
        self._set_time(state.get("time"), "end", self._following.at)
        output = as_text(state.get("output")) or as_text(state.get("error"))
        yield from self._following.record_answer(
            call_id,
            _strip_line_numbers(output) if tool == "read" else output,
            ok=status == "completed" and ("exit" not in metadata or metadata["exit"] == 0),
            count=as_count(metadata.get("count")) if tool == "glob" else 0,
        )
        yield from self._parse_user_words(tool, state, metadata)

    def _parse_user_words(
        self, tool: str, state: Mapping[str, object], metadata: Mapping[str, object]
    ) -> Iterator[Event]:
        """Yield what the person typed when rejecting a tool call or answering a question of the agent."""
        if state.get("status") == "error" and tool in _REJECTABLE:
            if words := _REJECTED.match(as_text(state.get("error"))):
                yield from self._following.record_prompt(words[1].strip())
        elif state.get("status") == "completed" and tool == "question":
            questions = as_items(as_mapping(state.get("input")).get("questions"))
            answers = [as_text(text) for answer in as_items(metadata.get("answers")) for text in as_items(answer)]
            yield from self._following.record_typed_answers(questions, answers)

    def _count_tokens(self, tokens: Mapping[str, object]) -> Iterator[Event]:
        cache = as_mapping(tokens.get("cache"))
        whole = as_count(tokens.get("input")) + as_count(cache.get("read")) + as_count(cache.get("write"))
        written = as_count(tokens.get("output"))
        if whole or written:
            yield Usage(self._following.at, whole, written, 0 if self._actor else whole)


def _is_hidden(part: Mapping[str, object]) -> bool:
    """Return whether the host wrote a part for the model, or hides it from the model."""
    return part.get("synthetic") is True or part.get("ignored") is True


def _parse_changes(metadata: Mapping[str, object]) -> list[edit_lines.Change]:
    """Return the files that an edit has changed, as the host recorded them."""
    changes = []
    for file in map(as_mapping, as_items(metadata.get("files"))[:TOOL_FILES_MAX]):
        path = as_text(file.get("movePath") or file.get("filePath") or file.get("relativePath"))
        kind = "write" if file.get("type") == "add" else "edit"
        if path:
            changes.append(edit_lines.parse_diff(path, kind, _text_of(file.get("diff") or file.get("patch"))))
    return changes


def _text_of(value: object) -> str:
    return value if isinstance(value, str) else ""


def _strip_line_numbers(output: str) -> str:
    """Return the content of a file that was read, without the host's tags and line numbers."""
    content = output.partition("<content>\n")[2] if output.startswith("<path>") else ""
    return _LINE_NUMBER.sub("", content.removesuffix("</content>")) if content else output
