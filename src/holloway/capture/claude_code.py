"""Claude Code sessions, read from its transcripts: `~/.claude/projects/<folder>/<session>.jsonl`.

The format belongs to the host and changes, so unknown entries are skipped. Subagents write separate files or side
chains in the session's file; both are read with the session, each subagent under its name.
"""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.capture.host_text import (
    extract_user_text,
    list_inserted_texts,
    may_be_expanded,
    read_attachment,
    read_host_entry,
)
from holloway.capture.hosts import CLAUDE_CODE
from holloway.capture.json_lines import (
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_result_texts,
    join_text_blocks,
    read_objects,
)
from holloway.capture.project_paths import TRANSCRIPT_FOLDER_LINES, TREES_MAX, list_worktrees, was_recorded_in
from holloway.capture.session_reader import SUBAGENTS_MAX, Following, list_offered
from holloway.domain.event import TEAMMATE_PREFIX, Plan, Said, Started, Summarized, ToolKind, Usage
from holloway.text.edit_lines import changed_lines

if TYPE_CHECKING:
    from holloway.domain.event import Event

SEEN_MAX = 500_000
"""Maximum number of entries remembered to recognise those that a resumed session repeats."""
FOLDERS_CACHED_MAX = 8
"""Folders of which the files of subagents are remembered by session."""
QUEUED_MAX = 1_000
TEAMMATES_MAX = 50
"""Messages of team-mates in one entry."""
HOST_FOLDER_CHARS_MAX = 200
"""Length at which the host truncates a folder name and appends a hash."""

_TEAMMATE = re.compile(r'<teammate-message teammate_id="([^"]{1,60})"[^>]{0,400}>(.*?)</teammate-message>', re.DOTALL)
_REJECTION = "The user doesn't want to proceed with this tool use."
"""Beginning of the host's own answer for a tool call that the user rejected; no tool has run then."""
_REJECTED = "the user said:\n"
_QUESTION = "AskUserQuestion"
_SYNTHETIC = "<synthetic>"
_ROWS_READ = ("user", "assistant", "attachment", "queue-operation", "system")


def read_session(path: Path, root: Path, shared_entries: set[int] | None = None) -> Iterator[Event]:
    """Return the events of a session in time order; entries in `shared_entries`, a set of the project, are skipped."""
    seen_entries: set[int] = set() if shared_entries is None else shared_entries
    streams = [_Transcript(root, path.stem, "", seen_entries).read_events(path)]
    for part in _subagent_files(path):
        streams.append(_Transcript(root, path.stem, part.stem.removeprefix("agent-"), seen_entries).read_events(part))
    return heapq.merge(*streams, key=lambda event: event.at)


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """Return the transcripts of a project, from all of its worktrees and subfolders."""
    trees = {
        encode_folder(tree)[:HOST_FOLDER_CHARS_MAX]
        for tree in (str(root), os.path.realpath(root), *list_worktrees(str(root)))
    }
    transcripts: list[Path] = []
    for projects in _project_folders(home):
        # A subfolder's name starts with the project's, but so may a sibling's: the transcript's own folder decides.
        near = (folder for folder in sorted(projects.glob("*")) if folder.name.startswith(tuple(trees)))
        files = (path for folder in near for path in sorted(folder.glob("*.jsonl")))
        transcripts += [path for path in files if not path.name.startswith("agent-") and was_recorded_in(path, root)]
    return transcripts


def find_memory_folders(home: Path, root: Path) -> list[Path]:
    """Return the folders in which the host keeps notes about a project, from all of its worktrees.

    Two paths may have the same folder name; where transcripts lie beside the notes, one must be of this project.
    """
    names = {encode_folder(tree) for tree in (str(root), os.path.realpath(root), *list_worktrees(str(root)))}
    folders = [
        folder
        for projects in _project_folders(home)
        for name in sorted(names)
        for folder in sorted(
            projects.glob(f"{name[:HOST_FOLDER_CHARS_MAX]}*" if len(name) > HOST_FOLDER_CHARS_MAX else name)
        )
        if (folder / "memory").is_dir()
    ]
    return [folder / "memory" for folder in folders if _is_of_project(folder, root)]


