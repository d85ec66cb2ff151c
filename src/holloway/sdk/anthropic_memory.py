"""Adapter for Anthropic's memory tool: `/memories/project.md` is the brief, all other files belong to the agent.

Each file is a memory of the project: scanned for secrets like all others, and visible to people and other agents.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holloway.config import PATH_CHARS_MAX
from holloway.errors import HollowayError, InvalidInput
from holloway.extras import PackageMissing
from holloway.service import agents
from holloway.service.key_value_store import KeyValueStore
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
FILES_NAMESPACE = ("files",)
FILES_LISTED_MAX = 500
_PAUSED = "The user has paused holloway here; `holloway resume` ends the pause."


class Files:
    """Files of the agent, by their paths below the root."""

    def __init__(self, memory: Holloway) -> None:
        self._keyed = KeyValueStore(memory)
        self._memory = memory

    def list_names(self, below: str = "") -> list[str]:
        """List the files in a folder and its subfolders."""
        names = {entry.key for entry in self._keyed.find(FILES_NAMESPACE, limit=FILES_LISTED_MAX)}
        return sorted(name for name in names if not below or name.startswith(below + "/"))

    def has_file(self, name: str) -> bool:
        """Return whether a file exists."""
        return self._keyed.get(FILES_NAMESPACE, name) is not None

    def read_file(self, name: str) -> str:
        """Return the text of a file. Raises InvalidInput if it does not exist."""
        if name == BRIEF:
            return self._memory.brief().text
        entry = self._keyed.get(FILES_NAMESPACE, name)
        if entry is None:
            raise InvalidInput(f"{ROOT}/{name} does not exist.", f"View {ROOT} to see what does.")
        return str(entry.value.get("content", ""))

    def write_file(self, name: str, text: str) -> None:
        """Write a file. Raises InvalidInput for the brief, which is read-only."""
        if not name or name == BRIEF:
            raise InvalidInput(f"{ROOT}/{name} cannot be written.", "Choose another file.")
        self._keyed.put(FILES_NAMESPACE, name, {"content": text})

    def remove_file(self, name: str) -> None:
        """Delete a file."""
        self._keyed.delete(FILES_NAMESPACE, name)

    def match_files(self, name: str) -> list[str]:
        """Return the file of that name, or all files in that folder. Raises InvalidInput if neither exists."""
        matching_names = [name] if self.has_file(name) else self.list_names(name) if name else []
        if not matching_names:
            raise InvalidInput(f"{ROOT}/{name} does not exist or is not yours.", f"View {ROOT} to see what is.")
        return matching_names


class MemoryTool(BetaAbstractMemoryTool):
    """Memory tool for `client.beta.messages.run_tools(tools=[MemoryTool(".")], ...)`; opens the store per command."""

    def __init__(self, project: str | os.PathLike[str] = ".", *, home: str | os.PathLike[str] | None = None) -> None:
        super().__init__()
        self._project = project
        self._home = home

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return the list of files in a folder, or the text of a file."""
        name = _relative_name(command.path)

        def view_path(files: Files) -> str:
            if name == BRIEF or files.has_file(name):
                return _number_lines(files.read_file(name), getattr(command, "view_range", None))
            inner_names = [
                *([] if name else [BRIEF]),
                *(files.list_names(name) if not name else files.match_files(name)),
            ]
            return "\n".join([f"Files in {ROOT}/{name}:", *(f"{ROOT}/{inner_name}" for inner_name in inner_names)])

        return self._run_action(view_path, writes=False)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a file, replacing its content."""
        name, text = _relative_name(command.path), _as_text(command.file_text)
        return self._run_action(lambda files: files.write_file(name, text), f"Written: {command.path}")

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs exactly once in a file."""
        name, old, new = (
            _relative_name(command.path),
            _as_text(command.old_str),
            _as_text(getattr(command, "new_str", "")),
        )

        def replace_text(files: Files) -> None:
            text = files.read_file(name)
            if not old or text.count(old) != 1:
                raise InvalidInput(
                    f"The text occurs {text.count(old) if old else 0} times in the file.", "Give more context."
                )
            files.write_file(name, text.replace(old, new))

        return self._run_action(replace_text, f"Changed: {command.path}")

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line of a file."""
        name, text, line = _relative_name(command.path), _as_text(command.insert_text), command.insert_line

        def insert_text(files: Files) -> None:
            lines = files.read_file(name).split("\n")
            if not isinstance(line, int) or not 0 <= line <= len(lines):
                raise InvalidInput(f"There is no line {line}.", f"The file has {len(lines)} lines.")
            files.write_file(name, "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]]))

        return self._run_action(insert_text, f"Changed: {command.path}")

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or all files in a folder."""
        name = _relative_name(command.path)

        def delete_files(files: Files) -> None:
            for file_name in files.match_files(name):
                files.remove_file(file_name)

        return self._run_action(delete_files, f"Deleted: {command.path}")

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Rename a file or folder; an existing target is an error."""
        old, new = _relative_name(command.old_path), _relative_name(command.new_path)

        def rename_files(files: Files) -> None:
            moved = {file_name: f"{new}{file_name[len(old) :]}".lstrip("/") for file_name in files.match_files(old)}
            if existing_name := next((new_name for new_name in moved.values() if files.has_file(new_name)), ""):
                raise InvalidInput(f"{ROOT}/{existing_name} already exists.", "Choose another name.")
            for before, after in moved.items():
                files.write_file(after, files.read_file(before))
                files.remove_file(before)

        return self._run_action(rename_files, f"Renamed: {command.old_path} to {command.new_path}")

    def _run_action(self, act: Callable[[Files], str | None], message: str = "", *, writes: bool = True) -> str:
        try:
            with open_project(self._project, home=self._home) as memory:
                if agents.read_pauses(memory)[writes]:
                    raise ToolError(_PAUSED)
                return act(Files(memory)) or message
        except HollowayError as error:
            raise ToolError(f"{error.message} {error.hint}".strip()) from error


def _relative_name(path: object) -> str:
    """Return a path relative to the root. Raises ToolError for a path outside of it (path traversal)."""
    parts = str(path)[: PATH_CHARS_MAX + 1].strip("/").split("/")
    if f"/{parts[0]}" != ROOT or len(str(path)) > PATH_CHARS_MAX or any(part in ("", ".", "..") for part in parts):
        raise ToolError(f"The path must be below {ROOT}/.")
    return "/".join(parts[1:])


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number_lines(text: str, line_range: object) -> str:
    """Return the lines of a text with their numbers, or a range of them."""
    lines = list(enumerate(text.split("\n"), 1))
    if isinstance(line_range, list) and len(line_range) == 2 and all(isinstance(bound, int) for bound in line_range):
        first, last = line_range
        lines = [row for row in lines if first <= row[0] and (last == -1 or row[0] <= last)]
    return "\n".join(f"{number:>6}\t{line}" for number, line in lines)
