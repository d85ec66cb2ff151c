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
from holloway.capture.json_lines import blocks, items, lines, mapping, number, objects, text
from holloway.capture.session_reader import Following
from holloway.domain.event import Plan, Said, Started, Usage
from holloway.text.edit_lines import changed

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


def read(path: Path, root: Path, seen: set[int] | None = None) -> Iterator[Event]:
    """The events of a session in time order. `seen` is shared by those who read several sessions of a project."""
    known: set[int] = set() if seen is None else seen
    streams = [_Transcript(root, path.stem, "", known).events(path)]
    for part in _subagents(path):
        streams.append(_Transcript(root, path.stem, part.stem.removeprefix("agent-"), known).events(part))
    return heapq.merge(*streams, key=lambda event: event.at)


def find(home: Path, root: Path) -> list[Path]:
    """The transcripts of a project, whichever of its working trees or folders they were made in."""
    trees = {encoded(tree)[:NAME_CHARS_MAX] for tree in (str(root), os.path.realpath(root), *_trees(str(root)))}
    found: list[Path] = []
    for projects in _projects(home):
        # A folder inside of the project has a longer name; one beside it may too, so the transcript has the last word.
        near = (folder for folder in sorted(projects.glob("*")) if folder.name.startswith(tuple(trees)))
        files = (path for folder in near for path in sorted(folder.glob("*.jsonl")))
        found += [path for path in files if not path.name.startswith("agent-") and _made_in(path, root)]
    return found


def _projects(home: Path) -> list[Path]:
    given = os.environ.get("CLAUDE_CONFIG_DIR")
    homes = [Path(given)] if given else [home / ".claude", home / ".config" / "claude"]
    return [folder / "projects" for folder in homes]


def _trees(root: str) -> list[str]:
    """The working trees of the project, as git has noted them down."""
    common = git.common_dir(root)
    noted = islice(Path(common, "worktrees").glob("*/gitdir"), TREES_MAX) if common else ()
    found = [str(Path(line.decode("utf-8", "replace").strip()).parent) for path in noted for line in lines(path)]
    return [git.main_root(root), *(tree for tree in found if tree != ".")]