def _is_of_project(folder: Path, root: Path) -> bool:
    transcripts = list(islice(folder.glob("*.jsonl"), TREES_MAX))
    return not transcripts or any(was_recorded_in(path, root) for path in transcripts)


def _project_folders(home: Path) -> list[Path]:
    config_folder = os.environ.get("CLAUDE_CONFIG_DIR")
    homes = [Path(config_folder)] if config_folder else [home / ".claude", home / ".config" / "claude"]
    return [folder / "projects" for folder in homes]


def encode_folder(folder: str) -> str:
    """Return the folder name that the host derives from a path."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)


def _subagent_files(path: Path) -> list[Path]:
    """Return the files that the subagents of a session wrote, in its folder or next to its file."""
    nested = islice((path.parent / path.stem / "subagents").glob("agent-*.jsonl"), SUBAGENTS_MAX)
    siblings = _group_sibling_files(path.parent, _modified_ns(path.parent)).get(path.stem, [])
    return sorted([*nested, *(part for part in siblings[:SUBAGENTS_MAX] if part != path)])


@lru_cache(maxsize=FOLDERS_CACHED_MAX)
def _group_sibling_files(folder: Path, modified_ns: int) -> dict[str, list[Path]]:
    """Return the files of subagents that lie beside the sessions of a folder, by the id of their session.

    All sessions of a project share the folder, so it is listed once for each state that it was in.
    """
    files: dict[str, list[Path]] = {}
    for part in sorted(folder.glob("agent-*.jsonl")):
        files.setdefault(_session_id(part), []).append(part)
    return files


def _modified_ns(folder: Path) -> int:
    """Return when files were last added to a folder or removed from it; 0 if it does not exist."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


def _session_id(path: Path) -> str:
    return next(
        (
            as_text(row.get("sessionId"))
            for row in islice(read_objects(path), TRANSCRIPT_FOLDER_LINES)
            if "sessionId" in row
        ),
        "",
    )


