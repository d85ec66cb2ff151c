"""Project identity: clones and worktrees of one repository share its first commit, so they share one memory.

Resolves the project of a checkout and registers it."""

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


def join_project(path: Path, home: Path) -> Project:
    """Register a checkout with the project whose origin or first commit it names, because the person says so.

    Raises InvalidInput if no project has them.
    """
    root = find_project_root(path, home)
    claim = find_claim(Path(root), home)
    key = claim.key if claim else _find_fork_source(registry.read_registry(str(home)), root)
    if not key:
        names = registry.read_origin(root) or root
        hint = "`holloway init` without --same-project starts a memory for it."
        raise InvalidInput(f"No project on this machine has the origin or the first commit of {names}.", hint)
    return _register_project(root, home, joined_key=key)


def refuse_home_or_disk(root: Path) -> None:
    """Raise InvalidInput if a root is the home folder or a whole disk, unless it is under git."""
    if not git.find_root(str(root)) and root in (Path.home(), Path(root.anchor)):
        hint = "Change to a project folder; `holloway remember --user` stores a memory for all projects."
        raise InvalidInput(f"{root} is not a project: every folder would be part of it.", hint)


def find_project_root(path: Path, home: Path) -> str:
    """Return the root of the project that contains a folder, registered or not."""
    return git.find_root(str(path)) or registry.find_project_key(str(path), str(home))[1] or str(path.resolve())


def _is_registration_complete(project: Project, root: str) -> bool:
    """Return whether the registry has this root, its current origin, and a first commit if the checkout has one."""
    if root not in registry.read_project(str(project.folder))["roots"]:
        return False
    address = registry.read_origin(root)
    if address and not {f"origin:{address}", f"{registry.APART}{address}"} & {*project.identities}:
        return False
    if not git.has_own_history(root) or not git.head_commit(root) or git.is_shallow(root):
        return True
    first_commits = [name.removeprefix("root:") for name in project.identities if name.startswith("root:")]
    # Another repository may have replaced the registered one: it lacks the recorded first commit.
    return any(git.has_commit(root, commit) for commit in first_commits)


@dataclass(frozen=True, slots=True)
class Claim:
    """A checkout that names the origin of a project and does not share its history, as far as git can tell."""

    key: str
    name: str
    root: Path
    origin: str
    is_shallow: bool

    @property
    def reason(self) -> str:
        """Why the checkout is not taken for the project's."""
        lacking = "is a shallow clone" if self.is_shallow else "shares no first commit with it"
        return f"{self.root} names the origin of {self.name} ({self.origin}) but {lacking}"


ASKED_MAX = 200
"""Checkouts that are remembered as asked about; the oldest ones may be asked about again."""
JOIN_HINT = "if it is the same project, `holloway init --same-project` in it joins its memory"


def find_claim(path: Path, home: Path) -> Claim | None:
    """Return the claim of a checkout that belongs to no project or another one; None if there is nothing to ask."""
    root = git.find_root(str(path))
    address = registry.read_origin(root) if root else ""
    if not address:
        return None
    index = registry.read_registry(str(home))
    key = index["identities"].get(f"origin:{address}") or index["roots"].get(address, "")
    if not key or find_owner(path, home) == key:
        return None
    return Claim(key, _load_project(key, "", home).name, Path(root), address, git.is_shallow(root))


def is_asked(root: str, home: Path) -> bool:
    """Return whether the person was asked about a checkout as it is now: its origin, and whether it is shallow."""
    return _read_asked(home).get(root) == _describe_question(root)


def note_asked(root: str, home: Path) -> None:
    """Record that the person was asked about a checkout, so that no later session asks again or starts git."""
    questions = {place: about for place, about in _read_asked(home).items() if place != root}
    recent = dict(list(questions.items())[-(ASKED_MAX - 1) :])
    _write_json(home / "asked.json", recent | {root: _describe_question(root)})


def _describe_question(root: str) -> list[object]:
    return [registry.read_origin(root), git.is_shallow(root)]


