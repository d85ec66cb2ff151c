"""Anthropic's memory tool over the project's memory: `/memories/project.md` is the brief, other files the agent's own.

Each file is a memory of the project, scanned for secrets as all others, and seen by people and other agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import PATH_CHARS_MAX
from holloway.errors import HollowayError, InvalidInput
from holloway.extras import PackageMissing
from holloway.service import agents
from holloway.service.key_value_store import Keyed
from holloway.service.project_finder import open_project

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
except ModuleNotFoundError as error:
    raise PackageMissing("anthropic", "anthropic") from error

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from holloway.service.holloway import Holloway

ROOT = "/memories"
BRIEF = "project.md"
NAMESPACE = ("files",)
FILES_LISTED_MAX = 500
_PAUSED = "The user has paused holloway here; `holloway resume` goes on."


class Files:
    """The agent's own files, by their paths below the root."""

    def __init__(self, memory: Holloway) -> None:
        self._keyed = Keyed(memory)
        self._memory = memory

    def names(self, below: str = "") -> list[str]:
        """The files in a folder and the folders in it."""
        found = {entry.key for entry in self._keyed.find(NAMESPACE, limit=FILES_LISTED_MAX)}
        return sorted(name for name in found if not below or name.startswith(below + "/"))

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._keyed.get(NAMESPACE, name) is not None

    def read(self, name: str) -> str:
        """What a file says."""
        if name == BRIEF:
            return self._memory.brief().text
        found = self._keyed.get(NAMESPACE, name)
        if found is None:
            raise InvalidInput(f"{ROOT}/{name} does not exist.", f"View {ROOT} to see what does.")
        return str(found.value.get("content", ""))

    def write(self, name: str, text: str) -> None:
        """Let a file say something."""
        if not name or name == BRIEF:
            raise InvalidInput(f"{ROOT}/{name} cannot be written.", "Choose another file.")
        self._keyed.put(NAMESPACE, name, {"content": text})

    def remove(self, name: str) -> None:
        """Let go of a file."""
        self._keyed.delete(NAMESPACE, name)

    def meant(self, name: str) -> list[str]:
        """The file of that name, or all that lie in the folder of that name."""
        found = [name] if self.has(name) else self.names(name) if name else []
        if not found:
            raise InvalidInput(f"{ROOT}/{name} does not exist or is not yours.", f"View {ROOT} to see what is.")
        return found


class MemoryTool(BetaAbstractMemoryTool):
    """`client.beta.messages.run_tools(tools=[MemoryTool(".")], ...)`. Opened for each command, and closed again."""

    def __init__(self, project: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        self._project = project
        self._home = home

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """What a folder holds, or a file says."""
        name = _name(command.path)

        def act(files: Files) -> str:
            if name == BRIEF or files.has(name):
                return _numbered(files.read(name), getattr(command, "view_range", None))
            inside = [*([] if name else [BRIEF]), *(files.names(name) if not name else files.meant(name))]
            return "\n".join([f"Files in {ROOT}/{name}:", *(f"{ROOT}/{each}" for each in inside)])

        return self._done(act, writes=False)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a file, in the place of what it said before."""
        name, text = _name(command.path), _text(command.file_text)
        return self._done(lambda files: files.write(name, text), f"Written: {command.path}")

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace words that stand in a file once."""
        name, old, new = _name(command.path), _text(command.old_str), _text(getattr(command, "new_str", ""))

        def act(files: Files) -> None:
            text = files.read(name)
            if not old or text.count(old) != 1:
                raise InvalidInput(f"The text stands {text.count(old) if old else 0} times in the file.", "Give more.")
            files.write(name, text.replace(old, new))

        return self._done(act, f"Changed: {command.path}")

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put words after a line of a file."""
        name, text, line = _name(command.path), _text(command.insert_text), command.insert_line

        def act(files: Files) -> None:
            lines = files.read(name).split("\n")
            if not isinstance(line, int) or not 0 <= line <= len(lines):
                raise InvalidInput(f"There is no line {line}.", f"The file has {len(lines)} lines.")
            files.write(name, "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]]))

        return self._done(act, f"Changed: {command.path}")

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Let go of a file, or of all files in a folder."""
        name = _name(command.path)

        def act(files: Files) -> None:
            for each in files.meant(name):
                files.remove(each)

        return self._done(act, f"Deleted: {command.path}")

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or a folder another name; one that is taken is an error."""
        old, new = _name(command.old_path), _name(command.new_path)

        def act(files: Files) -> None:
            moved = {each: f"{new}{each[len(old) :]}".lstrip("/") for each in files.meant(old)}
            if taken := next((each for each in moved.values() if files.has(each)), ""):
                raise InvalidInput(f"{ROOT}/{taken} exists already.", "Choose another name.")
            for before, after in moved.items():
                files.write(after, files.read(before))
                files.remove(before)

        return self._done(act, f"Renamed: {command.old_path} to {command.new_path}")

    def _done(self, act: Callable[[Files], str | None], said: str = "", *, writes: bool = True) -> str:
        try:
            with open_project(self._project, home=self._home) as memory:
                if agents.paused(memory)[writes]:
                    raise ToolError(_PAUSED)
                return act(Files(memory)) or said
        except HollowayError as error:
            raise ToolError(f"{error.message} {error.hint}".strip()) from error


def _name(path: object) -> str:
    """A path below the root, without it; whatever points elsewhere is an error."""
    parts = str(path)[: PATH_CHARS_MAX + 1].strip("/").split("/")
    if f"/{parts[0]}" != ROOT or len(str(path)) > PATH_CHARS_MAX or any(part in ("", ".", "..") for part in parts):
        raise ToolError(f"A path begins with {ROOT}/ and stays in it.")
    return "/".join(parts[1:])


def _text(given: object) -> str:
    return given if isinstance(given, str) else ""


def _numbered(text: str, wanted: object) -> str:
    """The lines of a text with their numbers, or those between two of them."""
    lines = list(enumerate(text.split("\n"), 1))
    if isinstance(wanted, list) and len(wanted) == 2 and all(isinstance(each, int) for each in wanted):
        first, last = wanted
        lines = [each for each in lines if first <= each[0] and (last == -1 or each[0] <= last)]
    return "\n".join(f"{number:>6}\t{line}" for number, line in lines)