class _Transcript:
    """Parser of one transcript file."""

    def __init__(self, root: Path, session: str, actor: str, seen_entries: set[int]) -> None:
        self._following = Following(root)
        self._session = session
        self._actor = actor
        self._seen = seen_entries
        self._started = bool(actor)
        self._planning = False
        self._chains: dict[str, str] = {}
        self._usage: tuple[str, Usage] | None = None
        self._queue = _PromptQueue()
        self._command = ""
        """The entry before, if it names a slash command: the text of the command may follow."""

    def read_events(self, path: Path) -> Iterator[Event]:
        """Yield the events of the file, in file order."""
        for row in read_objects(path):
            if row.get("type") in _ROWS_READ and not self._is_repeated(row):
                yield from self._parse_row(row)
        for text in self._queue.take_all():
            yield from self._following.record_prompt(text)
        yield from self._flush_usage()

    def _is_repeated(self, row: Mapping[str, object]) -> bool:
        identity = row.get("uuid")
        if row["type"] == "queue-operation":  # these have no id
            identity = " ".join(as_text(row.get(name)) for name in ("sessionId", "timestamp", "operation", "content"))
        if not isinstance(identity, str):
            return False
        key = hash(identity)
        if key in self._seen:
            return True
        if len(self._seen) < SEEN_MAX:
            self._seen.add(key)
        return False

    def _parse_row(self, row: Mapping[str, object]) -> Iterator[Event]:
        at = self._following.entry_time(row.get("timestamp"))
        self._following.set_folder(row.get("cwd"))
        if not self._started and at:
            self._started = True
            yield Started(at, self._session, CLAUDE_CODE, as_text(row.get("gitBranch"), HOST_FOLDER_CHARS_MAX))
        actor = self._actor or self._subagent_name(row)
        content = as_mapping(row.get("message")).get("content")
        if row["type"] == "assistant":
            yield from self._parse_assistant(row, content, actor)
        elif row["type"] == "attachment":
            yield from self._parse_attachment(as_mapping(row.get("attachment")))
        elif row["type"] == "queue-operation":
            yield from self._parse_queue(row)
        elif row["type"] == "system":
            yield from self._parse_inserted(row.get("content"))
        else:
            yield from self._parse_user(row, content, actor)

    def _subagent_name(self, row: Mapping[str, object]) -> str:
        """Return the name of the subagent whose side chain an entry belongs to; empty for other entries."""
        if row.get("isSidechain") is not True:
            return ""
        uuid = as_text(row.get("uuid"), HOST_FOLDER_CHARS_MAX)
        parent = as_text(row.get("parentUuid"))
        chain = as_text(row.get("agentId"), HOST_FOLDER_CHARS_MAX) or self._chains.get(parent, uuid[:8])
        if len(self._chains) < SEEN_MAX:
            self._chains[uuid] = chain or "subagent"
        return chain or "subagent"

    def _parse_assistant(self, row: Mapping[str, object], content: object, actor: str) -> Iterator[Event]:
        message = as_mapping(row.get("message"))
        if row.get("isApiErrorMessage") is True or message.get("model") == _SYNTHETIC:
            return
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in map(as_mapping, as_items(content)):
            yield from self._parse_block(block, actor)
        yield from self._record_usage(message, as_text(row.get("uuid")), actor)

    def _parse_block(self, block: Mapping[str, object], actor: str) -> Iterator[Event]:
        kind = block.get("type")
        if kind in ("text", "thinking"):
            if text := as_text(block.get(str(kind))).strip():
                yield Said(self._following.at, text, kind == "thinking", actor)
        elif kind in ("tool_use", "server_tool_use"):
            yield from self._following.record_tool_use(
                block.get("name"), as_mapping(block.get("input")), block.get("id"), actor
            )
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            text = join_result_texts(block.get("content"))
            yield from self._following.record_answer(block.get("tool_use_id"), text, ok=True)

    def _record_usage(self, message: Mapping[str, object], uuid: str, actor: str) -> Iterator[Event]:
        """Count a message once, when it is complete: each of its entries repeats the tokens so far."""
        usage = as_mapping(message.get("usage"))
        if not usage:
            return
        key = as_text(message.get("id")) or uuid
        if self._usage and self._usage[0] != key:
            yield from self._flush_usage()
        fresh, written, cached = (
            as_count(usage.get(name))
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        )
        whole = fresh + written + cached
        total_usage = Usage(self._following.at, whole, as_count(usage.get("output_tokens")), 0 if actor else whole)
        self._usage = (key, total_usage)

    def _flush_usage(self) -> Iterator[Event]:
        if self._usage:
            yield self._usage[1]
        self._usage = None

    def _parse_attachment(self, attachment: Mapping[str, object]) -> Iterator[Event]:
        """Yield a prompt that the user typed while the agent was working, or another text that the host attached."""
        if attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
            yield from self._parse_inserted(attachment.get("prompt"))
            text = extract_user_text(join_text_blocks(attachment.get("prompt"), "text"))
            if self._queue.is_first_record(text, "attachment"):
                yield from self._following.record_prompt(text)
        else:
            yield from self._following.record_delivery(*read_attachment(attachment))

    def _parse_queue(self, row: Mapping[str, object]) -> Iterator[Event]:
        """Yield a prompt that the user typed while the agent was working, when the agent got it."""
        operation, content = row.get("operation"), as_text(row.get("content"))
        if operation == "enqueue":
            self._queue.add(content)
        elif operation == "dequeue":  # an entry of its own follows
            self._queue.take(content)
        elif operation == "popAll":  # the user took it back
            self._queue.take_all()
        elif operation == "remove":
            queued_text = self._queue.take(content)
            yield from self._parse_inserted(queued_text)
            text = extract_user_text(queued_text)
            if self._queue.is_first_record(text, "queue"):
                yield from self._following.record_prompt(text)

    def _parse_user(self, row: Mapping[str, object], content: object, actor: str) -> Iterator[Event]:
        for block in map(as_mapping, as_items(content)):
            if block.get("type") == "tool_result":
                yield from self._parse_result(block, row.get("toolUseResult"))
        if actor:
            return
        if row.get("isCompactSummary") is True:
            yield Summarized(self._following.at, join_text_blocks(content, "text"))
            return
        message = join_text_blocks(content, "text")
        is_expansion = bool(self._command) and row.get("parentUuid") == self._command and not message.startswith("<")
        self._command = as_text(row.get("uuid")) if may_be_expanded(message) else ""
        hidden = any(row.get(name) is True for name in ("isMeta", "isVisibleInTranscriptOnly"))
        if is_expansion or hidden or as_mapping(row.get("origin")).get("kind", "human") != "human":
            yield from self._following.record_delivery(*read_host_entry(content))
            return
        planning = row.get("permissionMode") == "plan"
        if planning and not self._planning:
            yield Plan(self._following.at, mode=True)
        self._planning = planning
        yield from self._parse_teammates(message)
        yield from self._parse_inserted(content)
        text = extract_user_text(message)
        self._queue.drop(text)
        yield from self._following.record_prompt(text)

    def _parse_inserted(self, content: object) -> Iterator[Event]:
        """Yield the texts that the host inserted into an entry of the user."""
        for host_text in list_inserted_texts(content):
            yield from self._following.record_delivery(*host_text)

    def _parse_teammates(self, message: str) -> Iterator[Event]:
        """Yield the messages of other agents of a team, which the host delivers in the user's name."""
        if not message.lstrip().startswith("<teammate-message"):
            return
        for match in islice(_TEAMMATE.finditer(message), TEAMMATES_MAX):
            text = match[2].strip()
            if text and not text.startswith("{"):  # a notice of the host, such as that a team-mate is idle
                yield Said(self._following.at, text, actor=f"{TEAMMATE_PREFIX}{match[1]}")

    def _parse_result(self, block: Mapping[str, object], result: object) -> Iterator[Event]:
        facts = as_mapping(result)
        output = join_result_texts(block.get("content"))
        call = self._following.find_open_call(block.get("tool_use_id"))
        if call is None:
            yield from self._following.record_delivery(output)
        named = as_items(facts.get("filenames"))
        by_user = facts.get("userModified") is True
        yield from self._following.record_answer(
            block.get("tool_use_id"),
            output,
            ok=block.get("is_error") is not True and facts.get("interrupted") is not True,
            named=named,
            count=as_count(facts.get("numFiles")) or len(named),
            changed_by_user=by_user,
            applied=changed_lines(as_text(facts.get("oldString")), as_text(facts.get("newString")))[1]
            if by_user
            else (),
        )
        # A server or a site could answer with the same words.
        is_built_in = call is not None and call.kind not in (ToolKind.MCP, ToolKind.WEB)
        is_rejected = is_built_in and block.get("is_error") is True and output.startswith(_REJECTION)
        if is_rejected and _REJECTED in output[:1_000]:
            yield from self._following.record_prompt(output.partition(_REJECTED)[2].strip())
        elif call and call.tool == _QUESTION:
            questions = as_items(facts.get("questions"))
            yield from self._following.record_typed_answers(questions, _list_typed_answers(facts, questions))