def _read_asked(home: Path) -> dict[str, object]:
    try:
        questions = json.loads((home / "asked.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return questions if isinstance(questions, dict) else {}


def find_owner(path: Path, home: Path) -> str:
    """Return the key of the project that a checkout belongs to, by the registry or by its history; empty if none.

    Git is asked only if the checkout names the origin of a project, is registered, or has no origin.
    """
    key, root = registry.find_project_key(str(path), str(home))
    if key:
        return key
    index = registry.read_registry(str(home))
    root = root or git.find_root(str(path))
    address = registry.read_origin(root) if root else ""
    is_named = f"origin:{address}" in index["identities"] or address in index["roots"]
    if not root or (address and not is_named and root not in index["roots"]):
        return ""
    return _find_owner(index, root, address, _list_first_commits(root))


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


def _register_project(root: str, home: Path, joined_key: str = "") -> Project:
    with translate_errors(home):
        from filelock import FileLock  # a fifth of the import time at session start, and needed once per project

        make_private_folder(home)
        with FileLock(str(home / "registry.lock"), timeout=30, mode=0o600):
            index = registry.read_registry(str(home))
            address, first_commits = registry.read_origin(root), _list_first_commits(root)
            identities = [f"origin:{address}"] if address else []
            identities += first_commits if first_commits or address else [f"path:{root}"]
            if joined_key:
                _release_identities(home, index["roots"].get(root, joined_key), joined_key, identities)
                index = registry.rebuild_registry(str(home))
            key = joined_key or _find_owner(index, root, address, first_commits)
            key = key or _make_key(root, identities[0], index)
            _record_root(home, key, root, _list_recorded(identities, key, index))
    return _load_project(key, root, home)


def _release_identities(home: Path, old_key: str, joined_key: str, identities: list[str]) -> None:
    """Take a checkout's identities from the separate project that it had, so that they lead to the one it joins."""
    if old_key == joined_key:
        return
    folder = Path(registry.get_project_folder(str(home), old_key))
    about = registry.read_project(str(folder))
    about["identities"] = [name for name in about["identities"] if name not in identities]
    _write_json(folder / "project.json", about)


def _list_first_commits(root: str) -> list[str]:
    """Return the first commits of a checkout as identities; empty if they are those of another repository."""
    return [f"root:{sha}" for sha in git.root_commits(root)] if git.has_own_history(root) else []


def _find_owner(index: dict[str, dict[str, str]], root: str, address: str, first_commits: list[str]) -> str:
    """Return the key of the project that this folder already belongs to; empty if it is new."""
    roots, identities = index["roots"], index["identities"]
    # Anybody can write an origin into a `.git/config`; that of a folder on this machine is its path.
    named_key = (identities.get(f"origin:{address}") or roots.get(address)) if address else ""
    if named_key and _recorded_commits(named_key, identities) & {*first_commits}:
        return named_key
    local_key = roots.get(root) or registry.find_worktree_key(root, roots)
    if local_key and _has_same_history(local_key, first_commits, identities):
        return local_key
    for identity in first_commits:
        owner = identities.get(identity)
        # The same first commit under another origin is a fork, which has a separate memory.
        if owner and not (address and _list_origins(owner, identities)):
            return owner
    return ""


def _find_fork_source(index: dict[str, dict[str, str]], root: str) -> str:
    """Return the key of the project of which a checkout is a fork; empty without one."""
    owners = (index["identities"].get(identity, "") for identity in _list_first_commits(root))
    return next((owner for owner in owners if owner and owner != index["roots"].get(root)), "")


def _has_same_history(key: str, first_commits: list[str], identities: dict[str, str]) -> bool:
    recorded = _recorded_commits(key, identities)
    return not recorded or not first_commits or bool(recorded & {*first_commits})


def _recorded_commits(key: str, identities: dict[str, str]) -> set[str]:
    """Return the first commits of a project, as identities."""
    return {name for name, owner in identities.items() if owner == key and name.startswith("root:")}


def _list_origins(key: str, identities: dict[str, str]) -> list[str]:
    return [name for name, owner in identities.items() if owner == key and name.startswith("origin:")]


def _list_recorded(identities: list[str], key: str, index: dict[str, dict[str, str]]) -> list[str]:
    """Return the identities to record for a project: those that no other project has, and other projects' origins
    as such."""
    conflicting = [name for name in identities if index["identities"].get(name, key) != key]
    origins = [name.removeprefix("origin:") for name in conflicting if name.startswith("origin:")]
    return [name for name in identities if name not in conflicting] + [
        f"{registry.APART}{address}" for address in origins
    ]


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
