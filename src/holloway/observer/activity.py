"""An account of a session: what was read, changed, searched, tried and committed, whatever tool it was done with."""

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
    """One thing done to one thing. A shell command that reads three files is three deeds."""

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
        """Whether it changed a file."""
        return self.kind in ("edit", "write")


class Account:
    """A scratchpad, read once."""

    def __init__(self, pad: Scratchpad) -> None:
        self.pad = pad
        self.deeds: list[Deed] = [deed for action in pad.actions for deed in _deeds(action)]

    def of(self, *kinds: str) -> list[Deed]:
        """The deeds of these kinds, in order."""
        return [deed for deed in self.deeds if deed.kind in kinds]

    @cached_property
    def touched(self) -> dict[str, list[Deed]]:
        """Every file of the project that was read or changed, with what was done to it."""
        found: dict[str, list[Deed]] = {}
        for deed in self.deeds:
            if deed.path and deed.kind in ("read", "edit", "write"):
                found.setdefault(deed.path, []).append(deed)
        return found

    @cached_property
    def edits(self) -> list[Deed]:
        """Changes of files that succeeded."""
        return [deed for deed in self.of("edit", "write") if deed.action.ok is not False]

    @cached_property
    def edited(self) -> dict[str, list[Deed]]:
        """Changed files, with their changes."""
        found: dict[str, list[Deed]] = {}
        for deed in self.edits:
            if deed.path:
                found.setdefault(deed.path, []).append(deed)
        return found

    @cached_property
    def first_reads(self) -> list[Deed]:
        """The first time each file was opened."""
        return [deeds[0] for deeds in self.touched.values() if deeds[0].kind == "read"]

    @cached_property
    def commits(self) -> list[Deed]:
        """Commits that went through."""
        return [deed for deed in self.of("commit") if deed.action.ok is not False]

    @cached_property
    def tests(self) -> list[Deed]:
        """Runs of tests whose verdict is known."""
        return [deed for deed in self.deeds if deed.verdict]

    def said(self, *voices: str) -> list[Note]:
        """What was said by these, in order."""
        return [note for note in self.pad.notes if note.voice in voices]

    @cached_property
    def own_words(self) -> list[tuple[Note, str]]:
        """What the agent thought and said, without what holloway itself had handed to it."""
        return [(note, own_text.strip(note.text)) for note in self.said("thought", "agent")]

    @cached_property
    def task(self) -> str:
        """What the session was asked to do: the caller's word, else the first prompt with some words in it."""
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
            verdict = failures.verdict(action.command, action.text, not action.ok)
        about = [path for path in (_place(path, step.directory) for path in step.paths) if path] or [""]
        for path in about if step.kind in ("read", "edit") else about[:1]:
            yield Deed(action.step, step.kind, action, path, step.pattern, step.program, step.message, verdict)


def _inside(path: str) -> bool:
    """Whether a path can be one of the project's own; adapters make them so, and not all can be trusted to."""
    return not path.startswith(("/", "~", "\\", ".git/")) and ":" not in path[:2] and ".." not in path.split("/")


def _place(path: str, directory: str = "") -> str:
    """A path of a shell command as the project names it; empty for what is none, or lies elsewhere."""
    within = f"{directory.rstrip('/')}/{path}" if directory and not path.startswith(("/", "~")) else path
    plain = posixpath.normpath(within).removeprefix("./") if within else ""
    return plain if _PLACE.fullmatch(plain) and _inside(plain) else ""
