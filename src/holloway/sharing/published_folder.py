"""Publication: chosen memories as Markdown files in the work tree, one for each module, for review by people.

It is an export. The files are written from the store and never read back as memories; lines of other people, whose
memories this store does not have, stay as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from holloway.config import IMPORT_BYTES_MAX, replace_file
from holloway.domain.memory import MemoryType
from holloway.errors import HollowayError, InvalidInput
from holloway.promotion.rules_files.markup import escape_markup
from holloway.promotion.rules_files.rules_export import heading_of, name_files
from holloway.safety.paths import contained_path
from holloway.sharing.foreign_file import parse_bullet
from holloway.sharing.shared_fields import explain_refusal
from holloway.store.filter import EVERYTHING, Filter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from holloway.domain.memory import Memory
    from holloway.store.store import Store

PUBLISHED_FOLDER = ".holloway"
PUBLISHED_MARK = "<!-- Written by `holloway publish` for review. Edits here are lost; change the memories. -->"
"""First line of every file that is published; no other file is read, written or deleted."""
FILES_MAX = 500
GENERAL = "general"
"""Name of the file for memories of no module."""
UID_CHARS = 10
"""Characters of a citation that leaves this machine."""
_UNSAFE = re.compile(r"[^a-z0-9._-]+")
PUBLISHED_NAME_CHARS_MAX = 60
_BULLET = re.compile(r"^- (?P<text>.+) \[hw:(?P<uid>[0-9a-f]{6,32})\]$")
_HEADINGS = {heading_of(memory_type): memory_type for memory_type in MemoryType}


class Entry(NamedTuple):
    """A line of a published file: the memory's type, the beginning of its uid, and its text as Markdown."""

    type: MemoryType
    uid: str
    text: str


