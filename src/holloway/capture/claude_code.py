"""Sessions of Claude Code, read from the transcripts it leaves: `~/.claude/projects/<folder>/<session>.jsonl`.

Their format is the host's own and changes: what is unknown is passed over. Subagents write files of their own, or
stand in the same one as side chains; both are read with the session, each under a name of its own.
"""

from __future__ import annotations

import heapq
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.capture import project_paths
from holloway.capture.json_lines import (
    as_count,
    as_items,
    as_mapping,
    as_text,
    join_text_blocks,
    read_lines,
    read_objects,
)
from holloway.capture.session_reader import Following
from holloway.domain.event import Plan, Said, Started, Usage
from holloway.text.edit_lines import changed_lines

if TYPE_CHECKING:
    from holloway.domain.event import Event

AGENT = "claude-code"
SUBAGENTS_MAX = 200
TREES_MAX = 200
SEEN_MAX = 500_000
"""So many entries are remembered, to know those that a resumed session repeats."""
HEAD_LINES = 50
"""Within so many lines a transcript says where it was made."""
NAME_CHARS_MAX = 200
"""The host cuts a folder's name here and adds a hash."""

_HOST_TAGS = ("local-command", "bash-", "task-notification", "system-reminder", "ide_", "user-memory", "tick")
_HOST_WORDS = ("This session is being continued from a previous conversation", "Caveat: The messages below")
_COMMAND = re.compile(r"<command-name>\s*/?([^<]{1,100})</command-name>")
_ARGUMENTS = re.compile(r"<command-args>([^<]{1,10000})")
_HOUSEKEEPING = frozenset(
    "clear compact model config exit quit login logout help status cost context resume mcp hooks agents memory doctor "
    "permissions terminal-setup usage plugin fast vim theme effort rename add-dir export".split()
)
"""Commands of the host that say nothing about the work."""
_REJECTED = "the user said:\n"
_SYNTHETIC = "<synthetic>"


def read_session(path: Path, root: Path, seen: set[int] | None = None) -> Iterator[Event]:
    """The events of a session in time order. `seen` is shared by those who read several sessions of a project."""
    known: set[int] = set() if seen is None else seen
    streams = [_Transcript(root, path.stem, "", known).read_events(path)]
    for part in _subagent_files(path):
        streams.append(_Transcript(root, path.stem, part.stem.removeprefix("agent-"), known).read_events(part))
    return heapq.merge(*streams, key=lambda event: event.at)


def find_transcripts(home: Path, root: Path) -> list[Path]:
    """The transcripts of a project, whichever of its working trees or folders they were made in."""
    trees = {
        encode_folder(tree)[:NAME_CHARS_MAX]
        for tree in (str(root), os.path.realpath(root), *_list_worktrees(str(root)))
    }
    found: list[Path] = []
    for projects in _project_folders(home):
        # A folder inside of the project has a longer name; one beside it may too, so the transcript has the last word.
        near = (folder for folder in sorted(projects.glob("*")) if folder.name.startswith(tuple(trees)))
        files = (path for folder in near for path in sorted(folder.glob("*.jsonl")))
        found += [path for path in files if not path.name.startswith("agent-") and _made_in(path, root)]
    return found


def _project_folders(home: Path) -> list[Path]:
    given = os.environ.get("CLAUDE_CONFIG_DIR")
    homes = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [folder / "projects" for folder in homes]


def _list_worktrees(root: str) -> list[str]:
    """The working trees of the project, as git has noted them down."""
    common = git.common_dir(root)
    noted = islice(Path(common, "worktrees").glob("*/gitdir"), TREES_MAX) if common else ()
    found = [str(Path(line.decode("utf-8", "replace").strip()).parent) for path in noted for line in read_lines(path)]
    return [git.main_root(root), *(tree for tree in found if tree != ".")]


