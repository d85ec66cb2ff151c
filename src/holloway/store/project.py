"""Project identity: its git origin, else its first commit, else its path; resolves and registers projects."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from holloway import config, git
from holloway.errors import InvalidInput
from holloway.store import registry
from holloway.store.database import make_private_folder, translate_errors


@dataclass(frozen=True, slots=True)
class Project:
    """One codebase, with any number of clones and worktrees on this machine."""

    key: str
    name: str
    root: Path
    folder: Path
    identities: tuple[str, ...]

    @property
    def database_path(self) -> Path:
        """The database file."""
        return self.folder / "memory.db"

    @property
    def backups_folder(self) -> Path:
        """The folder of rolling backups."""
        return self.folder / "backups"

    @property
    def journal_folder(self) -> Path:
        """The folder of journals: hook events that were not learned from yet."""
        return self.folder / "journal"

    @property
    def checkpoints_folder(self) -> Path:
        """The folder of saved sessions that have not ended."""
        return self.folder / "checkpoints"


def find_project(path: Path, home: Path) -> Project | None:
    """Return the registered project that contains a path, or None; nothing is created."""
    key, root = registry.find_project_key(str(path), str(home))
    return _load_project(key, root, home) if key else None


def resolve_project(path: Path, home: Path) -> Project:
    """Return the project that contains a path; a new one, or one with a new origin, is registered.

    Raises InvalidInput if the path is not a folder, or is a home folder or disk root outside git.
    """
    if not path.is_dir():
        raise InvalidInput(f"{path} is not a folder.", "Give the folder of a project with --project.")
    root = find_project_root(path, home)
    refuse_home_or_disk(Path(root))
    project = find_project(path, home)
    return (
        project if project is not None and _is_registration_complete(project, root) else _register_project(root, home)
    )


def refuse_home_or_disk(root: Path) -> None:
    """Raise InvalidInput if a root is the home folder or a whole disk, unless it is under git."""
    if not git.find_root(str(root)) and root in (Path.home(), Path(root.anchor)):
        hint = "Change to a project folder; `holloway remember --user` stores a memory for all projects."
        raise InvalidInput(f"{root} is not a project: every folder would be part of it.", hint)


def find_project_root(path: Path, home: Path) -> str:
    """Return the root of the project that contains a folder, registered or not."""
    return git.find_root(str(path)) or registry.find_project_key(str(path), str(home))[1] or str(path.resolve())


def _is_registration_complete(project: Project, root: str) -> bool:
    """Return whether the registry has this root, its current origin, and a commit or origin if the project has one."""
    if root not in registry.read_project(str(project.folder))["roots"]:
        return False
    if address := git.origin_url(root):
        return f"origin:{address}" in project.identities
    first_commits = [name.removeprefix("root:") for name in project.identities if name.startswith("root:")]
    if not git.head_commit(root):
        return True
    # Another repository may have replaced the registered one: it lacks the recorded first commit.
    return any(git.has_commit(root, commit) for commit in first_commits)


def find_by_history(path: Path, home: Path) -> list[str]:
    """Return the keys of projects with the same first commit: a moved folder, or a clone without an origin."""
    identities = registry.read_registry(str(home))["identities"]
    root = git.find_root(str(path))
    first_commits = git.root_commits(root) if root and not git.origin_url(root) else []
    return [identities[f"root:{commit}"] for commit in first_commits if f"root:{commit}" in identities]


def list_projects(home: Path) -> list[Project]:
    """Return every project on this machine that has a memory."""
    folder = home / "projects"
    keys = sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []
    return [_load_project(key, "", home) for key in keys if (folder / key / "project.json").exists()]


def get_user_project(home: Path) -> Project:
    """Return the user's store, for memories that hold in every project."""
    folder = home / "user"
    return Project("user", "user", folder, folder, ())