class _PromptQueue:
    """Prompts that the user typed while the agent was working, and that the agent has not got yet."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._recorded: dict[str, str] = {}
        """Prompts that reached the agent, with the kind of the entry that reported it: some versions write two."""

    def add(self, content: str) -> None:
        if len(self._waiting) < QUEUED_MAX:
            self._waiting.append(content)

    def take(self, content: str = "") -> str:
        """Remove and return the prompt with this content, or else the first; empty if none waits."""
        at = self._waiting.index(content) if content in self._waiting else 0
        return self._waiting.pop(at) if self._waiting else content

    def take_all(self) -> list[str]:
        """Remove all prompts and return the texts that the user typed."""
        waiting, self._waiting = self._waiting, []
        return [text for text in map(extract_user_text, waiting) if text]

    def drop(self, text: str) -> None:
        """Remove the prompt with this text, which has an entry of its own."""
        if text in self._waiting:
            self._waiting.remove(text)

    def is_first_record(self, text: str, kind: str) -> bool:
        """Return whether no entry of another kind has reported this prompt."""
        self.drop(text)
        if self._recorded.get(text, kind) != kind:
            del self._recorded[text]
            return False
        if len(self._recorded) < QUEUED_MAX:
            self._recorded[text] = kind
        return True


def _list_typed_answers(facts: Mapping[str, object], questions: list[object]) -> list[str]:
    """Return the answers to questions of the agent that are not several of its options."""
    options = list_offered(questions)
    answers = [as_text(answer).strip() for answer in islice(as_mapping(facts.get("answers")).values(), QUEUED_MAX)]
    return [answer for answer in answers if not options.issuperset(answer.split(", "))]
