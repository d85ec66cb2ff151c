"""Protection against path traversal: rejects paths that leave the project folder, with symlinks resolved."""

from __future__ import annotations

import os

from holloway.config import PATH_CHARS_MAX
from holloway.errors import InvalidInput


def resolve_in_project(path: str, root: str, base_folder: str = "") -> str:
    """Resolve a path, with its links, to a POSIX path relative to the project.

    A relative path is taken from `base_folder` (the caller's folder), else from the root. It need not exist. Raises
    InvalidInput for a path that leaves the project or is not usable.
    """
    from holloway.text.sanitize import clean_text  # a hook needs `contained` only

    if not path or len(path) > PATH_CHARS_MAX or " ".join(clean_text(path).splitlines()) != path or "\t" in path:
        raise InvalidInput(f"{path[:80]!r} is not a usable path.", f"At most {PATH_CHARS_MAX:,} printable characters.")
    inside = contained_path(path, root, base_folder) or (contained_path(path, root) if base_folder else "")
    if not inside:
        raise InvalidInput(f"{path} lies outside of the project {root}.", "Give a path inside the project.")
    return inside


def contained_path(path: str, root: str, base_folder: str = "") -> str:
    """Do as `resolve_in_project`, but return an empty string for a path outside. Light: a hook calls this."""
    real_root = os.path.realpath(root)
    try:
        real = os.path.realpath(os.path.join(base_folder or real_root, os.path.expanduser(path)))
    except ValueError:  # no disk can hold a name with a zero byte or half a character in it
        return ""
    if real == real_root:
        return "."
    prefix = real_root.rstrip(os.sep) + os.sep
    return real[len(prefix) :].replace(os.sep, "/") if real.startswith(prefix) else ""


def path_exists(path: str, root: str) -> bool:
    """Whether a project has that file or folder; False for a name that no disk can hold."""
    return os.path.exists(os.path.join(root, path))


def safe_name(session: str) -> str:
    """Turn a session's id into a file name, whatever a host puts into it."""
    name = "".join(char if char.isascii() and (char.isalnum() or char in "-_") else "_" for char in session[:100])
    return name or "unknown"
