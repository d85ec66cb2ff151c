"""Files that a session wrote, each with the source of the foreign text in it, and the files that a command writes."""

from __future__ import annotations

import posixpath
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from holloway.data import load_table
from holloway.text.programs import FETCH
from holloway.text.tools import EDIT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holloway.text.commands import Step

WRITTEN_FILES_MAX = 10_000
CLONES = frozenset({"git clone", "gh repo clone"})
COPY_PROGRAMS = frozenset({"cp", "mv", "ln"})
"""Programs that copy, move or link the files they name to the last one."""

_COPY_COMMANDS = tuple(load_table("carriers")["copy_commands"])
_OUTPUT_OPTION = re.compile(r"-[a-zA-Z]*[oO]|--output|--output-document")
_FILE_NAME = re.compile(r"(?:^|/)\.?[\w-]+\.\w{1,8}$|/$|\*")
_TEMPORARY_FOLDERS = ("/tmp/", "/private/tmp/", "/var/folders/")  # noqa: S108  (names, nothing is opened)


class WrittenFiles:
    """The files and folders that one session wrote."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self.has_edits = False

    def record_edit(self, path: str, source: str) -> None:
        """Record that the session changed a file; clean text does not change what the file was before."""
        self.has_edits = True
        if source and len(self._sources) < WRITTEN_FILES_MAX:
            self._sources[path] = self._sources.get(path, "") or source

    def record_new_file(self, path: str, source: str) -> None:
        """Record that the session replaced a whole file, whatever it contained before."""
        self.has_edits = True
        if len(self._sources) < WRITTEN_FILES_MAX:
            self._sources[path] = source

    def find_source(self, path: str) -> str | None:
        """Return the source of what the session wrote to a file or its folder; None if it wrote nothing there.

        An empty string means that the session's own words are in it.
        """
        parts = path.split("/")
        prefixes = ("/".join(parts[:size]) for size in range(len(parts), 0, -1))
        return next((self._sources[prefix] for prefix in prefixes if prefix in self._sources), None)


def names_files(word: str) -> bool:
    """Whether a word has the form of a file name or a pattern for several, not of a folder or a branch."""
    return bool(_FILE_NAME.search(word))


def resolve_paths(step: Step) -> Iterator[str]:
    """Yield the paths of a step relative to the project."""
    return (resolve_path(step, path) for path in step.paths)


def resolve_path(step: Step, path: str) -> str:
    """Return a step's path relative to the project: a step names paths relative to its working directory."""
    return path if path.startswith(("/", "~")) or not step.directory else f"{step.directory}/{path}"


def list_written_paths(step: Step) -> list[str]:
    """List the files and folders that a step writes: by redirecting, copying, downloading, cloning or mkdir."""
    if copies_from_elsewhere(step):
        return [step.args[-1]]
    if step.kind == FETCH or step.program in CLONES:
        return [resolve_path(step, name) for name in _list_created_paths(step) if name]
    if step.program == "mkdir":
        return [word for word in step.args if word.startswith(_TEMPORARY_FOLDERS)]
    paths = list(resolve_paths(step)) if step.kind == EDIT else []
    return paths[-1:] if step.program in COPY_PROGRAMS else paths


def copies_from_elsewhere(step: Step) -> bool:
    """Whether a step copies a file from a container or another machine."""
    return bool(step.args) and " ".join((step.program, *step.args)).startswith(_COPY_COMMANDS)


def _list_created_paths(step: Step) -> list[str]:
    if step.program in CLONES:
        operands = (word for word in step.args if not word.startswith("-"))
        return _list_clone_folders(step, step.url or next(operands, ""))
    named = [step.args[at + 1] for at, word in enumerate(step.args[:-1]) if _OUTPUT_OPTION.fullmatch(word)]
    return [*named, posixpath.basename(step.url)]


def _list_clone_folders(step: Step, address: str) -> list[str]:
    """Return the possible folders of a git clone: the one given after the address, else the repository's name.

    A word that follows an option may be that option's value; then both are returned.
    """
    tail = step.args[step.args.index(address) :] if address in step.args else ()
    words_after = [(before, word) for before, word in pairwise(tail) if not word.startswith("-")]
    repository_name = posixpath.basename(address.rstrip("/")).removesuffix(".git")
    is_sure = any(not before.startswith("-") for before, _ in words_after)
    return [word for _, word in words_after] + ([] if is_sure else [repository_name])
