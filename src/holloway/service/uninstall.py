"""Leaving without a trace: blocks of ours in rules files, and the data folder if the person wants that too."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from holloway.errors import HollowayError, InvalidInput
from holloway.promotion.rules_files import managed_block
from holloway.service import background_worker
from holloway.service.rules_export import TARGETS, take_out
from holloway.store import registry

DATA_NAMES = (
    "projects",
    "user",
    "installs",
    "archive.key",
    "config.toml",
    "hook-failures.log",
    "hook-failures.log.1",
    "paused",
    "pauses.json",
    "registry.json",
    "registry.lock",
)
"""All that holloway makes in its data folder; anything else there is somebody else's."""

FOLDERS_MAX = 20_000
RULES_BYTES_MAX = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Block:
    """A block of ours in a rules file of a project, and why it cannot be taken out, if so."""

    root: Path
    path: Path
    refused: str = ""


def roots(home: Path, here: Path) -> list[Path]:
    """The projects of this machine that are still there, the present one first."""
    known = [Path(root) for root in sorted(registry.read(str(home))["roots"])]
    return [root for root in dict.fromkeys([here, *known]) if root.is_dir()]


def project_count(home: Path) -> int:
    """How many projects have a memory in a data folder."""
    return len(set(registry.read(str(home))["roots"].values()))


def blocks(root: Path) -> list[Block]:
    """Our blocks in a project's rules files."""
    found = []
    for number, (folder, folders, files) in enumerate(os.walk(root)):
        if number >= FOLDERS_MAX:
            break
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(set(files) & set(TARGETS)):
            block = _block(root, Path(folder) / name)
            found += [block] if block else []
    return found


def taken_out(block: Block) -> str:
    """Take a block out; what was done."""
    return take_out(block.root, str(block.path.relative_to(block.root)))


def data(home: Path) -> list[Path]:
    """What holloway has in its data folder."""
    return [home / name for name in DATA_NAMES if os.path.lexists(home / name)]


def delete_data(home: Path) -> list[str]:
    """Delete all memories of all projects for good; returns the names of what is not ours and stays."""
    projects = home / "projects"
    for folder in sorted(projects.iterdir()) if projects.is_dir() else ():
        if background_worker.is_running(str(folder)):
            raise HollowayError(f"The worker is busy in {folder}; nothing was deleted.", "Try again in a moment.")
    for path in data(home):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    left = sorted(path.name for path in home.iterdir()) if home.is_dir() else []
    if not left and home.is_dir() and not home.is_symlink():
        home.rmdir()
    return left


def _block(root: Path, path: Path) -> Block | None:
    """The block in a file, if there is one; a link's target is another file, which has its own turn."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > RULES_BYTES_MAX:
            return None
        content = path.read_bytes()
        if managed_block.BEGIN not in content:
            return None
        edited = managed_block.parts(content).edited
    except InvalidInput as error:
        return Block(root, path, error.message)
    except OSError as error:
        return Block(root, path, f"It cannot be read: {error.strerror}.")
    return Block(root, path, "Somebody has edited it; move those lines out of it first." if edited else "")