def encode_folder(folder: str) -> str:
    """A folder's path as the host makes a name of it."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)


def _made_in(path: Path, root: Path) -> bool:
    told = (row.get("cwd") for row in islice(read_objects(path), HEAD_LINES))
    folder = next((each for each in told if isinstance(each, str) and each), "")
    return project_paths.is_project_folder(folder, str(root))


def _subagent_files(path: Path) -> list[Path]:
    """The files that the subagents of a session wrote: in its folder, or beside it."""
    own = islice((path.parent / path.stem / "subagents").glob("agent-*.jsonl"), SUBAGENTS_MAX)
    beside = (part for part in path.parent.glob("agent-*.jsonl") if part != path and _session_id(part) == path.stem)
    return sorted([*own, *islice(beside, SUBAGENTS_MAX)])


def _session_id(path: Path) -> str:
    return next(
        (as_text(row.get("sessionId")) for row in islice(read_objects(path), HEAD_LINES) if "sessionId" in row), ""
    )


class _Transcript:
    """One file, being read."""

    def __init__(self, root: Path, session: str, actor: str, seen: set[int]) -> None:
        self._following = Following(root)
        self._session = session
        self._actor = actor
        self._seen = seen
        self._started = bool(actor)
        self._planning = False
        self._chains: dict[str, str] = {}
        self._usage: tuple[str, Usage] | None = None

    def read_events(self, path: Path) -> Iterator[Event]:
        """What the file tells, in its order."""
        for row in read_objects(path):
            if row.get("type") in ("user", "assistant", "attachment") and not self._is_repeated(row):
                yield from self._parse_row(row)
        yield from self._flush_usage()

    def _is_repeated(self, row: Mapping[str, object]) -> bool:
        if not isinstance(row.get("uuid"), str):
            return False
        key = hash(row["uuid"])
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
            yield Started(at, self._session, AGENT, as_text(row.get("gitBranch"), NAME_CHARS_MAX))
        actor = self._actor or self._subagent_name(row)
        content = as_mapping(row.get("message")).get("content")
        if row["type"] == "assistant":
            yield from self._parse_assistant(row, content, actor)
        elif row["type"] == "attachment":
            yield from self._parse_attachment(as_mapping(row.get("attachment")))
        else:
            yield from self._parse_user(row, content, actor)

    def _subagent_name(self, row: Mapping[str, object]) -> str:
        """The name of the subagent whose side chain an entry belongs to, if it does."""
        if row.get("isSidechain") is not True:
            return ""
        own = as_text(row.get("uuid"), NAME_CHARS_MAX)
        chain = as_text(row.get("agentId"), NAME_CHARS_MAX) or self._chains.get(as_text(row.get("parentUuid")), own[:8])
        if len(self._chains) < SEEN_MAX:
            self._chains[own] = chain or "subagent"
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
            if said := as_text(block.get(str(kind))).strip():
                yield Said(self._following.at, said, kind == "thinking", actor)
        elif kind in ("tool_use", "server_tool_use"):
            yield from self._following.record_tool_use(
                block.get("name"), as_mapping(block.get("input")), block.get("id"), actor
            )
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            said = join_text_blocks(block.get("content"), "text", "web_search_result")
            yield from self._following.record_answer(block.get("tool_use_id"), said, ok=True)

    def _record_usage(self, message: Mapping[str, object], uuid: str, actor: str) -> Iterator[Event]:
        """A message may take several entries, each with the tokens so far: it is counted once, when it is over."""
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
        made = Usage(self._following.at, whole, as_count(usage.get("output_tokens")), 0 if actor else whole)
        self._usage = (key, made)

    def _flush_usage(self) -> Iterator[Event]:
        if self._usage:
            yield self._usage[1]
        self._usage = None

    def _parse_attachment(self, attachment: Mapping[str, object]) -> Iterator[Event]:
        """What the user typed while the agent was at work comes as an attachment."""
        if attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
            yield from self._following.record_prompt(
                extract_user_text(join_text_blocks(attachment.get("prompt"), "text"))
            )

    def _parse_user(self, row: Mapping[str, object], content: object, actor: str) -> Iterator[Event]:
        for block in map(as_mapping, as_items(content)):
            if block.get("type") == "tool_result":
                yield from self._parse_result(block, row.get("toolUseResult"))
        hidden = any(row.get(name) is True for name in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
        if actor or hidden or as_mapping(row.get("origin")).get("kind", "human") != "human":
            return
        planning = row.get("permissionMode") == "plan"
        if planning and not self._planning:
            yield Plan(self._following.at, mode=True)
        self._planning = planning
        yield from self._following.record_prompt(extract_user_text(join_text_blocks(content, "text")))

    def _parse_result(self, block: Mapping[str, object], told: object) -> Iterator[Event]:
        facts = as_mapping(told)
        said = join_text_blocks(block.get("content"), "text")
        named = as_items(facts.get("filenames"))
        by_user = facts.get("userModified") is True
        yield from self._following.record_answer(
            block.get("tool_use_id"),
            said,
            ok=block.get("is_error") is not True and facts.get("interrupted") is not True,
            named=named,
            count=as_count(facts.get("numFiles")) or len(named),
            changed_by_user=by_user,
            applied=changed_lines(as_text(facts.get("oldString")), as_text(facts.get("newString")))[1]
            if by_user
            else (),
        )
        if block.get("is_error") is True and _REJECTED in said[:1_000]:
            yield from self._following.record_prompt(said.partition(_REJECTED)[2].strip())


def extract_user_text(said: str) -> str:
    """What the user typed, of what the host notes down as the user's; nothing where the host itself speaks."""
    said = said.strip()
    if command := _COMMAND.search(said[:2_000]):
        name = command[1].strip()
        given = _ARGUMENTS.search(said)
        return "" if name in _HOUSEKEEPING else f"/{name} {given[1].strip() if given else ''}".strip()
    for tag in ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"):
        said = _remove_tag(said, tag)
    tagged = said.startswith(tuple(f"<{tag}" for tag in _HOST_TAGS))
    return "" if tagged or said.startswith(_HOST_WORDS) else said


def _remove_tag(said: str, tag: str) -> str:
    """The text without what stands in a tag."""
    while (start := said.find(f"<{tag}>")) >= 0 and (end := said.find(f"</{tag}>", start)) >= 0:
        said = (said[:start] + said[end + len(tag) + 3 :]).strip()
    return said
