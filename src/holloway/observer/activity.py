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

_PLACE = re.compile(r"[\w@.+\-][\w@.+\-/\[\]()]*")
_KINDS = {
    ToolKind.READ: "read",
    ToolKind.EDIT: "edit",
    ToolKind.WRITE: "write",
    ToolKind.SEARCH: "search",
    ToolKind.LIST: "list",
    ToolKind.WEB: "fetch",
}


@dataclass(frozen=True, slots=True)
class Deed:
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
    def changes(self) -> bool:
        """Whether this entry changed a file."""
        return self.kind in ("edit", "write")


class Account:
    """The activity of a session, derived once from its scratchpad."""

    def __init__(self, pad: Scratchpad) -> None:
        self.pad = pad
        self.deeds: list[Deed] = [entry for action in pad.actions for entry in _deeds(action)]

    def of(self, *kinds: str) -> list[Deed]:
        """Return the entries of these kinds, in order."""
        return [entry for entry in self.deeds if entry.kind in kinds]

    @cached_property
    def touched(self) -> dict[str, list[Deed]]:
        """Every project file that was read or changed, with its entries."""
        entries_by_path: dict[str, list[Deed]] = {}
        for entry in self.deeds:
            if entry.path and entry.kind in ("read", "edit", "write"):
                entries_by_path.setdefault(entry.path, []).append(entry)
        return entries_by_path

    @cached_property
    def edits(self) -> list[Deed]:
        """File changes that did not fail."""
        return [entry for entry in self.of("edit", "write") if entry.action.ok is not False]

    @cached_property
    def edited(self) -> dict[str, list[Deed]]:
        """Every changed project file, with its edits."""
        edits_by_path: dict[str, list[Deed]] = {}
        for entry in self.edits:
            if entry.path:
                edits_by_path.setdefault(entry.path, []).append(entry)
        return edits_by_path

    @cached_property
    def first_reads(self) -> list[Deed]:
        """The first entry of each file, where that is a read."""
        return [entries[0] for entries in self.touched.values() if entries[0].kind == "read"]

    @cached_property
    def commits(self) -> list[Deed]:
        """Commits that did not fail."""
        return [entry for entry in self.of("commit") if entry.action.ok is not False]

    @cached_property
    def tests(self) -> list[Deed]:
        """Test runs with a known verdict (green or red)."""
        return [entry for entry in self.deeds if entry.verdict]

    def said(self, *voices: str) -> list[Note]:
        """Return the notes of these voices (user, agent, thought, record), in order."""
        return [note for note in self.pad.notes if note.voice in voices]

    @cached_property
    def own_words(self) -> list[tuple[Note, str]]:
        """The agent's thoughts and messages, stripped of text that holloway injected."""
        return [(note, own_text.strip(note.text)) for note in self.said("thought", "agent")]

    @cached_property
    def task(self) -> str:
        """The session's task: as the caller named it, else the first prompt of at least three words."""
        if self.pad.start and self.pad.start.task:
            return self.pad.start.task
        return next((note.text for note in self.said("user") if len(note.text.split()) >= 3), "")


def _deeds(action: Action) -> Iterator[Deed]:
    if action.kind is ToolKind.SHELL:
        yield from _shell(action)
        return
    path = "" if action.outside or not _inside(action.path) else action.path
    kind = _KINDS.get(action.kind, action.kind.value)
    yield Deed(action.step, kind, action, path, action.pattern)


def _shell(action: Action) -> Iterator[Deed]:
    for step in commands.understand(action.command):
        verdict = ""
        if step.kind == "test" and action.ok is not None:
            verdict = failures.read_verdict(action.command, action.text, not action.ok)
        paths = [path for path in (_place(path, step.directory) for path in step.paths) if path] or [""]
        for path in paths if step.kind in ("read", "edit") else paths[:1]:
            yield Deed(action.step, step.kind, action, path, step.pattern, step.program, step.message, verdict)


def _inside(path: str) -> bool:
    """Whether a path is relative and inside the project; not every adapter normalises the paths it reports."""
    return not path.startswith(("/", "~", "\\", ".git/")) and ":" not in path[:2] and ".." not in path.split("/")


def _place(path: str, directory: str = "") -> str:
    """Normalise a shell command's path to one relative to the project; empty if it is no path or outside of it."""
    joined = f"{directory.rstrip('/')}/{path}" if directory and not path.startswith(("/", "~")) else path
    normalised = posixpath.normpath(joined).removeprefix("./") if joined else ""
    return normalised if _PLACE.fullmatch(normalised) and _inside(normalised) else ""
