"""Which project a folder belongs to. Light: a hook reads this without starting git or loading a parser.

`registry.json` is an index of the `project.json` in each project's folder, and is made again from them when lost.
"""

from __future__ import annotations

import json
import os

from holloway import git


def read(home: str) -> dict[str, dict[str, str]]:
    """The index: project keys by root path and by identity."""
    try:
        with open(os.path.join(home, "registry.json"), encoding="utf-8") as file:
            data = json.load(file)
        return {"roots": dict(data["roots"]), "identities": dict(data["identities"])}
    except (OSError, ValueError, KeyError, TypeError):
        return rebuilt(home)


def rebuilt(home: str) -> dict[str, dict[str, str]]:
    """The index made anew from what the project folders say of themselves."""
    index: dict[str, dict[str, str]] = {"roots": {}, "identities": {}}
    projects = os.path.join(home, "projects")
    for key in sorted(os.listdir(projects)) if os.path.isdir(projects) else ():
        about = read_project(os.path.join(projects, key))
        index["roots"].update(dict.fromkeys(about["roots"], key))
        index["identities"].update(dict.fromkeys(about["identities"], key))
    return index


def read_project(folder: str) -> dict[str, list[str]]:
    """Identities, roots and name of the project in a folder."""
    try:
        with open(os.path.join(folder, "project.json"), encoding="utf-8") as file:
            about = json.load(file)
        return {name: [str(item) for item in about[name]] for name in ("identities", "roots", "name")}
    except (OSError, ValueError, KeyError, TypeError):
        return {"identities": [], "roots": [], "name": []}


def find(path: str, home: str) -> tuple[str, str]:
    """Key and root of the known project that holds a path; two empty strings where there is none.

    A root without a key is a known one whose origin is new: it may have moved to another address, or another repository
    may stand in its place. That is for `project.resolve` to settle, which asks git.
    """
    index = read(home)
    roots, identities = index["roots"], index["identities"]
    if root := git.find_root(path):
        address = git.origin(root)
        if address and f"origin:{address}" in identities:
            return identities[f"origin:{address}"], root
        for known in (root, git.main_root(root)):
            if known in roots:
                return "" if address and _has_origin(roots[known], identities) else roots[known], root
        return "", ""
    folder = os.path.realpath(path)
    while folder not in roots:
        parent = os.path.dirname(folder)
        if parent == folder:
            return "", ""
        folder = parent
    return roots[folder], folder


def _has_origin(key: str, identities: dict[str, str]) -> bool:
    """Whether a project is known by an origin."""
    return any(name.startswith("origin:") for name, owner in identities.items() if owner == key)


def project_folder(home: str, key: str) -> str:
    """Where a project's data lives."""
    return os.path.join(home, "projects", key)


def paused(home: str, key: str) -> str:
    """What is paused for a project, by itself and with everything: `all`, `capture`, `injection`, or nothing."""
    here, everywhere = paused_in(project_folder(home, key)), paused_in(home)
    return "all" if here and everywhere and here != everywhere else here or everywhere


def paused_in(folder: str) -> str:
    """What is paused by the word in the folder of a project, or in that of everything."""
    try:
        with open(os.path.join(folder, "paused"), encoding="utf-8", errors="replace") as file:
            said = file.read(32).strip()
    except OSError:
        return ""
    return said if said in ("capture", "injection") else "all"
