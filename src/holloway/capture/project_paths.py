"""Where things are: the paths that an agent, its commands and its tools' answers name, as the project names them.

An agent may stand in any working tree of the project, or in a folder below it; the path is the same for all.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from functools import lru_cache
from pathlib import Path

from holloway import git
from holloway.capture.json_lines import as_text
from holloway.config import PATH_CHARS_MAX, SCRATCHPAD_FILES_MAX, SCRATCHPAD_TEXT_CHARS_MAX
from holloway.safety.paths import contained_path

PATHS_REMEMBERED_MAX = 8_192
NAMED_LINES_MAX = 5_000
NAME_CHARS_MAX = 300

_WORKTREE = re.compile(r"(?:\.claude/worktrees|\.worktrees)/[^/]+(?:/|$)")
_STAYING = re.compile(r"\s*cd \.\s*(?:&&|;)\s*")
_NAME = re.compile(r"[\w@+~#%=,.()\[\]$/-]+")
_SUFFIX = re.compile(r"\w\.[A-Za-z]\w{0,11}$")


def place_path(named: object, root: str, cwd: str = "") -> tuple[str, bool]:
    """A path as the project names it, and whether it lies outside; then it stays as it was given."""
    given = as_text(named, PATH_CHARS_MAX)
    if not given:
        return "", False
    found = path_inside(given, root, cwd)
    return (found, False) if found else (given, True)


@lru_cache(PATHS_REMEMBERED_MAX)
def path_inside(path: str, root: str, cwd: str = "") -> str:
    """The path relative to the project, links resolved; empty for one outside. It need not exist."""
    for base in dict.fromkeys((worktree_of(root, cwd), root)):
        try:
            found = contained_path(path, base, cwd or base)
        except (OSError, ValueError):
            return ""
        if found:
            return _WORKTREE.sub("", found, count=1) or "." if _WORKTREE.match(found) else found
    return ""


@lru_cache(PATHS_REMEMBERED_MAX)
def worktree_of(root: str, folder: str) -> str:
    """The working tree that a folder lies in, if it is one of the project; else the project's own."""
    try:
        found = git.find_root(folder) if folder else ""
        return found if found and git.main_root(found) == git.main_root(root) else root
    except (OSError, ValueError):
        return root


@lru_cache(PATHS_REMEMBERED_MAX)
def is_project_folder(folder: str, root: str) -> bool:
    """Whether work in a folder is work on the project, and not on another repository inside of it.

    A folder that is not named from the root on could lie anywhere, not only where the reader happens to stand.
    """
    if not Path(folder).is_absolute():
        return False
    try:
        found, own = git.find_root(folder), git.find_root(root)
        if found or own:
            return bool(found and own) and git.main_root(found) == git.main_root(own)
        return bool(contained_path(folder, root))
    except (OSError, ValueError):
        return False


def localise_command(command: str, root: str, cwd: str = "") -> str:
    """A command without the absolute path of the project, and with the folder below it that it was run in."""
    given = command[: 2 * SCRATCHPAD_TEXT_CHARS_MAX]
    bare = without_root(given, root, cwd)
    folder = path_inside(cwd, root, cwd) if cwd else ""
    if folder not in ("", ".") and bare == given and not _leaves_folder(given):
        bare = f"cd {shlex.quote(folder)} && {given}"
    return as_text(_STAYING.sub("", bare, count=1), SCRATCHPAD_TEXT_CHARS_MAX)


def _leaves_folder(command: str) -> bool:
    return command.lstrip().startswith(("cd /", "cd ~", 'cd "/', "cd '/"))


def without_root(said: str, root: str, cwd: str = "") -> str:
    """A text with the paths in it relative to the project, where they name its own folder."""
    for base in dict.fromkeys((worktree_of(root, cwd), root)):
        if base in said:
            within, itself = _folder_patterns(base)
            said = itself.sub(".", within.sub("", said))
    return said


@lru_cache(64)
def _folder_patterns(base: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What finds a folder before a name in it, and alone."""
    start = r"(?<![\w./~-])" + re.escape(base)
    return re.compile(start + r"/(?=[\w.@*{\[-])"), re.compile(start + r"/?(?![\w./-])")


def project_names(given: list[object], root: str, cwd: str = "") -> tuple[str, ...]:
    """Names of files that a tool gave, as the project names them; those outside are left out."""
    found = (_project_name(as_text(name, NAME_CHARS_MAX), root, cwd) for name in given[:SCRATCHPAD_FILES_MAX])
    return tuple(dict.fromkeys(name for name in found if name))


def names_in(output: str, root: str, cwd: str = "") -> tuple[str, ...]:
    """The files that the output of a search or a listing names, one a line, with or without a line's number."""
    found: dict[str, None] = {}
    for line in output.splitlines()[:NAMED_LINES_MAX]:
        name = line[:NAME_CHARS_MAX].strip().partition(":")[0]
        if _NAME.fullmatch(name) and ("/" in name or _SUFFIX.search(name)):
            found[_project_name(name, root, cwd)] = None
    found.pop("", None)
    return tuple(found)


def _project_name(name: str, root: str, cwd: str) -> str:
    """A name as the project has it, by its letters alone: a search may name thousands."""
    base = worktree_of(root, cwd)
    if name.startswith("/"):
        near = next((each for each in (base, root) if name.startswith(each.rstrip("/") + "/")), "")
        return posixpath.normpath(name[len(near.rstrip("/")) + 1 :]) if near else ""
    folder = path_inside(cwd, root, cwd) if cwd else ""
    whole = posixpath.normpath(posixpath.join(folder, name))
    return "" if not name or whole.startswith("..") else whole