def _load_project(key: str, root: str, home: Path) -> Project:
    folder = Path(registry.get_project_folder(str(home), key))
    about = registry.read_project(str(folder))
    existing = [recorded_root for recorded_root in about["roots"] if Path(recorded_root).is_dir()]
    chosen = root or (existing or about["roots"] or [str(folder)])[0]
    return Project(key, (about["name"] or [key])[0], Path(chosen), folder, tuple(about["identities"]))


def _register_project(root: str, home: Path) -> Project:
    with translate_errors(home):
        from filelock import FileLock  # a fifth of the import time at session start, and needed once per project

        make_private_folder(home)
        with FileLock(str(home / "registry.lock"), timeout=30):
            index = registry.read_registry(str(home))
            address, first_commits = git.origin_url(root), [f"root:{sha}" for sha in git.root_commits(root)]
            identities = [f"origin:{address}"] if address else []
            identities += first_commits if first_commits or address else [f"path:{root}"]
            key = _find_owner(index, root, address, first_commits) or _make_key(root, identities[0], index)
            _record_root(home, key, root, _list_unclaimed(identities, key, index))
    return _load_project(key, root, home)


def _find_owner(index: dict[str, dict[str, str]], root: str, address: str, first_commits: list[str]) -> str:
    """Return the key of the project that this folder already belongs to; empty if it is new."""
    roots, identities = index["roots"], index["identities"]
    if address and (key := identities.get(f"origin:{address}")):
        return key
    if address and (key := roots.get(address)):
        return key  # a clone of a folder on this machine
    local_key = roots.get(root) or roots.get(git.main_root(root))
    if local_key and _has_same_history(local_key, first_commits, identities):
        return local_key
    for identity in first_commits:
        owner = identities.get(identity)
        # The same first commit under another origin is a fork, which has a separate memory.
        if owner and not (address and _list_origins(owner, identities)):
            return owner
    return ""


def _has_same_history(key: str, first_commits: list[str], identities: dict[str, str]) -> bool:
    recorded_first_commits = {name for name, owner in identities.items() if owner == key and name.startswith("root:")}
    return not recorded_first_commits or not first_commits or bool(recorded_first_commits & set(first_commits))


def _list_origins(key: str, identities: dict[str, str]) -> list[str]:
    return [name for name, owner in identities.items() if owner == key and name.startswith("origin:")]


def _list_unclaimed(identities: list[str], key: str, index: dict[str, dict[str, str]]) -> list[str]:
    """Return the identities that no other project has."""
    return [name for name in identities if index["identities"].get(name, key) == key]


def _make_key(root: str, identity: str, index: dict[str, dict[str, str]]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", Path(root).name.lower()).strip("-")[:40] or "project"
    used_keys = set(index["roots"].values()) | set(index["identities"].values())
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()
    sizes = range(8, len(digest))
    return next(key for size in sizes if (key := f"{slug}-{digest[:size]}") not in used_keys)


def _record_root(home: Path, key: str, root: str, identities: list[str]) -> None:
    """Record a root and identities of a project; the root is removed from any other project."""
    for other in list_projects(home):
        about = registry.read_project(str(other.folder))
        if other.key != key and root in about["roots"]:
            about["roots"].remove(root)
            _write_json(other.folder / "project.json", about)
    folder = Path(registry.get_project_folder(str(home), key))
    make_private_folder(folder)
    folder.parent.chmod(0o700)  # earlier releases created it with the permissions of the umask
    about = registry.read_project(str(folder))
    about["name"] = about["name"] or [Path(root).name]
    about["roots"] = list(dict.fromkeys([root, *about["roots"]]))
    about["identities"] = list(dict.fromkeys([*about["identities"], *identities]))
    _write_json(folder / "project.json", about)
    _write_json(home / "registry.json", registry.rebuild_registry(str(home)))


def _write_json(path: Path, data: object) -> None:
    config.replace_file(os.fspath(path), json.dumps(data, indent=1, ensure_ascii=True).encode())
