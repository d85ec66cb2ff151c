"""Normalisation of the paths in an agent's tool calls, commands and outputs to paths relative to the project.

An agent may work in any worktree of the project or in a subfolder; a file has the same path in all of them.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from functools import lru_cache
from itertools import islice
from pathlib import Path

from holloway import git
from holloway.capture.json_lines import as_text, read_lines, read_objects
from holloway.config import PATH_CHARS_MAX, SCRATCHPAD_FILES_MAX, SCRATCHPAD_TEXT_CHARS_MAX
from holloway.safety.paths import contained_path

PATHS_REMEMBERED_MAX = 8_192
NAMED_LINES_MAX = 5_000
NAMED_PATH_CHARS_MAX = 300
TREES_MAX = 200
TRANSCRIPT_FOLDER_LINES = 50
"""Number of lines searched for the working folder of a transcript."""

_WORKTREE = re.compile(r"(?:\.claude/worktrees|\.worktrees)/[^/]+(?:/|$)")
_STAYING = re.compile(r"\s*cd \.\s*(?:&&|;)\s*")
_NAME = re.compile(r"[\w@+~#%=,.()\[\]$/-]+")
_SUFFIX = re.compile(r"\w\.[A-Za-z]\w{0,11}$")


def place_path(named: object, root: str, cwd: str = "") -> tuple[str, bool]:
    """Return a path relative to the project, and whether it is outside; a path outside is returned unchanged."""
    path = as_text(named, PATH_CHARS_MAX)
    if not path:
        return "", False
    inside = path_inside(path, root, cwd)
    return (inside, False) if inside else (path, True)


@lru_cache(PATHS_REMEMBERED_MAX)
def path_inside(path: str, root: str, cwd: str = "") -> str:
    """Return the path relative to the project, with links resolved; empty if it is outside. It need not exist."""
    for base in dict.fromkeys((worktree_of(root, cwd), root)):
        try:
            relative = contained_path(path, base, cwd or base)
        except (OSError, ValueError):
            return ""
        if relative:
            return _WORKTREE.sub("", relative, count=1) or "." if _WORKTREE.match(relative) else relative
    return ""


@lru_cache(PATHS_REMEMBERED_MAX)
def worktree_of(root: str, folder: str) -> str:
    """Return the worktree of the project that contains a folder; the root if no worktree does."""
    try:
        tree = git.find_root(folder) if folder else ""
        return tree if tree and git.main_root(tree) == git.main_root(root) else root
    except (OSError, ValueError):
        return root


@lru_cache(PATHS_REMEMBERED_MAX)
def is_project_folder(folder: str, root: str) -> bool:
    """Return whether a folder belongs to the project, and not to another repository inside of it.

    A relative folder never does: it could be anywhere, not only below the current directory.
    """
    if not Path(folder).is_absolute():
        return False
    try:
        folder_root, project_root = git.find_root(folder), git.find_root(root)
        if folder_root or project_root:
            return bool(folder_root and project_root) and git.main_root(folder_root) == git.main_root(project_root)
        return bool(contained_path(folder, root))
    except (OSError, ValueError):
        return False


def was_recorded_in(transcript: Path, root: Path) -> bool:
    """Return whether the first working folder that the lines of a transcript name belongs to the project."""
    folders = (row.get("cwd") for row in islice(read_objects(transcript), TRANSCRIPT_FOLDER_LINES))
    folder = next((value for value in folders if isinstance(value, str) and value), "")
    return is_project_folder(folder, str(root))


def list_worktrees(root: str) -> list[str]:
    """Return the worktrees of the project that git has registered."""
    common = git.common_dir(root)
    pointers = islice(Path(common, "worktrees").glob("*/gitdir"), TREES_MAX) if common else ()
    lines = (line.decode("utf-8", "replace") for path in pointers for line in read_lines(path))
    trees = [str(Path(line.strip()).parent) for line in lines]
    return [git.main_root(root), *(tree for tree in trees if tree != ".")]


def localise_command(command: str, root: str, cwd: str = "") -> str:
    """Return a command without the absolute path of the project, prefixed with the subfolder that it ran in."""
    bounded = command[: 2 * SCRATCHPAD_TEXT_CHARS_MAX]
    bare = without_root(bounded, root, cwd)
    folder = path_inside(cwd, root, cwd) if cwd else ""
    if folder not in ("", ".") and bare == bounded and not _leaves_folder(bounded):
        bare = f"cd {shlex.quote(folder)} && {bounded}"
    return as_text(_STAYING.sub("", bare, count=1), SCRATCHPAD_TEXT_CHARS_MAX)


def _leaves_folder(command: str) -> bool:
    return command.lstrip().startswith(("cd /", "cd ~", 'cd "/', "cd '/"))


def without_root(text: str, root: str, cwd: str = "") -> str:
    """Return a text in which absolute paths inside the project are relative to it."""
    for base in dict.fromkeys((worktree_of(root, cwd), root)):
        if base in text:
            within, itself = _folder_patterns(base)
            text = itself.sub(".", within.sub("", text))
    return text


@lru_cache(64)
def _folder_patterns(base: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return two patterns: the folder as the prefix of a path, and the folder alone."""
    start = r"(?<![\w./~-])" + re.escape(base)
    return re.compile(start + r"/(?=[\w.@*{\[-])"), re.compile(start + r"/?(?![\w./-])")


def project_names(values: list[object], root: str, cwd: str = "") -> tuple[str, ...]:
    """Return the file names of a tool's result relative to the project, without those outside."""
    names = (_project_name(as_text(name, NAMED_PATH_CHARS_MAX), root, cwd) for name in values[:SCRATCHPAD_FILES_MAX])
    return tuple(dict.fromkeys(name for name in names if name))


def names_in(output: str, root: str, cwd: str = "") -> tuple[str, ...]:
    """Return the files named in the output of a search or a listing, one per line, with or without a line number."""
    names: dict[str, None] = {}
    for line in output.splitlines()[:NAMED_LINES_MAX]:
        name = line[:NAMED_PATH_CHARS_MAX].strip().partition(":")[0]
        if _NAME.fullmatch(name) and ("/" in name or _SUFFIX.search(name)):
            names[_project_name(name, root, cwd)] = None
    names.pop("", None)
    return tuple(names)


def _project_name(name: str, root: str, cwd: str) -> str:
    """Return a name relative to the project without accessing the disk: a search may name thousands."""
    base = worktree_of(root, cwd)
    if name.startswith("/"):
        near = next((parent for parent in (base, root) if name.startswith(parent.rstrip("/") + "/")), "")
        return posixpath.normpath(name[len(near.rstrip("/")) + 1 :]) if near else ""
    folder = path_inside(cwd, root, cwd) if cwd else ""
    whole = posixpath.normpath(posixpath.join(folder, name))
    return "" if not name or whole.startswith("..") else whole
