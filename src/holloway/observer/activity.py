"""Session activity: the reads, edits, searches, test runs and commits of a session, normalised over all tools."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from holloway.domain.event import ToolKind
from holloway.observer import own_text
from holloway.text import commands, failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.observer.scratchpad import Action, Note, Scratchpad

_PATH = re.compile(r"[\w@.+\-][\w@.+\-/\[\]()]*")
_KINDS = {
    ToolKind.READ: "read",
    ToolKind.EDIT: "edit",
    ToolKind.WRITE: "write",
    ToolKind.SEARCH: "search",
    ToolKind.LIST: "list",
    ToolKind.WEB: "fetch",
}


@dataclass(frozen=True, slots=True)
class ActivityEntry:
    """One operation on one target. A shell command that reads three files gives three entries."""

    step: int
    kind: str
    action: Action
    path: str = ""
    pattern: str = ""
    program: str = ""
    message: str = ""
    verdict: str = ""

    @property
    def is_change(self) -> bool:
        """Whether this entry changed a file."""
        return self.kind in ("edit", "write")


class SessionActivity:
    """The activity of a session, derived once from its scratchpad."""

    def __init__(self, pad: Scratchpad) -> None:
        self.pad = pad
        self.entries: list[ActivityEntry] = [entry for action in pad.actions for entry in _expand_action(action)]

    def filter_kinds(self, *kinds: str) -> list[ActivityEntry]:
        """Return the entries of these kinds, in order."""
        return [entry for entry in self.entries if entry.kind in kinds]

    @cached_property
    def touched_files(self) -> dict[str, list[ActivityEntry]]:
        """Every project file that was read or changed, with its entries."""
        entries_by_path: dict[str, list[ActivityEntry]] = {}
        for entry in self.entries:
            if entry.path and entry.kind in ("read", "edit", "write"):
                entries_by_path.setdefault(entry.path, []).append(entry)
        return entries_by_path

    @cached_property
    def successful_edits(self) -> list[ActivityEntry]:
        """File changes that did not fail."""
        return [entry for entry in self.filter_kinds("edit", "write") if entry.action.ok is not False]

    @cached_property
    def edited_files(self) -> dict[str, list[ActivityEntry]]:
        """Every changed project file, with its edits."""
        edits_by_path: dict[str, list[ActivityEntry]] = {}
        for entry in self.successful_edits:
            if entry.path:
                edits_by_path.setdefault(entry.path, []).append(entry)
        return edits_by_path

    @cached_property
    def first_reads(self) -> list[ActivityEntry]:
        """The first entry of each file, where that is a read."""
        return [entries[0] for entries in self.touched_files.values() if entries[0].kind == "read"]

    @cached_property
    def successful_commits(self) -> list[ActivityEntry]:
        """Commits that did not fail."""
        return [entry for entry in self.filter_kinds("commit") if entry.action.ok is not False]

    @cached_property
    def test_runs(self) -> list[ActivityEntry]:
        """Test runs with a known verdict (green or red)."""
        return [entry for entry in self.entries if entry.verdict]

    def filter_notes(self, *voices: str) -> list[Note]:
        """Return the notes of these voices (user, agent, thought, record), in order."""
        return [note for note in self.pad.notes if note.voice in voices]

    @cached_property
    def agent_texts(self) -> list[tuple[Note, str]]:
        """The agent's thoughts and messages, stripped of text that holloway injected."""
        return [(note, own_text.strip_own_text(note.text)) for note in self.filter_notes("thought", "agent")]

    @cached_property
    def task_text(self) -> str:
        """The session's task: as the caller named it, else the first prompt of at least three words."""
        if self.pad.start and self.pad.start.task:
            return self.pad.start.task
        return next((note.text for note in self.filter_notes("user") if len(note.text.split()) >= 3), "")


def _expand_action(action: Action) -> Iterator[ActivityEntry]:
    if action.kind is ToolKind.SHELL:
        yield from _expand_shell_command(action)
        return
    path = "" if action.outside or not _is_project_path(action.path) else action.path
    kind = _KINDS.get(action.kind, action.kind.value)
    yield ActivityEntry(action.step, kind, action, path, action.pattern)


def _expand_shell_command(action: Action) -> Iterator[ActivityEntry]:
    for step in commands.parse_command(action.command):
        verdict = ""
        if step.kind == "test" and action.ok is not None:
            verdict = failures.read_verdict(action.command, action.text, not action.ok)
        paths = [path for path in (_normalise_path(path, step.directory) for path in step.paths) if path] or [""]
        for path in paths if step.kind in ("read", "edit") else paths[:1]:
            yield ActivityEntry(action.step, step.kind, action, path, step.pattern, step.program, step.message, verdict)


def _is_project_path(path: str) -> bool:
    """Whether a path is relative and inside the project; not every adapter normalises the paths it reports."""
    return not path.startswith(("/", "~", "\\", ".git/")) and ":" not in path[:2] and ".." not in path.split("/")


def _normalise_path(path: str, directory: str = "") -> str:
    """Normalise a shell command's path to one relative to the project; empty if it is no path or outside of it."""
    joined = f"{directory.rstrip('/')}/{path}" if directory and not path.startswith(("/", "~")) else path
    normalised = posixpath.normpath(joined).removeprefix("./") if joined else ""
    return normalised if _PATH.fullmatch(normalised) and _is_project_path(normalised) else ""