class PublishedFile(NamedTuple):
    """A file that publishing writes or deletes: its text before, and after; empty where there is none."""

    path: str
    before: str
    after: str

    @property
    def action(self) -> str:
        """The word for what happens to it."""
        return "added" if not self.before else "removed" if not self.after else "changed"

    def count_lines(self) -> tuple[int, int]:
        """Return how many memories are added to it and removed from it."""
        before, after = set(_list_bullets(self.before)), set(_list_bullets(self.after))
        return len(after - before), len(before - after)


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that publishing would change in the work tree."""

    folder: str
    memories: int
    """Chosen memories that are in the files."""
    changes: tuple[PublishedFile, ...]
    foreign: int
    """Lines of other people that stay."""


def plan_publication(store: Store, folder: str = PUBLISHED_FOLDER, *, removes: bool = False) -> Publication:
    """Return what publishing the chosen memories would change; with `removes`, what taking them all out would.

    Raises InvalidInput for a folder outside of the project.
    """
    root = store.project.root
    place = _find_folder(root, folder)
    memories = [] if removes else list_published(store)
    files = {path.name: _read_text(path) for path in list_published_files(root, folder)}
    known = {memory.uid[:UID_CHARS] for memory in list_everything(store)}
    modules = _group_entries(memories)
    foreign = 0
    for name, text in files.items():
        title, entries = parse_file(text)
        # A text that was rejected or erased here leaves the files as well, whoever wrote it.
        staying = [
            entry
            for entry in entries
            if entry.uid[:UID_CHARS] not in known and not store.memories.is_rejected(parse_bullet(entry.text))
        ]
        foreign += len(staying)
        written = modules.setdefault(name, (title, []))[1]
        texts = {entry.text for entry in staying}
        written[:] = [entry for entry in written if entry.text not in texts] + staying
    for name in modules.keys() - files.keys():
        if (root / place / name).exists():
            raise InvalidInput(f"{place}/{name} is not a file of holloway's.", "Give another folder with --to.")
    changes = [
        PublishedFile(f"{place}/{name}", files.get(name, ""), render_file(title, entries))
        for name, (title, entries) in sorted(modules.items())
    ]
    return Publication(place, len(memories), tuple(file for file in changes if file.before != file.after), foreign)


def publish(store: Store, publication: Publication) -> None:
    """Write and delete the files of a publication. Raises HollowayError if one cannot be written."""
    root = store.project.root
    try:
        (root / publication.folder).mkdir(parents=True, exist_ok=True)
        for file in publication.changes:
            path = root / file.path
            if path.is_symlink() or _read_text(path) != file.before:
                hint = "Nothing more was written; `holloway publish` looks again."
                raise HollowayError(f"{file.path} changed meanwhile.", hint)
            if file.after:
                replace_file(str(path), file.after.encode())
                path.chmod(0o644)
            else:
                path.unlink()
        if not any((root / publication.folder).iterdir()):
            (root / publication.folder).rmdir()
    except OSError as error:
        raise HollowayError(f"Cannot write {error.filename}: {error.strerror}.", "Check its permissions.") from error


def list_published(store: Store) -> list[Memory]:
    """Return the memories that may be published: their visibility was chosen, and nothing keeps them here."""
    return [memory for memory in store.memories.find_memories(Filter(), -1) if not explain_refusal(memory)]


def count_unknown(store: Store) -> int:
    """Return how many memories are published in the usual folder that this store never had; 0 if it leads outside."""
    known = {memory.uid[:UID_CHARS] for memory in list_everything(store)}
    contents = {" ".join(memory.content.split()) for memory in list_everything(store)}
    entries = (entry for path in list_usual_files(store.project.root) for entry in parse_file(_read_text(path))[1])
    return sum(entry.uid[:UID_CHARS] not in known and parse_bullet(entry.text) not in contents for entry in entries)


def list_usual_files(root: Path) -> list[Path]:
    """Return the published files in the usual folder of a project; empty if that leads outside of it."""
    is_inside = bool(contained_path(PUBLISHED_FOLDER, str(root), str(root))) and (root / PUBLISHED_FOLDER).is_dir()
    return list_published_files(root) if is_inside else []


def list_published_files(root: Path, folder: str = PUBLISHED_FOLDER) -> list[Path]:
    """Return the files in a folder of the work tree that `holloway publish` wrote, here or elsewhere."""
    place = root / _find_folder(root, folder)
    paths = sorted(place.glob("*.md"))[:FILES_MAX] if place.is_dir() else []
    return [path for path in paths if path.is_file() and not path.is_symlink() and is_published(path)]


def is_published(path: Path) -> bool:
    """Return whether `holloway publish` wrote a file."""
    return _read_text(path).startswith(PUBLISHED_MARK)


def parse_file(text: str) -> tuple[str, list[Entry]]:
    """Return the module and the entries of a published file; other lines are left out."""
    title, memory_type, entries = GENERAL, MemoryType.GOTCHA, []
    for line in text.splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.startswith("## "):
            memory_type = _HEADINGS.get(line[3:].strip(), MemoryType.GOTCHA)
        elif match := _BULLET.match(line):
            entries.append(Entry(memory_type, match["uid"], match["text"]))
    return title, entries


def render_file(title: str, entries: Iterable[Entry]) -> str:
    """Return the text of a file: a heading for each type, a line for each memory, in an order that stays."""
    by_type: dict[MemoryType, list[Entry]] = {}
    for entry in sorted(set(entries), key=lambda entry: (entry.uid, entry.text)):
        by_type.setdefault(entry.type, []).append(entry)
    if not by_type:
        return ""
    lines = [PUBLISHED_MARK, "", f"# {title}", ""]
    for memory_type in MemoryType:
        if memory_type in by_type:
            bullets = [f"- {entry.text} [hw:{entry.uid}]" for entry in by_type[memory_type]]
            lines += [f"## {heading_of(memory_type)}", "", *bullets, ""]
    return "\n".join(lines)


def _group_entries(memories: Iterable[Memory]) -> dict[str, tuple[str, list[Entry]]]:
    """Return the title and the entries of each file by its name."""
    files: dict[str, tuple[str, list[Entry]]] = {}
    for memory in memories:
        module = memory.modules[0] if memory.modules else GENERAL
        title = escape_markup(" ".join(module.split()))
        text = f"{escape_markup(' '.join(memory.content.split()))}{name_files(memory)}"
        entry = Entry(memory.type, memory.uid[:UID_CHARS], text)
        files.setdefault(f"{_name_file(module)}.md", (title, []))[1].append(entry)
    return files


def _name_file(module: str) -> str:
    return _UNSAFE.sub("-", module.lower()).strip("-.")[:PUBLISHED_NAME_CHARS_MAX] or GENERAL


def list_everything(store: Store) -> Iterator[Memory]:
    """Yield every memory that the store has or had, so that what ended here is no longer published."""
    yield from store.memories.find_memories(EVERYTHING, -1)
    yield from store.memories.find_memories(Filter(deleted=True, superseded=True), -1)


def _list_bullets(text: str) -> list[str]:
    return [line for line in text.splitlines() if _BULLET.match(line)]


def _find_folder(root: Path, folder: str) -> str:
    inside = contained_path(folder, str(root), str(root))
    if inside in ("", ".") or inside.startswith(".git/") or inside == ".git":
        raise InvalidInput(f"{folder} is no folder inside the project {root}.", "Nothing outside of it is written.")
    if (root / inside).exists() and not (root / inside).is_dir():
        raise InvalidInput(f"{folder} is a file.", "Give another folder with --to.")
    return inside


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(IMPORT_BYTES_MAX).decode("utf-8", "replace").replace("\r\n", "\n")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise HollowayError(f"Cannot read {path}: {error.strerror}.", "Check its permissions.") from error
