"""Uninstall: removes our entries from all agents' configuration, our blocks in rules files, and data on request."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holloway.errors import HollowayError, InvalidInput
from holloway.install import original_files
from holloway.install.agents import DIALECTS, find_dialect
from holloway.install.install_plan import plan_removal
from holloway.promotion.rules_files import managed_block
from holloway.promotion.rules_files.rules_export import EXPORT_TARGETS, take_out
from holloway.store import registry
from holloway.store.foreign_digests import DIGEST_KEY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    from holloway.install.install_plan import InstallPlan

DATA_NAMES = (
    "projects",
    "user",
    "installs",
    "archive.key",
    "asked.json",
    "config.toml",
    DIGEST_KEY_NAME,
    "hook-failures.log",
    "hook-failures.log.1",
    "paused",
    "pauses.json",
    "registry.json",
    "registry.lock",
)
"""Every name that holloway creates in its data folder; it never deletes another."""

FOLDERS_MAX = 20_000
RULES_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RulesBlock:
    """A block of holloway's in a rules file, and the reason why it cannot be removed, if any."""

    root: Path
    path: Path
    refused: str = ""


def plan_removals(home: Path, root: Path) -> tuple[list[InstallPlan], list[str]]:
    """Return the plans that remove holloway from each agent in each scope, and notes on files not understood."""
    recorded = [(record.agent, record.scope, Path(record.root)) for record in original_files.load_records(home)]
    usual = [(agent, scope, root) for agent in DIALECTS for scope in ("user", "project")]
    planned_keys: set[tuple[str, str, str]] = set()
    plans: list[InstallPlan] = []
    notes: list[str] = []
    for agent, scope, folder in (*usual, *recorded):
        key = (agent, scope, str(folder) if scope == "project" else "")
        if key in planned_keys or agent not in DIALECTS or not folder.is_dir():
            continue
        planned_keys.add(key)
        try:
            plan = plan_removal(find_dialect(agent), scope, folder, home)
        except HollowayError as error:
            notes.append(f"{error.message} {error.hint}")
            continue
        notes += plan.notes
        plans += [plan] if plan.needed_changes else []
    return plans, list(dict.fromkeys(notes))


def list_roots(home: Path, current: Path) -> list[Path]:
    """Return the roots of the existing projects on this machine, the present one first."""
    registered_roots = [Path(root) for root in sorted(registry.read_registry(str(home))["roots"])]
    return [root for root in dict.fromkeys([current, *registered_roots]) if root.is_dir()]


def count_projects(home: Path) -> int:
    """Return the number of projects with a memory in a data folder."""
    return len(set(registry.read_registry(str(home))["roots"].values()))


def find_blocks(root: Path) -> list[RulesBlock]:
    """Return holloway's blocks in a project's rules files."""
    blocks = []
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number >= FOLDERS_MAX:
            break
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(set(files) & set(EXPORT_TARGETS)):
            block = _block(root, Path(folder) / name)
            blocks += [block] if block else []
    return blocks


def remove_block(block: RulesBlock) -> str:
    """Remove a block; returns what was done."""
    return take_out(block.root, str(block.path.relative_to(block.root)))


def list_data(home: Path) -> list[Path]:
    """Return the files and folders that holloway has in its data folder."""
    return [home / name for name in DATA_NAMES if os.path.lexists(home / name)]


def delete_data(home: Path, is_worker_running: Callable[[str], bool]) -> list[str]:
    """Delete all memories of all projects for good; returns the names of the files that are not holloway's."""
    projects = home / "projects"
    for folder in sorted(projects.iterdir()) if projects.is_dir() else ():
        if is_worker_running(str(folder)):
            raise HollowayError(f"The worker is busy in {folder}; nothing was deleted.", "Try again in a moment.")
    for path in list_data(home):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    left = sorted(path.name for path in home.iterdir()) if home.is_dir() else []
    if not left and home.is_dir() and not home.is_symlink():
        home.rmdir()
    return left


def _block(root: Path, path: Path) -> RulesBlock | None:
    """The block in a file, if there is one; a link's target is another file, which has its own turn."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > RULES_BYTES_MAX:
            return None
        content = path.read_bytes()
        if managed_block.BEGIN not in content:
            return None
        edited = managed_block.split_file(content).edited
    except InvalidInput as error:
        return RulesBlock(root, path, error.message)
    except OSError as error:
        return RulesBlock(root, path, f"It cannot be read: {error.strerror}.")
    return RulesBlock(root, path, "Somebody has edited it; move those lines out of it first." if edited else "")
