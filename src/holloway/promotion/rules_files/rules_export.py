"""Export of confirmed memories as a block in CLAUDE.md or AGENTS.md, for agents and people without holloway."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from holloway import git
from holloway.config import IMPORT_BYTES_MAX, replace_file
from holloway.domain.memory import MemoryType, Source, State, Visibility
from holloway.errors import HollowayError, InvalidInput
from holloway.promotion.rules_files import managed_block
from holloway.promotion.rules_files.files import CommittedFiles
from holloway.promotion.rules_files.markdown import split_origin
from holloway.promotion.rules_files.markup import escape_markup
from holloway.safety import paths
from holloway.store.filter import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holloway.domain.memory import Memory
    from holloway.store.store import Store

EXPORT_TARGETS = ("CLAUDE.md", "AGENTS.md", "GEMINI.md")
EXPORT_LINES_MAX = 200
"""Maximum number of lines: an agent reads the file in every session and follows a long one less."""

_NOT_RULES = frozenset(
    {
        MemoryType.WORK_STATE,
        MemoryType.WORK_UNIT_OUTCOME,
        MemoryType.PREFETCH_PATTERN,
        MemoryType.TASK_CALIBRATION,
        MemoryType.CONTEXT_COST,
    }
)


def export_block(
    store: Store, name: str, *, remove: bool = False, replace: bool = False, personal: bool = False
) -> tuple[str, str]:
    """Insert, update or remove the block in a rules file; returns the file and the action.

    With `personal`, also the memories that `list_personal` returns for the file.
    """
    path = _target(store.project.root, name)
    file_exists = path.exists()
    old = _read(path) if file_exists else b""
    parts = managed_block.split_file(old)
    if parts.edited and not replace:
        raise InvalidInput(
            f"Somebody has edited holloway's block in {name}; nothing was changed.",
            "Move those lines out of the block first, or add --replace to drop them.",
        )
    if remove:
        return str(path), _taken_out(path, parts)
    writable, private = _split_eligible(store, path)
    chosen = [*writable, *private] if personal else writable
    if not chosen:
        hint = "`holloway review` confirms what waits; `holloway remember` teaches."
        hint = "Others may read that file; --personal writes your personal memories too." if private else hint
        raise InvalidInput("No confirmed memory is there to write.", hint)
    new = managed_block.insert_block(old, _lines(chosen), new=not file_exists)
    if new == old:
        return str(path), "unchanged"
    _write(path, new)
    return str(path), "renewed" if parts.body else "written"


def list_personal(store: Store, name: str) -> list[Memory]:
    """Return the personal memories that a rules file gets only if the person agrees.

    In a file that git tracks these are all of them; in another one those that the person made personal.
    """
    return _split_eligible(store, _target(store.project.root, name))[1]


def _split_eligible(store: Store, path: Path) -> tuple[list[Memory], list[Memory]]:
    """Return the memories that may be written into a file, and the personal ones that need the person's word."""
    root = store.project.root
    is_tracked = CommittedFiles(root).has_file(path.relative_to(root).as_posix())
    writable: list[Memory] = []
    private: list[Memory] = []
    for memory in store.memories.find_memories(Filter(branch=git.current_branch(str(root))), -1):
        if _belongs(memory, path, root):
            is_private = memory.visibility is Visibility.PERSONAL and (memory.chosen or is_tracked)
            (private if is_private else writable).append(memory)
    return writable, private


def take_out(root: Path, name: str) -> str:
    """Remove the block from a rules file, whether or not the project has a memory; returns the action.

    A block that somebody edited is kept, because it contains their text.
    """
    path = _target(root, name)
    parts = managed_block.split_file(_read(path))
    return "edited" if parts.edited else _taken_out(path, parts)


def _target(root: Path, name: str) -> Path:
    """Return the file that a name refers to inside the project, with links resolved."""
    if Path(name).name not in EXPORT_TARGETS:
        raise InvalidInput(f"{name} is no rules file.", f"One of: {', '.join(EXPORT_TARGETS)}.")
    inside = paths.contained_path(name, str(root), str(root))
    if not inside:
        raise InvalidInput(f"{name} leads out of the project {root}.", "Nothing outside of it is written.")
    path = root / inside
    if not path.parent.is_dir() or (path.exists() and not path.is_file()):
        raise InvalidInput(f"{name} cannot be a file here.", "Give a file in a folder that is there.")
    if path.exists() and not (path.stat().st_mode & 0o222 and os.access(path, os.W_OK)):
        raise InvalidInput(f"{name} is read-only; nothing was changed.", "Make it writable first.")
    return path


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > IMPORT_BYTES_MAX:
            raise InvalidInput(f"{path} has more than {IMPORT_BYTES_MAX:,} bytes.", "That is no rules file.")
        data = path.read_bytes()
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error
    if b"\0" in data or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InvalidInput(f"{path} is not plain UTF-8 text.", "Save it as UTF-8 first; nothing was changed.")
    return data


def _taken_out(path: Path, parts: managed_block.FileParts) -> str:
    if not parts.gap:
        return "absent"
    if parts.gap == managed_block.NEW and not parts.original_bytes:
        path.unlink()
        return "removed with its file"
    _write(path, parts.original_bytes)
    return "removed"


def _write(path: Path, data: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
    replace_file(str(path), data)
    path.chmod(mode)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _belongs(memory: Memory, path: Path, root: Path) -> bool:
    """Return whether a memory is for everyone who reads the file, and not from that file itself."""
    from_this_file = memory.source is Source.RULES_FILE and root / split_origin(memory.origin)[0] == path
    private = bool(memory.branch_only) or memory.muted
    return memory.state is State.CONFIRMED and memory.type not in _NOT_RULES and not from_this_file and not private


def _lines(memories: list[Memory]) -> list[str]:
    """Render headings and bullets as `export --format claude` does, the oldest memory first."""
    ordered = sorted(memories, key=lambda memory: (not memory.pinned, memory.created_at, memory.id))
    lines = render_rules(ordered, "What holloway knows").rstrip("\n").split("\n")
    if len(lines) <= EXPORT_LINES_MAX:
        return lines
    left = sum(line.startswith("- ") for line in lines[EXPORT_LINES_MAX - 1 :])
    return [*lines[: EXPORT_LINES_MAX - 1], f"- {left} more: `holloway list`"]


def render_rules(memories: Sequence[Memory], title: str) -> str:
    """Render confirmed memories in the manner of a CLAUDE.md, by type and without ids."""
    lines = [f"# {escape_markup(' '.join(title.split()))}", ""]
    for memory_type in MemoryType:
        chosen = [memory for memory in memories if memory.type is memory_type and memory.state is State.CONFIRMED]
        if chosen:
            lines += [f"## {heading_of(memory_type)}", ""]
            lines += [f"- {escape_markup(' '.join(memory.content.split()))}{name_files(memory)}" for memory in chosen]
            lines.append("")
    return "\n".join(lines)


def heading_of(memory_type: MemoryType) -> str:
    """Return the heading over memories of a type."""
    label = memory_type.label.capitalize()
    return f"{label[:-1]}ies" if label.endswith("y") else f"{label}s"


def name_files(memory: Memory) -> str:
    """Return the files of a memory in brackets, without a path that would end the code span; empty if there is none."""
    paths_in_code = [f"`{path}`" for path in memory.files if "`" not in path and path.isprintable()]
    return f" ({', '.join(paths_in_code)})" if paths_in_code else ""
