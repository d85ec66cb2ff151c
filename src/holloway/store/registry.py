"""Project registry: maps a folder to its project. Light: a hook reads it without starting git or loading a parser.

`registry.json` is an index of the `project.json` in each project's folder, and is rebuilt from them when lost.
"""

from __future__ import annotations

import os

from holloway import fast_json, git

APART = "apart:"
"""Prefix of an origin that a project's checkout names although it belongs to another project with another history."""


def read_registry(home: str) -> dict[str, dict[str, str]]:
    """Return the index: project keys by root path and by identity; rebuilt if the file is missing or damaged."""
    try:
        with open(os.path.join(home, "registry.json"), encoding="utf-8") as file:
            data = fast_json.load(file)
        return {"roots": dict(data["roots"]), "identities": dict(data["identities"])}
    except (OSError, ValueError, KeyError, TypeError):
        return rebuild_registry(home)


def rebuild_registry(home: str) -> dict[str, dict[str, str]]:
    """Rebuild the index from the `project.json` of every project folder."""
    index: dict[str, dict[str, str]] = {"roots": {}, "identities": {}}
    projects = os.path.join(home, "projects")
    for key in sorted(os.listdir(projects)) if os.path.isdir(projects) else ():
        about = read_project(os.path.join(projects, key))
        index["roots"].update(dict.fromkeys(about["roots"], key))
        index["identities"].update(dict.fromkeys(about["identities"], key))
    return index


def read_project(folder: str) -> dict[str, list[str]]:
    """Return identities, roots and name of the project in a folder; empty lists if its file is missing or damaged."""
    try:
        with open(os.path.join(folder, "project.json"), encoding="utf-8") as file:
            about = fast_json.load(file)
        return {name: [str(item) for item in about[name]] for name in ("identities", "roots", "name")}
    except (OSError, ValueError, KeyError, TypeError):
        return {"identities": [], "roots": [], "name": []}


def find_project_key(path: str, home: str) -> tuple[str, str]:
    """Return key and root of the registered project that contains a path; two empty strings without one.

    A root without a key is a checkout that a project may claim: a registered root with a new origin, or a new root with
    the origin of a project. `project.resolve_project` decides that by its history, because it asks git.
    """
    index = read_registry(home)
    roots, identities = index["roots"], index["identities"]
    if root := git.find_root(path):
        key = roots.get(root) or find_worktree_key(root, roots)
        if key:
            return key if _is_origin_settled(home, key, root, identities) else "", root
        address = read_origin(root)
        return "", root if address and (f"origin:{address}" in identities or address in roots) else ""
    folder = os.path.realpath(path)
    while folder not in roots:
        parent = os.path.dirname(folder)
        if parent == folder:
            return "", ""
        folder = parent
    return roots[folder], folder


def read_origin(root: str) -> str:
    """Return the origin of a checkout; empty if its configuration belongs to another repository."""
    return git.origin_url(root) if git.has_own_history(root) else ""


def find_worktree_key(root: str, roots: dict[str, str]) -> str:
    """Return the key of the project that has another working tree of the same repository; empty without one."""
    if not git.is_linked_worktree(root):
        return ""
    if key := roots.get(git.main_root(root)):
        return key
    common = git.common_dir(root)
    siblings = (tree for tree in roots if git.common_dir(tree) == common and git.is_linked_worktree(tree))
    return next((roots[tree] for tree in siblings), "")


def _is_origin_settled(home: str, key: str, root: str, identities: dict[str, str]) -> bool:
    """Return whether the origin of a registered root needs no decision: none, the project's, its first, or apart."""
    address = read_origin(root)
    owner = identities.get(f"origin:{address}")
    if not address or owner == key:
        return True
    if owner is None and not _has_origin(key, identities):
        return True
    return f"{APART}{address}" in read_project(get_project_folder(home, key))["identities"]


def _has_origin(key: str, identities: dict[str, str]) -> bool:
    """Return whether a project is registered with an origin."""
    return any(name.startswith("origin:") for name, owner in identities.items() if owner == key)


def get_project_folder(home: str, key: str) -> str:
    """Return the data folder of a project."""
    return os.path.join(home, "projects", key)


HOOK_SETTINGS = "hook.json"
"""File in a project's data folder with the settings that hooks obey, written from `config.toml` by every command."""
EXPERIMENT = "experiment"
"""Key in that file of the running experiment with control groups."""


def get_paused_mode(home: str, key: str) -> str:
    """Return what is paused for a project, by itself, globally or by exclusion: all, capture, injection, or empty."""
    folder = get_project_folder(home, key)
    excluded = "capture" if read_hook_settings(folder).get("excluded") else ""
    modes = {mode for mode in (read_paused_mode(folder), read_paused_mode(home), excluded) if mode}
    return "all" if len(modes) > 1 else "".join(modes)


def read_hook_settings(folder: str) -> dict[str, object]:
    """Return the settings that hooks obey in a project; empty without the file. A damaged one stops capturing."""
    try:
        with open(os.path.join(folder, HOOK_SETTINGS), encoding="utf-8") as file:
            settings = fast_json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return {"excluded": True}
    return settings if isinstance(settings, dict) else {"excluded": True}


def read_paused_mode(folder: str) -> str:
    """Return what the `paused` file in a folder says: `all`, `capture`, `injection`, or empty without such a file."""
    try:
        with open(os.path.join(folder, "paused"), encoding="utf-8", errors="replace") as file:
            mode = file.read(32).strip()
    except OSError:
        return ""
    return mode if mode in ("capture", "injection") else "all"