def encoded(folder: str) -> str:
    """A folder's path as the host makes a name of it."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)


def _made_in(path: Path, root: Path) -> bool:
    told = (row.get("cwd") for row in islice(objects(path), HEAD_LINES))
    folder = next((each for each in told if isinstance(each, str) and each), "")
    return project_paths.belongs(folder, str(root))


def _subagents(path: Path) -> list[Path]:
    """The files that the subagents of a session wrote: in its folder, or beside it."""
    own = islice((path.parent / path.stem / "subagents").glob("agent-*.jsonl"), SUBAGENTS_MAX)
    beside = (part for part in path.parent.glob("agent-*.jsonl") if part != path and _session(part) == path.stem)
    return sorted([*own, *islice(beside, SUBAGENTS_MAX)])


def _session(path: Path) -> str:
    return next((text(row.get("sessionId")) for row in islice(objects(path), HEAD_LINES) if "sessionId" in row), "")


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

    def events(self, path: Path) -> Iterator[Event]:
        """What the file tells, in its order."""
        for row in objects(path):
            if row.get("type") in ("user", "assistant", "attachment") and not self._repeats(row):
                yield from self._row(row)
        yield from self._counted()

    def _repeats(self, row: Mapping[str, object]) -> bool:
        if not isinstance(row.get("uuid"), str):
            return False
        key = hash(row["uuid"])
        if key in self._seen:
            return True
        if len(self._seen) < SEEN_MAX:
            self._seen.add(key)
        return False

    def _row(self, row: Mapping[str, object]) -> Iterator[Event]:
        at = self._following.now(row.get("timestamp"))
        self._following.stands(row.get("cwd"))
        if not self._started and at:
            self._started = True
            yield Started(at, self._session, AGENT, text(row.get("gitBranch"), NAME_CHARS_MAX))
        actor = self._actor or self._chain(row)
        content = mapping(row.get("message")).get("content")
        if row["type"] == "assistant":
            yield from self._assistant(row, content, actor)
        elif row["type"] == "attachment":
            yield from self._attached(mapping(row.get("attachment")))
        else:
            yield from self._user(row, content, actor)

    def _chain(self, row: Mapping[str, object]) -> str:
        """The name of the subagent whose side chain an entry belongs to, if it does."""
        if row.get("isSidechain") is not True:
            return ""
        own = text(row.get("uuid"), NAME_CHARS_MAX)
        chain = text(row.get("agentId"), NAME_CHARS_MAX) or self._chains.get(text(row.get("parentUuid")), own[:8])
        if len(self._chains) < SEEN_MAX:
            self._chains[own] = chain or "subagent"
        return chain or "subagent"

    def _assistant(self, row: Mapping[str, object], content: object, actor: str) -> Iterator[Event]:
        message = mapping(row.get("message"))
        if row.get("isApiErrorMessage") is True or message.get("model") == _SYNTHETIC:
            return
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for block in map(mapping, items(content)):
            yield from self._block(block, actor)
        yield from self._used(message, text(row.get("uuid")), actor)

    def _block(self, block: Mapping[str, object], actor: str) -> Iterator[Event]:
        kind = block.get("type")
        if kind in ("text", "thinking"):
            if said := text(block.get(str(kind))).strip():
                yield Said(self._following.at, said, kind == "thinking", actor)
        elif kind in ("tool_use", "server_tool_use"):
            yield from self._following.used(block.get("name"), mapping(block.get("input")), block.get("id"), actor)
        elif isinstance(kind, str) and kind.endswith("_tool_result"):
            said = blocks(block.get("content"), "text", "web_search_result")
            yield from self._following.answered(block.get("tool_use_id"), said, ok=True)

    def _used(self, message: Mapping[str, object], uuid: str, actor: str) -> Iterator[Event]:
        """A message may take several entries, each with the tokens so far: it is counted once, when it is over."""
        usage = mapping(message.get("usage"))
        if not usage:
            return
        key = text(message.get("id")) or uuid
        if self._usage and self._usage[0] != key:
            yield from self._counted()
        fresh, written, cached = (
            number(usage.get(name))
            for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        )
        whole = fresh + written + cached
        made = Usage(self._following.at, whole, number(usage.get("output_tokens")), 0 if actor else whole)
        self._usage = (key, made)

    def _counted(self) -> Iterator[Event]:
        if self._usage:
            yield self._usage[1]
        self._usage = None

    def _attached(self, attachment: Mapping[str, object]) -> Iterator[Event]:
        """What the user typed while the agent was at work comes as an attachment."""
        if attachment.get("type") == "queued_command" and attachment.get("commandMode", "prompt") == "prompt":
            yield from self._following.prompted(spoken(blocks(attachment.get("prompt"), "text")))

    def _user(self, row: Mapping[str, object], content: object, actor: str) -> Iterator[Event]:
        for block in map(mapping, items(content)):
            if block.get("type") == "tool_result":
                yield from self._result(block, row.get("toolUseResult"))
        hidden = any(row.get(name) is True for name in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
        if actor or hidden or mapping(row.get("origin")).get("kind", "human") != "human":
            return
        planning = row.get("permissionMode") == "plan"
        if planning and not self._planning:
            yield Plan(self._following.at, mode=True)
        self._planning = planning
        yield from self._following.prompted(spoken(blocks(content, "text")))

    def _result(self, block: Mapping[str, object], told: object) -> Iterator[Event]:
        facts = mapping(told)
        said = blocks(block.get("content"), "text")
        named = items(facts.get("filenames"))
        by_user = facts.get("userModified") is True
        yield from self._following.answered(
            block.get("tool_use_id"),
            said,
            ok=block.get("is_error") is not True and facts.get("interrupted") is not True,
            named=named,
            count=number(facts.get("numFiles")) or len(named),
            changed_by_user=by_user,
            applied=changed(text(facts.get("oldString")), text(facts.get("newString")))[1] if by_user else (),
        )
        if block.get("is_error") is True and _REJECTED in said[:1_000]:
            yield from self._following.prompted(said.partition(_REJECTED)[2].strip())


def spoken(said: str) -> str:
    """What the user typed, of what the host notes down as the user's; nothing where the host itself speaks."""
    said = said.strip()
    if command := _COMMAND.search(said[:2_000]):
        name = command[1].strip()
        given = _ARGUMENTS.search(said)
        return "" if name in _HOUSEKEEPING else f"/{name} {given[1].strip() if given else ''}".strip()
    for tag in ("system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"):
        said = _without(said, tag)
    tagged = said.startswith(tuple(f"<{tag}" for tag in _HOST_TAGS))
    return "" if tagged or said.startswith(_HOST_WORDS) else said


def _without(said: str, tag: str) -> str:
    """The text without what stands in a tag."""
    while (start := said.find(f"<{tag}>")) >= 0 and (end := said.find(f"</{tag}>", start)) >= 0:
        said = (said[:start] + said[end + len(tag) + 3 :]).strip()
    return said
